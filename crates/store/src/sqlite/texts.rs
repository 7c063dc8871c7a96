//! Texts of versions, beside the catalog: `derived/texts.db`. They can be thrown away and are made again.
//!
//! A text is kept under its version with the number of the extractor that made it and the digest of the bytes it was made
//! from; one that does not fit these is as good as none. What a text is, only its maker knows: here it is bytes.

use crate::{Digest, StoreError, folder};
use gleaner_model::{DocumentId, VersionId};
use rusqlite::{Connection, ErrorCode, OptionalExtension};
use std::path::{Path, PathBuf};

pub struct Texts {
    db: Connection,
}

/// A text with what it was made from.
#[derive(Debug, Clone)]
pub struct KeptText {
    pub version: VersionId,
    pub digest: Digest,
    pub text: Vec<u8>,
}

impl Texts {
    /// Opens the texts of a data folder, or makes an empty file for them. A damaged one is thrown away.
    pub fn open(root: &Path) -> Result<Texts, StoreError> {
        let derived = folder::make_derived(root)?;
        let path = derived.join("texts.db");
        match Texts::try_open(&path) {
            Err(error) if is_damage(&error) => {
                for name in ["texts.db", "texts.db-wal", "texts.db-shm"] {
                    let _may_be_missing = std::fs::remove_file(derived.join(name));
                }
                Ok(Texts::try_open(&path)?)
            }
            other => Ok(other?),
        }
    }

    fn try_open(path: &PathBuf) -> rusqlite::Result<Texts> {
        let db = Connection::open(path)?;
        db.busy_timeout(std::time::Duration::from_secs(30))?;
        // A power loss may cost the last texts, never the file.
        db.execute_batch(
            "PRAGMA page_size = 8192;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             CREATE TABLE IF NOT EXISTS texts (
                 version    INTEGER PRIMARY KEY,
                 extractor  INTEGER NOT NULL,
                 digest     BLOB NOT NULL,
                 text       BLOB NOT NULL
             ) STRICT;
             CREATE TABLE IF NOT EXISTS sites (
                 host       INTEGER PRIMARY KEY,
                 extractor  INTEGER NOT NULL,
                 last       INTEGER NOT NULL,  -- the last of the documents that it was learned from
                 learned    BLOB NOT NULL
             ) STRICT;",
        )?;
        Ok(Texts { db })
    }

    /// The text of a version, if this extractor made it from these bytes.
    pub fn get(
        &self,
        version: VersionId,
        extractor: u32,
        digest: &Digest,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT text FROM texts WHERE version = ?1 AND extractor = ?2 AND digest = ?3")?;
        let found = statement.query_row((version.0, extractor, &digest.0[..16]), |row| row.get(0));
        Ok(found.optional()?)
    }

    /// What this extractor learned of a site, and the last of the documents that it learned from.
    pub fn site(&self, host: i64, extractor: u32) -> Result<Option<(DocumentId, Vec<u8>)>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT last, learned FROM sites WHERE host = ?1 AND extractor = ?2")?;
        let found = statement.query_row((host, extractor), |row| {
            Ok((DocumentId(row.get(0)?), row.get(1)?))
        });
        Ok(found.optional()?)
    }

    /// Keeps what was learned of a site.
    pub fn put_site(
        &self,
        host: i64,
        extractor: u32,
        last: DocumentId,
        learned: &[u8],
    ) -> Result<(), StoreError> {
        self.db.execute(
            "INSERT INTO sites(host, extractor, last, learned) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET extractor = excluded.extractor, last = excluded.last, learned = excluded.learned",
            (host, extractor, last.0, learned),
        )?;
        Ok(())
    }

    /// The texts of this extractor that have no more bytes than that.
    pub fn shorter_than(&self, extractor: u32, bytes: u32) -> Result<Vec<Vec<u8>>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT text FROM texts WHERE extractor = ?1 AND length(text) <= ?2")?;
        let rows = statement.query_map((extractor, bytes), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps texts in one go.
    pub fn put(&mut self, extractor: u32, texts: &[KeptText]) -> Result<(), StoreError> {
        let transaction = self.db.transaction()?;
        {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO texts(version, extractor, digest, text) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO UPDATE SET extractor = excluded.extractor, digest = excluded.digest, text = excluded.text",
            )?;
            for text in texts {
                statement.execute((text.version.0, extractor, &text.digest.0[..16], &text.text))?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// Drops the texts of all versions but these, which are sorted. What goes is overwritten.
    pub fn retain(&mut self, versions: &[i64]) -> Result<u64, StoreError> {
        let gone: Vec<i64> = {
            let mut statement = self.db.prepare("SELECT version FROM texts")?;
            let all = statement.query_map([], |row| row.get::<_, i64>(0))?;
            all.filter(|id| !matches!(id, Ok(id) if versions.binary_search(id).is_ok()))
                .collect::<Result<_, _>>()?
        };
        if gone.is_empty() {
            return Ok(0);
        }
        self.db.execute_batch("PRAGMA secure_delete = ON")?;
        let transaction = self.db.transaction()?;
        for version in &gone {
            transaction.execute("DELETE FROM texts WHERE version = ?1", [version])?;
        }
        transaction.commit()?;
        self.db
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(gone.len() as u64)
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(version: i64, text: &str) -> KeptText {
        KeptText {
            version: VersionId(version),
            digest: Digest::of(text.as_bytes()),
            text: text.as_bytes().to_vec(),
        }
    }

    #[test]
    fn a_text_fits_its_maker_and_its_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut texts = Texts::open(folder.path()).expect("texts");
        texts.put(1, &[kept(1, "one"), kept(2, "two")]).expect("kept");
        let get = |texts: &Texts, version, extractor, bytes: &str| {
            let digest = Digest::of(bytes.as_bytes());
            texts
                .get(VersionId(version), extractor, &digest)
                .expect("an answer")
        };
        assert_eq!(get(&texts, 1, 1, "one").as_deref(), Some(&b"one"[..]));
        assert_eq!(get(&texts, 1, 2, "one"), None);
        assert_eq!(get(&texts, 1, 1, "two"), None);
        assert_eq!(texts.retain(&[2, 5]).expect("retained"), 1);
        assert_eq!(get(&texts, 1, 1, "one"), None);
        assert_eq!(get(&texts, 2, 1, "two").as_deref(), Some(&b"two"[..]));
    }

    #[test]
    fn what_was_learned_of_a_site_fits_its_maker() {
        let folder = tempfile::tempdir().expect("a folder");
        let texts = Texts::open(folder.path()).expect("texts");
        texts.put_site(7, 1, DocumentId(20), b"one").expect("kept");
        assert_eq!(
            texts.site(7, 1).expect("an answer"),
            Some((DocumentId(20), b"one".to_vec()))
        );
        assert_eq!(texts.site(7, 2).expect("an answer"), None);
        assert_eq!(texts.site(8, 1).expect("an answer"), None);
    }

    #[test]
    fn a_damaged_file_is_thrown_away() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(Texts::open(folder.path()).expect("texts"));
        let path = folder.path().join("derived/texts.db");
        std::fs::write(&path, b"this is no database, whatever its name says".repeat(400)).expect("written");
        let mut texts = Texts::open(folder.path()).expect("texts again");
        texts.put(1, &[kept(1, "one")]).expect("kept");
    }
}
