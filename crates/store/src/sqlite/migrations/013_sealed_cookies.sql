-- The cookies of a run that is open are sealed from now on, and those of one that has ended are gone. What lay here in the
-- clear goes with every trace of it: the pages of the old table are overwritten.
PRAGMA secure_delete = ON;
CREATE TABLE runs_anew (
    id          INTEGER PRIMARY KEY,
    project     INTEGER NOT NULL REFERENCES projects(id),
    settings    TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (status IN ('running', 'stopped', 'finished', 'failed')),
    started_at  INTEGER NOT NULL,
    ended_at    INTEGER,
    active_ms   INTEGER NOT NULL DEFAULT 0,   -- time spent running, pauses left out
    wire_bytes  INTEGER NOT NULL DEFAULT 0,   -- received, as sent
    cookies     BLOB,                         -- the jar of an open run, sealed: a resumed run is the same visitor
    note        TEXT,                         -- one line about how it ended
    kind        TEXT NOT NULL DEFAULT 'crawl' CHECK (kind IN ('crawl', 'track')),
    settled_at  INTEGER
) STRICT;
INSERT INTO runs_anew(id, project, settings, status, started_at, ended_at, active_ms, wire_bytes, note, kind, settled_at)
    SELECT id, project, settings, status, started_at, ended_at, active_ms, wire_bytes, note, kind, settled_at FROM runs;
DROP TABLE runs;
ALTER TABLE runs_anew RENAME TO runs;
PRAGMA secure_delete = OFF;
