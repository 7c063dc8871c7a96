-- What sites tell of their pages without being asked for each: the dates in sitemaps and Atom feeds.

-- Whether the lists of a host told the truth.
CREATE TABLE list_trusts (
    host         INTEGER PRIMARY KEY REFERENCES hosts(id),
    announced    INTEGER NOT NULL DEFAULT 0,   -- changes that the lists told of, since they last failed to
    unannounced  INTEGER NOT NULL DEFAULT 0    -- changes that the lists denied, ever
) STRICT;

-- What a list read in a track says: for each page three numbers of eight bytes, little-endian: resource, and between which two
-- times it changed last. One row for a list, because most dates are never looked at. Gone when the run is settled.
CREATE TABLE list_dates (
    run       INTEGER NOT NULL,
    list      INTEGER NOT NULL,                -- resources.id of the sitemap
    dates     BLOB NOT NULL,
    PRIMARY KEY (run, list)
) STRICT;

-- The lists that the pages of a host wait for in a track; those with an open visit are still to be read.
CREATE TABLE list_waits (
    run       INTEGER NOT NULL,
    list      INTEGER NOT NULL,
    host      INTEGER NOT NULL,                -- whose pages wait
    PRIMARY KEY (run, list, host)
) STRICT, WITHOUT ROWID;
CREATE INDEX list_waits_by_host ON list_waits(run, host);

-- When the server itself last answered for a document that nobody asked for since. Otherwise the last visit tells.
ALTER TABLE documents ADD COLUMN looked_at INTEGER;
