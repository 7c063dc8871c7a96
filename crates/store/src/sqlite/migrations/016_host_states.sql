-- What a run knew of a host when somebody who worked on it gave it back, as JSON. It goes when the run is finished.
CREATE TABLE host_states (
    run     INTEGER NOT NULL,
    host    INTEGER NOT NULL,
    state   TEXT NOT NULL,
    PRIMARY KEY (run, host)
) STRICT, WITHOUT ROWID;
