//! A file without what is no longer needed takes the place of the old one: written, synced, read back, then one transaction.

use super::plan::Plan;
use super::sweep::sweep;
use crate::folder::writer::{file_name, sync_folder};
use crate::warc::Packer;
use crate::warc::gzip::set_commit;
use crate::warc::reader::Walker;
use crate::{Catalog, StoreError, private};
use gleaner_model::Timestamp;
use rusqlite::Connection;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

const BUFFER_BYTES: usize = 1024 * 1024;

/// The file that takes the old one's place.
struct Heir {
    id: i64,
    name: String,
    /// The new warcinfo record; everything that stays follows it.
    info: Vec<u8>,
}

pub(super) fn rewrite(
    catalog: &Catalog,
    folder: &Path,
    plan: &Plan,
    software: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    // A compaction is a commit too: should the catalog go back in time, the new file shows that.
    let commit = catalog.last_commit()? + 1;
    let mut heir = None;
    if !plan.is_empty() {
        let new = next(&catalog.db, software, now, commit)?;
        catalog.db.execute(
            "INSERT INTO doomed(name, heir) VALUES (?1, ?2)",
            (&new.name, &plan.file.name),
        )?;
        if let Err(error) = write(folder, plan, &new).and_then(|()| prove(folder, plan, &new)) {
            let _the_next_start_does_it_too = sweep(catalog, folder);
            return Err(error);
        }
        heir = Some(new);
    }
    tracing::debug!(
        file = plan.file.name,
        heir = heir.as_ref().map(|heir| heir.name.as_str()),
        "a file of the archive is replaced"
    );
    // If this fails, the transaction may yet turn up in the log at the next start: both files stay until then.
    swap(&catalog.db, plan, heir.as_ref(), commit)
}

fn next(db: &Connection, software: &str, now: Timestamp, commit: u64) -> Result<Heir, StoreError> {
    let sql = "SELECT coalesce(max(id), 0) + 1 FROM archives";
    let id = db.query_row(sql, [], |row| row.get(0))?;
    let name = file_name(now, id);
    let mut info = Packer::default().warcinfo(&name, now, software);
    set_commit(&mut info, commit);
    Ok(Heir { id, name, info })
}

/// Records are copied as they are: what was good stays good to the bit.
fn write(folder: &Path, plan: &Plan, heir: &Heir) -> Result<(), StoreError> {
    let (from, to) = (folder.join(&plan.file.name), folder.join(&heir.name));
    let reading = |cause| StoreError::ArchiveRead {
        path: from.clone(),
        cause,
    };
    let writing = |cause| StoreError::writing(&to, cause);
    let mut input = BufReader::with_capacity(BUFFER_BYTES, File::open(&from).map_err(reading)?);
    let mut output = private::options()
        .write(true)
        .create_new(true)
        .open(&to)
        .map_err(writing)?;
    output.write_all(&heir.info).map_err(writing)?;
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut filled = 0;
    for range in &plan.stays {
        input.seek(SeekFrom::Start(range.start)).map_err(reading)?;
        let mut left = range.end - range.start;
        while left > 0 {
            let room = (buffer.len() - filled) as u64;
            let end = filled + usize::try_from(left.min(room)).unwrap_or(0);
            input.read_exact(&mut buffer[filled..end]).map_err(reading)?;
            left -= (end - filled) as u64;
            filled = end;
            if filled == buffer.len() {
                output.write_all(&buffer).map_err(writing)?;
                filled = 0;
            }
        }
    }
    output.write_all(&buffer[..filled]).map_err(writing)?;
    output.sync_all().map_err(|cause| match writing(cause) {
        StoreError::ArchiveWrite { path, cause } => StoreError::SyncFailed { path, cause },
        full => full,
    })?;
    sync_folder(folder)
}

/// Reads the new file back whole before the old one is given up: every member's checksum, and their number.
fn prove(folder: &Path, plan: &Plan, heir: &Heir) -> Result<(), StoreError> {
    let path = folder.join(&heir.name);
    let damaged = |offset, what: String| StoreError::ArchiveDamaged {
        path: path.clone(),
        offset,
        what,
    };
    let mut walker = Walker::open(&path, 0).map_err(|cause| StoreError::ArchiveRead {
        path: path.clone(),
        cause,
    })?;
    let mut records = 0;
    loop {
        let at = walker.position();
        match walker.next(|_, _| {}) {
            Ok(Some(_)) => records += 1,
            Ok(None) => break,
            Err(cause) => return Err(damaged(at, cause.to_string())),
        }
    }
    if (records, walker.position()) != (plan.kept_records + 1, heir.bytes(plan)) {
        return Err(damaged(
            walker.position(),
            "the copy is not what was to be copied".to_owned(),
        ));
    }
    Ok(())
}

impl Heir {
    fn bytes(&self, plan: &Plan) -> u64 {
        self.info.len() as u64 + plan.kept_bytes
    }
}

/// Every row that named a place in the old file names the same record in the new one; the old one is doomed.
fn swap(db: &Connection, plan: &Plan, heir: Option<&Heir>, commit: u64) -> Result<(), StoreError> {
    let old = &plan.file;
    let transaction = db.unchecked_transaction()?;
    transaction.execute("DELETE FROM damages WHERE archive = ?1", [old.id])?;
    transaction.execute("DELETE FROM dropped WHERE archive = ?1", [old.id])?;
    transaction.execute("DELETE FROM archives WHERE id = ?1", [old.id])?;
    if let Some(heir) = heir {
        move_rows(&transaction, plan, heir)?;
        transaction.execute("DELETE FROM doomed WHERE name = ?1", [&heir.name])?;
    }
    let name = heir.map(|heir| &heir.name);
    transaction.execute("UPDATE doomed SET heir = ?2 WHERE heir = ?1", (&old.name, name))?;
    transaction.execute(
        "INSERT INTO doomed(name, heir) VALUES (?1, ?2)",
        (&old.name, name),
    )?;
    transaction.execute("UPDATE commits SET last = ?1", [commit as i64])?;
    transaction.commit()?;
    Ok(())
}

fn move_rows(db: &Connection, plan: &Plan, heir: &Heir) -> Result<(), StoreError> {
    let base = heir.info.len() as u64;
    let end = heir.bytes(plan);
    let moved = |offset: u64| plan.moved(offset).map(|place| (base + place) as i64);
    // A row whose record was lost names a place behind the end, as it does in a file that was cut off.
    let place = |offset: u64| moved(offset).unwrap_or((end + offset) as i64);
    db.execute(
        "INSERT INTO archives(id, name, bytes, is_sealed) VALUES (?1, ?2, ?3, ?4)",
        (heir.id, &heir.name, end as i64, plan.file.is_sealed),
    )?;
    for (sql, rows) in [
        (
            "UPDATE bodies SET archive = ?2, offset = ?3 WHERE id = ?1",
            &plan.rows.bodies,
        ),
        (
            "UPDATE versions SET archive = ?2, offset = ?3 WHERE id = ?1",
            &plan.rows.versions,
        ),
    ] {
        let mut statement = db.prepare_cached(sql)?;
        for (id, offset) in rows {
            statement.execute((id, heir.id, place(*offset)))?;
        }
    }
    for (sql, offsets) in [
        ("INSERT INTO damages VALUES (?1, ?2)", &plan.rows.damages),
        ("INSERT INTO dropped VALUES (?1, ?2)", &plan.rows.dropped),
    ] {
        let mut statement = db.prepare_cached(sql)?;
        for offset in offsets.iter().filter_map(|offset| moved(*offset)) {
            statement.execute((heir.id, offset))?;
        }
    }
    Ok(())
}
