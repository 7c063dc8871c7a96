//! S1's own tables (its section 3.2) for those who still use its database: names and columns as printed, as CSV or as SQL.

use std::fmt::Write;

/// A table with its columns and their types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct S1Table {
    pub name: &'static str,
    pub columns: &'static [(&'static str, &'static str)],
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum S1Value {
    Null,
    Number(i64),
    Text(String),
}

/// Rows of one of [`S1_TABLES`], by its name.
#[derive(Debug, Clone, PartialEq)]
pub struct S1Rows {
    pub table: &'static str,
    pub rows: Vec<Vec<S1Value>>,
}

const ID: (&str, &str) = ("ID", "bigint");

/// All sixteen. Where S1 prints no columns, those are given that its text names.
pub const S1_TABLES: [S1Table; 16] = [
    S1Table {
        name: "NEW_SITES",
        columns: &[ID, ("Link", "text"), ("Host_name", "varchar(255)")],
    },
    S1Table {
        name: "SEED_URL",
        columns: &[
            ID,
            ("Link", "text"),
            ("Host_name", "varchar(255)"),
            ("Is_new_seed", "smallint"),
            ("Resume_flag", "smallint"),
            ("SDATE", "datetime"),
            ("EDATE", "datetime"),
            ("Num_ref_by", "bigint"),
        ],
    },
    S1Table {
        name: "CRAWLED_SITES",
        columns: &[
            ID,
            ("Link", "text"),
            ("Host_name", "varchar(255)"),
            ("Priority_level", "smallint"),
            ("SDATE", "datetime"),
            ("EDATE", "datetime"),
            ("Num_ref_by", "bigint"),
        ],
    },
    S1Table {
        name: "VISITED_PAGES",
        columns: &[
            ("PID", "bigint"),
            ("url", "text"),
            ("name", "varchar(255)"),
            ("title", "varchar(255)"),
            ("is_valid", "smallint"),
            ("parentID", "bigint"),
            ("siteID", "bigint"),
            ("last_modified", "date"),
        ],
    },
    S1Table {
        name: "FOREIGN_LINK",
        columns: &[
            ("FID", "bigint"),
            ("url", "text"),
            ("host_name", "varchar(255)"),
            ("PID", "bigint"),
        ],
    },
    S1Table {
        name: "PRE_DOWNLOAD_INFO",
        columns: &[ID, ("url", "text"), ("parentID", "bigint")],
    },
    S1Table {
        name: "DOWNLOAD_STATUS",
        columns: &[
            ID,
            ("prefix_url", "text"),
            ("orig_file_name", "varchar(255)"),
            ("file_name", "varchar(255)"),
            ("temp_location", "varchar(255)"),
            ("final_location", "varchar(255)"),
            ("ddate", "date"),
            ("size", "bigint"),
            ("file_type", "varchar(20)"),
            ("level", "int"),
            ("pdf_flag", "smallint"),
            ("ashg_flag", "smallint"),
            ("filter_flag", "smallint"),
            ("is_diff_format", "smallint"),
            ("is_renamed", "smallint"),
            ("parentID", "bigint"),
            ("num_ref_by", "bigint"),
        ],
    },
    S1Table {
        name: "SITE_STATS",
        columns: &[
            ("siteID", "bigint"),
            ("pages", "bigint"),
            ("downloaded", "bigint"),
            ("accepted", "bigint"),
            ("rejected", "bigint"),
            ("p_downloaded", "int"),
            ("p_accepted", "int"),
            ("p_rejected", "int"),
            ("time", "bigint"),
        ],
    },
    S1Table {
        name: "LEVEL_STATS",
        columns: &[
            ("level", "int"),
            ("num_of_document", "bigint"),
            ("percentage", "int"),
        ],
    },
    S1Table {
        name: "LINK_REF_BY",
        columns: &[ID, ("DID", "bigint"), ("FID", "bigint")],
    },
    S1Table {
        name: "SITE_REF_BY",
        columns: &[ID, ("SID", "bigint"), ("FID", "bigint")],
    },
    S1Table {
        name: "RDVT",
        columns: &[("anchortext", "varchar(255)"), ("count", "bigint")],
    },
    S1Table {
        name: "DOMAIN_KEYWORD",
        columns: &[ID, ("keyword", "varchar(255)")],
    },
    S1Table {
        name: "STOP_DIR_LIST",
        columns: &[
            ("dir_name", "varchar(255)"),
            ("num_of_invalids", "bigint"),
            ("num_of_downloads", "bigint"),
            ("percentage", "int"),
        ],
    },
    S1Table {
        name: "DIR_TO_BE_AVOIDED",
        columns: &[
            ("siteID", "bigint"),
            ("host", "varchar(255)"),
            ("dir_name", "varchar(255)"),
            ("url", "text"),
        ],
    },
    S1Table {
        name: "TEMP_RDVT",
        columns: &[("anchortext", "varchar(255)"), ("count", "bigint")],
    },
];

fn table(name: &str) -> Option<&'static S1Table> {
    S1_TABLES.iter().find(|table| table.name == name)
}

/// One table with a head; a table that S1 does not have is empty.
pub fn s1_csv(rows: &S1Rows) -> String {
    let mut out = String::new();
    let Some(table) = table(rows.table) else {
        return out;
    };
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let _ = writeln!(out, "{}", names.join(","));
    for row in &rows.rows {
        let cells: Vec<String> = (0..names.len()).map(|at| cell(row.get(at))).collect();
        let _ = writeln!(out, "{}", cells.join(","));
    }
    out
}

fn cell(value: Option<&S1Value>) -> String {
    match value {
        None | Some(S1Value::Null) => String::new(),
        Some(S1Value::Number(number)) => number.to_string(),
        Some(S1Value::Text(text)) if text.contains([',', '"', '\n', '\r']) || text.is_empty() => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Some(S1Value::Text(text)) => text.clone(),
    }
}

/// All sixteen tables as SQL that SQLite, `MySQL` (with ANSI quotes) and PostgreSQL read; those without rows are made all the same.
pub fn s1_sql(tables: &[S1Rows]) -> String {
    let mut out = String::from("BEGIN;\n");
    for table in &S1_TABLES {
        let columns: Vec<String> = table
            .columns
            .iter()
            .map(|(name, kind)| format!("  \"{name}\" {}", kind_of(kind)))
            .collect();
        let _ = writeln!(
            out,
            "CREATE TABLE \"{}\" (\n{}\n);",
            table.name,
            columns.join(",\n")
        );
        for row in tables
            .iter()
            .filter(|rows| rows.table == table.name)
            .flat_map(|rows| &rows.rows)
        {
            let values: Vec<String> = (0..table.columns.len()).map(|at| literal(row.get(at))).collect();
            let _ = writeln!(
                out,
                "INSERT INTO \"{}\" VALUES ({});",
                table.name,
                values.join(", ")
            );
        }
    }
    out.push_str("COMMIT;\n");
    out
}

/// `datetime` is no type of PostgreSQL.
fn kind_of(kind: &str) -> &str {
    if kind == "datetime" { "timestamp" } else { kind }
}

fn literal(value: Option<&S1Value>) -> String {
    match value {
        None | Some(S1Value::Null) => "NULL".to_owned(),
        Some(S1Value::Number(number)) => number.to_string(),
        // No system reads a zero in a text.
        Some(S1Value::Text(text)) => format!("'{}'", text.replace('\0', "").replace('\'', "''")),
    }
}
