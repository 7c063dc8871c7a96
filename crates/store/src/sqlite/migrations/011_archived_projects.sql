-- When a person removed the project; its history stays, because numbers of runs, documents and changes are never given twice.
ALTER TABLE projects ADD COLUMN archived_at INTEGER;
