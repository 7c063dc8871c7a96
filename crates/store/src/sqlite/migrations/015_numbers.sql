-- Numbers of documents, versions and changes are never given twice, also where the newest rows leave again: the last number that
-- left. A new row gets the one after this and after all that are there.
CREATE TABLE numbers (
    name  TEXT PRIMARY KEY,           -- of the table
    last  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO numbers VALUES ('documents', 0), ('versions', 0), ('changes', 0);
CREATE TRIGGER documents_leave BEFORE DELETE ON documents BEGIN
    UPDATE numbers SET last = OLD.id WHERE name = 'documents' AND last < OLD.id;
END;
CREATE TRIGGER versions_leave BEFORE DELETE ON versions BEGIN
    UPDATE numbers SET last = OLD.id WHERE name = 'versions' AND last < OLD.id;
END;
CREATE TRIGGER changes_leave BEFORE DELETE ON changes BEGIN
    UPDATE numbers SET last = OLD.id WHERE name = 'changes' AND last < OLD.id;
END;
