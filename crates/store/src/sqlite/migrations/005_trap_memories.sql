-- What the trap rules of a run learned, for when it is resumed. In a form of their own.
CREATE TABLE trap_memories (
    run     INTEGER PRIMARY KEY,
    memory  BLOB NOT NULL
) STRICT;
