-- Before a row's priority, behind its step: higher is sooner; 0 where nobody gives scores.
ALTER TABLE frontier ADD COLUMN score INTEGER NOT NULL DEFAULT 0;
-- Step and score as one number, smaller first: steps are 2^40 priorities apart.
ALTER TABLE frontier ADD COLUMN turn INTEGER GENERATED ALWAYS AS ((priority >> 40) * 65536 - score) VIRTUAL;
-- A run without scores pays nothing for them: its rows are not in here.
CREATE INDEX frontier_by_score ON frontier(run, host, turn, priority, resource) WHERE score > 0;
