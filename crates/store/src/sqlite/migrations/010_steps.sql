-- Projects with steps: where on the way a page was reached.

-- `step:depth`, parted by blanks, of every step that wants the page; null: a project without steps.
ALTER TABLE frontier ADD COLUMN legs TEXT;
-- A form that is sent, as JSON; secrets in it are references.
ALTER TABLE frontier ADD COLUMN request TEXT;
-- The same for what was taken up: each step comes to a page once.
ALTER TABLE visits ADD COLUMN legs TEXT;
-- A step may come to a page that another still has to.
CREATE INDEX frontier_of_steps ON frontier(run, resource) WHERE legs IS NOT NULL;
