-- Libraries: focused collections, each over a project of the same name.
CREATE TABLE libraries (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    project   INTEGER NOT NULL REFERENCES projects(id),
    settings  TEXT NOT NULL,          -- JSON
    made_at   INTEGER NOT NULL
) STRICT;

CREATE TABLE library_sites (
    library     INTEGER NOT NULL REFERENCES libraries(id),
    site        TEXT NOT NULL,        -- scheme, host and port
    state       TEXT NOT NULL,        -- candidate, trial, active, stopped, rejected
    starts      TEXT NOT NULL,        -- JSON: addresses
    is_by_hand  INTEGER NOT NULL,
    level       INTEGER NOT NULL,
    visits      INTEGER NOT NULL,
    last_visit  INTEGER,
    next_visit  INTEGER,
    why         TEXT NOT NULL,
    facts       TEXT NOT NULL,        -- JSON, of whoever decides
    PRIMARY KEY (library, site)
) STRICT, WITHOUT ROWID;

-- What was decided about documents, the history whole: the row with the largest number is the last word.
CREATE TABLE library_verdicts (
    id            INTEGER PRIMARY KEY,
    library       INTEGER NOT NULL REFERENCES libraries(id),
    document      INTEGER NOT NULL,
    version       INTEGER NOT NULL,
    url           TEXT NOT NULL,
    site          TEXT NOT NULL,
    verdict       TEXT NOT NULL,      -- accepted, rejected, uncertain
    genre         TEXT,
    score         REAL NOT NULL,
    topic         REAL NOT NULL,
    reasons       TEXT NOT NULL,      -- JSON
    is_by_person  INTEGER NOT NULL,
    cycle         INTEGER NOT NULL,
    at            INTEGER NOT NULL,
    media_type    TEXT NOT NULL,
    size          INTEGER NOT NULL,
    title         TEXT,
    language      TEXT,
    work          INTEGER,
    role          TEXT
) STRICT;
CREATE INDEX library_verdicts_of ON library_verdicts(library, document, id);

-- Which verdict of each document is the last one.
CREATE TABLE library_documents (
    library   INTEGER NOT NULL,
    document  INTEGER NOT NULL,
    last      INTEGER NOT NULL REFERENCES library_verdicts(id),
    verdict   TEXT NOT NULL,
    PRIMARY KEY (library, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX library_documents_by ON library_documents(library, verdict, document);

CREATE TABLE library_cycles (
    library   INTEGER NOT NULL REFERENCES libraries(id),
    number    INTEGER NOT NULL,
    run       INTEGER,
    phase     TEXT NOT NULL,
    began_at  INTEGER NOT NULL,
    ended_at  INTEGER,
    report    TEXT NOT NULL,          -- JSON
    PRIMARY KEY (library, number)
) STRICT, WITHOUT ROWID;

-- What a library learned, by name.
CREATE TABLE library_memories (
    library   INTEGER NOT NULL REFERENCES libraries(id),
    name      TEXT NOT NULL,
    memory    BLOB NOT NULL,
    PRIMARY KEY (library, name)
) STRICT;
