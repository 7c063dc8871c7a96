-- Places in the archive whose record is known to be damaged: what they held is marked as lost, and `verify` is silent
-- about them from then on.
CREATE TABLE damages (
    archive  INTEGER NOT NULL REFERENCES archives(id),
    offset   INTEGER NOT NULL,
    PRIMARY KEY (archive, offset)
) STRICT, WITHOUT ROWID;
