-- Runs in the order in which they finished: what a finished run found is final, and told to followers in this order. A run that
-- goes on after all leaves, and comes back under a new number.
CREATE TABLE finished (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    run           INTEGER NOT NULL UNIQUE REFERENCES runs(id),
    first_change  INTEGER,            -- the numbers of its changes lie between these two; null: it has none
    last_change   INTEGER
) STRICT;
INSERT INTO finished(run, first_change, last_change)
    SELECT n.id, min(c.id), max(c.id) FROM runs n LEFT JOIN changes c ON c.run = n.id
    WHERE n.status = 'finished' GROUP BY n.id ORDER BY n.ended_at, n.id;

-- How far each follower said that it has come: behind which change of which finished run it goes on.
CREATE TABLE followers (
    name      TEXT PRIMARY KEY,
    finished  INTEGER NOT NULL,
    change    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
