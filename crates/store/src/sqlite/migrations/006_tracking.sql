-- What tracking knows.

-- A crawl collects what it reaches; a track also asks for everything the project had before.
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'crawl' CHECK (kind IN ('crawl', 'track'));
-- Set when the last stage of a run is done: states are final, counts add up.
ALTER TABLE runs ADD COLUMN settled_at INTEGER;

ALTER TABLE documents ADD COLUMN gone_run INTEGER;     -- the run that found it gone; null: there, as far as we know
ALTER TABLE documents ADD COLUMN orphan_run INTEGER;   -- the run that first found no link to it

-- A capture whose bytes differ is always a version. `same_as` names the version it repeats under the project's equality;
-- null: it says something of its own. `ignored` is JSON: what differed and did not count, with the reason.
ALTER TABLE versions ADD COLUMN same_as INTEGER REFERENCES versions(id);
ALTER TABLE versions ADD COLUMN ignored TEXT;
ALTER TABLE versions ADD COLUMN url TEXT;              -- as asked for, where that is not the resource's URL

ALTER TABLE changes ADD COLUMN is_orphan INTEGER;      -- 1: still there, but nothing links to it any more
ALTER TABLE changes ADD COLUMN moved_from INTEGER REFERENCES resources(id);

-- Digests of a version at all levels of comparison, made when first needed.
CREATE TABLE ladders (
    version  INTEGER PRIMARY KEY REFERENCES versions(id),
    ladder   BLOB NOT NULL
) STRICT;

-- Volatile parts of a site's URLs, with their evidence, as JSON.
CREATE TABLE site_rules (
    project    INTEGER NOT NULL REFERENCES projects(id),
    site       TEXT NOT NULL,
    rules      TEXT NOT NULL,
    probed_at  INTEGER,                                -- null: given by a person
    is_pinned  INTEGER NOT NULL DEFAULT 0,             -- 1: never learned anew
    PRIMARY KEY (project, site)
) STRICT, WITHOUT ROWID;

-- What is noise on a site's pages, as JSON.
CREATE TABLE noises (
    project  INTEGER NOT NULL REFERENCES projects(id),
    site     TEXT NOT NULL,
    memory   TEXT NOT NULL,
    PRIMARY KEY (project, site)
) STRICT, WITHOUT ROWID;

-- How often a host's validators told the truth.
CREATE TABLE trusts (
    host   INTEGER PRIMARY KEY REFERENCES hosts(id),
    right  INTEGER NOT NULL DEFAULT 0,
    wrong  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Sentences about a run as a whole, for the head of its report.
CREATE TABLE notes (
    run   INTEGER NOT NULL REFERENCES runs(id),
    text  TEXT NOT NULL,
    PRIMARY KEY (run, text)
) STRICT, WITHOUT ROWID;
