-- Gleaner's catalog. Times are milliseconds since 1970 (UTC); `strftime('%F %T', x/1000, 'unixepoch')` shows them.
-- Bytes are not here but in archive/*.warc.gz: a row that names a place there was written after those bytes were synced.

-- What to collect. `settings` is JSON.
CREATE TABLE projects (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE,
    settings    TEXT NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;

-- One execution of a project, with the settings it ran with.
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY,
    project     INTEGER NOT NULL REFERENCES projects(id),
    settings    TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'finished', 'failed')),
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    active_ms   INTEGER NOT NULL DEFAULT 0,   -- time spent running, pauses left out
    wire_bytes  INTEGER NOT NULL DEFAULT 0,   -- received, as sent
    cookies     BLOB,                         -- the run's jar, so that a resumed run is the same visitor
    note        TEXT                          -- one line about how it ended
) STRICT;

-- Who did the work (the "bots" of the link structure): one row per worker name.
CREATE TABLE workers (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE
) STRICT;

-- A scheme, name and port: what has one robots.txt and one pace.
CREATE TABLE hosts (
    id             INTEGER PRIMARY KEY,
    scheme         TEXT NOT NULL,
    name           TEXT NOT NULL,
    port           INTEGER NOT NULL,
    robots_status  INTEGER,           -- HTTP status of the last robots.txt; null: never asked
    robots_reason  TEXT,              -- why it could not be read
    robots_body    BLOB,
    robots_at      INTEGER,
    UNIQUE (scheme, name, port)
) STRICT;

-- Every URL ever fetched or linked to, in canonical form.
CREATE TABLE resources (
    id             INTEGER PRIMARY KEY,
    key            BLOB NOT NULL,     -- 128 bits of BLAKE3 over the url
    host           INTEGER NOT NULL REFERENCES hosts(id),
    url            TEXT NOT NULL,
    source         INTEGER,           -- the resource it was first found on; null: a seed
    discovered_at  INTEGER NOT NULL,
    discovered_by  INTEGER NOT NULL REFERENCES workers(id),
    processed_at   INTEGER,
    processed_by   INTEGER REFERENCES workers(id),
    status         INTEGER,           -- of the last answer
    type           TEXT,
    charset        TEXT,
    title          TEXT
) STRICT;
CREATE UNIQUE INDEX resources_by_key ON resources(key);

-- Who links to whom: once per place, with how often, under which words, and from which run to which.
CREATE TABLE links (
    source     INTEGER NOT NULL,      -- resources.id
    target     INTEGER NOT NULL,      -- resources.id
    kind       INTEGER NOT NULL,      -- link_kinds.id
    count      INTEGER NOT NULL,
    anchor     TEXT,
    nofollow   INTEGER,               -- 1 where every occurrence says rel=nofollow
    first_run  INTEGER NOT NULL,
    gone_run   INTEGER,               -- the run that no longer found it
    PRIMARY KEY (source, target, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE link_kinds (
    id    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE
) STRICT;

-- The WARC files. What lies behind `bytes` was never committed and is cut off at the next start.
CREATE TABLE archives (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE,
    bytes      INTEGER NOT NULL,
    is_sealed  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Payloads, each stored once whatever the number of URLs and runs that gave it.
CREATE TABLE bodies (
    id         INTEGER PRIMARY KEY,
    digest     BLOB NOT NULL,         -- SHA-256 of the bytes as sent
    size       INTEGER NOT NULL,
    archive    INTEGER NOT NULL REFERENCES archives(id),
    offset     INTEGER NOT NULL,      -- of the response record
    resource   INTEGER NOT NULL,      -- where it was seen first,
    stored_at  INTEGER NOT NULL,      -- and when
    is_lost    INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX bodies_by_digest ON bodies(digest);

-- One thing with one identity across runs.
CREATE TABLE documents (
    id        INTEGER PRIMARY KEY,
    project   INTEGER NOT NULL REFERENCES projects(id),
    resource  INTEGER NOT NULL REFERENCES resources(id),
    version   INTEGER,                -- the newest
    depth     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX documents_by_resource ON documents(resource, project);

-- What a document was at one time.
CREATE TABLE versions (
    id             INTEGER PRIMARY KEY,
    document       INTEGER NOT NULL REFERENCES documents(id),
    run            INTEGER NOT NULL REFERENCES runs(id),
    fetched_at     INTEGER NOT NULL,
    status         INTEGER NOT NULL,
    type           TEXT NOT NULL,
    charset        TEXT,
    title          TEXT,
    size           INTEGER NOT NULL,  -- decoded bytes
    etag           TEXT,
    last_modified  TEXT,
    body           INTEGER NOT NULL REFERENCES bodies(id),
    archive        INTEGER NOT NULL REFERENCES archives(id),
    offset         INTEGER NOT NULL   -- of this capture's own record (response or revisit)
) STRICT;
CREATE INDEX versions_by_document ON versions(document);

-- Every URL a run took up, and what came of it. A row without `at` is still in the frontier.
CREATE TABLE visits (
    run       INTEGER NOT NULL,
    resource  INTEGER NOT NULL,
    depth     INTEGER NOT NULL,
    at        INTEGER,
    status    INTEGER,
    reason    TEXT,                   -- stable code, see docs/reasons.md
    detail    TEXT,
    bytes     INTEGER,
    PRIMARY KEY (run, resource)
) STRICT, WITHOUT ROWID;

-- What runs found, in order: the feed. At most one change per run and resource.
CREATE TABLE changes (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL REFERENCES runs(id),
    resource  INTEGER NOT NULL REFERENCES resources(id),
    document  INTEGER REFERENCES documents(id),    -- null: never was one
    version   INTEGER REFERENCES versions(id),
    state     TEXT NOT NULL CHECK (state IN ('NEW', 'UPD', 'SAM', 'MIS', 'ERR', 'OUT')),
    reason    TEXT,
    detail    TEXT
) STRICT;
CREATE UNIQUE INDEX changes_by_run ON changes(run, resource);

-- What is still to be asked for, in the order it will be.
CREATE TABLE frontier (
    run       INTEGER NOT NULL,
    host      INTEGER NOT NULL,
    priority  INTEGER NOT NULL,       -- smaller first: the depth, for breadth-first
    resource  INTEGER NOT NULL,       -- within a priority in the order of discovery
    depth     INTEGER NOT NULL,
    purpose   TEXT,                   -- null: a page; 'sitemap'
    hops      INTEGER NOT NULL DEFAULT 0,   -- redirects that led here
    chain     TEXT,                   -- the URLs of that chain, as JSON
    tries     INTEGER NOT NULL DEFAULT 0,
    due_at    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (run, host, priority, resource)
) STRICT, WITHOUT ROWID;

-- What a run left out and why: traps, limits, scope. One line each in the report.
CREATE TABLE cuts (
    run      INTEGER NOT NULL,
    reason   TEXT NOT NULL,
    shape    TEXT NOT NULL,
    count    INTEGER NOT NULL,
    example  TEXT NOT NULL,
    PRIMARY KEY (run, reason, shape)
) STRICT, WITHOUT ROWID;

-- One row: the number of the last commit that wrote to the archive.
CREATE TABLE commits (
    id    INTEGER PRIMARY KEY CHECK (id = 1),
    last  INTEGER NOT NULL
) STRICT;
INSERT INTO commits VALUES (1, 0);
