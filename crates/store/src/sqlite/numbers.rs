//! Numbers of rows that are never given twice.
//!
//! SQLite gives the number after the largest one, so the number of a row that left would be given again. Triggers note what
//! leaves; whoever inserts asks here.

/// The number of the next row of a table, as an expression of SQL. Of documents, versions and changes.
macro_rules! next_number {
    ($table:literal) => {
        concat!(
            "(SELECT max(n.last, coalesce((SELECT max(id) FROM ",
            $table,
            "), 0)) + 1 FROM numbers n WHERE n.name = '",
            $table,
            "')"
        )
    };
}

pub(super) use next_number;
