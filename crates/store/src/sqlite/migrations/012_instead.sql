-- What came in place of a document: the last run that saw it, and the digests of what it saw (null: none came). Null once the
-- document came as itself again.
ALTER TABLE documents ADD COLUMN instead_run INTEGER;
ALTER TABLE documents ADD COLUMN instead BLOB;
