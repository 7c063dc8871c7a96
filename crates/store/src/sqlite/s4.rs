//! The tables of "Extraction and Storage of Web Structures" as a file of SQLite: names and columns are those of the original.

use crate::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// A row of `Resources`. Times are texts, as SQLite keeps a TIMESTAMP.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct S4Resource {
    pub rid: String,
    pub url: String,
    pub media_type: Option<String>,
    pub charset: Option<String>,
    pub discovered_at: String,
    pub discovered_by: String,
    pub processed_at: Option<String>,
    pub processed_by: Option<String>,
    pub source: Option<String>,
    pub host: i64,
}

/// A file that is being filled, in one transaction. Without [`S4File::finish`] it holds no rows.
pub struct S4File {
    db: Connection,
}

impl S4File {
    /// A new file; one that is there is not touched.
    pub fn create(path: &Path) -> Result<S4File, StoreError> {
        if path.exists() {
            return Err(StoreError::FileThere {
                path: path.to_owned(),
            });
        }
        let db = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        )?;
        db.execute_batch(
            "BEGIN;
             CREATE TABLE Hosts (HID BIGINT NOT NULL PRIMARY KEY, HName VARCHAR(253));
             CREATE TABLE Resources (
                 RID CHAR(32) NOT NULL PRIMARY KEY, URL VARCHAR(8192), RType VARCHAR(128), Charset VARCHAR(40),
                 DTime TIMESTAMP, DBot CHAR(16), PTime TIMESTAMP, PBot CHAR(16), Source CLOB,
                 HID BIGINT NOT NULL REFERENCES Hosts(HID));
             CREATE TABLE Links (
                 FRID CHAR(32) NOT NULL REFERENCES Resources(RID), RID CHAR(32) NOT NULL REFERENCES Resources(RID));",
        )?;
        Ok(S4File { db })
    }

    pub fn host(&mut self, id: i64, name: &str) -> Result<(), StoreError> {
        let mut statement = self.db.prepare_cached("INSERT INTO Hosts VALUES (?1, ?2)")?;
        statement.execute((id, name))?;
        Ok(())
    }

    pub fn resource(&mut self, row: &S4Resource) -> Result<(), StoreError> {
        let mut statement = self
            .db
            .prepare_cached("INSERT INTO Resources VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")?;
        statement.execute((
            &row.rid,
            &row.url,
            &row.media_type,
            &row.charset,
            &row.discovered_at,
            &row.discovered_by,
            &row.processed_at,
            &row.processed_by,
            &row.source,
            row.host,
        ))?;
        Ok(())
    }

    pub fn link(&mut self, from: &str, to: &str) -> Result<(), StoreError> {
        let mut statement = self.db.prepare_cached("INSERT INTO Links VALUES (?1, ?2)")?;
        statement.execute((from, to))?;
        Ok(())
    }

    pub fn finish(self) -> Result<(), StoreError> {
        Ok(self.db.execute_batch("COMMIT")?)
    }
}
