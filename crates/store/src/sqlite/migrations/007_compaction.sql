-- What retention takes away, and how far that has come.

-- Places in the archive that a version named which was dropped. The record goes when its file is rewritten; one whose body is
-- still needed by another version stays, and so does its row.
CREATE TABLE dropped (
    archive  INTEGER NOT NULL REFERENCES archives(id),
    offset   INTEGER NOT NULL,
    PRIMARY KEY (archive, offset)
) STRICT, WITHOUT ROWID;

-- Files in archive/ that are on their way out: begun by a compaction and not finished, or replaced by one. Each goes only
-- while its heir stands: for the first that is the file it was to replace, for the second the file that replaced it.
CREATE TABLE doomed (
    name  TEXT PRIMARY KEY,
    heir  TEXT                        -- null: nothing of it was needed any more
) STRICT, WITHOUT ROWID;
