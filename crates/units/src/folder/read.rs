//! A file's bytes, and the certainty that they are one version of it.

use super::{Refusal, modified, unclear};
use crate::body::BodySink;
use crate::error::is_exhausted;
use crate::{Answer, Ask, Exchange, FilterVerdict, Headers, Unclear, UnitError};
use gleaner_model::date::http_date;
use gleaner_model::{Reason, Timestamp};
use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

const PIECE_BYTES: usize = 256 * 1024;
/// What a filter wants to see of a file.
const OPENING_BYTES: usize = 1024;
/// A file that is written while it is read is read once more.
const READS_MAX: usize = 2;

/// Reads the file at `path`, which was found to be one.
pub(super) async fn read(
    path: &Path,
    ask: &Ask,
    spool_folder: &Arc<Path>,
    started: Timestamp,
) -> Result<Answer, UnitError> {
    for _ in 0..READS_MAX {
        if let Some(answer) = read_once(path, ask, spool_folder, started).await? {
            return Ok(answer);
        }
    }
    let detail = "it was written each time it was read";
    Ok(Answer::Unclear(Unclear::plain(Reason::ChangedWhileRead, detail)))
}

/// `None` if it was written meanwhile.
async fn read_once(
    path: &Path,
    ask: &Ask,
    spool_folder: &Arc<Path>,
    started: Timestamp,
) -> Result<Option<Answer>, UnitError> {
    let begun = Instant::now();
    // A link that was put there since is not followed, and a pipe does not hold us up.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
    let refuse = |error: &std::io::Error| Ok(Some(Answer::Unclear(unclear(Refusal::of(error)))));
    let mut file = match opened {
        Ok(file) => file,
        Err(cause) if is_exhausted(&cause) => return Err(UnitError::Exhausted { cause }),
        Err(error) => return refuse(&error),
    };
    let before = match file.metadata() {
        Ok(meta) => meta,
        Err(error) => return refuse(&error),
    };
    if before.size() > ask.body_bytes_max {
        let detail = format!("{} bytes", before.size());
        return Ok(Some(Answer::Unclear(Unclear::plain(
            Reason::BodyTooLarge,
            detail,
        ))));
    }
    let mut exchange = Exchange::empty(started);
    exchange.protocol = "file";
    exchange.headers = headers_of(&before);
    let mut sink = BodySink::new(spool_folder, Some(before.size()));
    let mut piece = vec![0; PIECE_BYTES.min(before.size() as usize + 1)];
    let mut is_looked_at = false;
    loop {
        let count = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return refuse(&error),
        };
        if !std::mem::replace(&mut is_looked_at, true)
            && let Some(refusal) = refused(ask, &exchange.headers, &piece[..count.min(OPENING_BYTES)])
        {
            return Ok(Some(Answer::Refused(exchange, refusal)));
        }
        sink.push(&piece[..count])?;
        if sink.len() > ask.body_bytes_max {
            return Ok(None); // It grew.
        }
        if sink.len() > PIECE_BYTES as u64 {
            tokio::task::yield_now().await;
        }
    }
    if !is_same(&file, &before, sink.len()) {
        return Ok(None);
    }
    exchange.wire_bytes = sink.len();
    exchange.body = sink.finish()?;
    (exchange.first_byte, exchange.elapsed) = (begun.elapsed(), begun.elapsed());
    Ok(Some(Answer::Here(exchange)))
}

fn refused(ask: &Ask, headers: &Headers, opening: &[u8]) -> Option<crate::Refusal> {
    let filter = ask.filter.as_ref()?;
    match filter.opening(0, headers, opening) {
        FilterVerdict::Go => None,
        FilterVerdict::Stop(refusal) => Some(refusal),
    }
}

fn headers_of(meta: &Metadata) -> Headers {
    let mut headers = Headers::default();
    headers.push("content-length", meta.size().to_string().as_bytes());
    headers.push("last-modified", http_date(modified(meta)).as_bytes());
    headers
}

fn is_same(file: &File, before: &Metadata, read: u64) -> bool {
    file.metadata().is_ok_and(|now| {
        let of = |meta: &Metadata| {
            (
                meta.size(),
                meta.mtime(),
                meta.mtime_nsec(),
                meta.ctime(),
                meta.ctime_nsec(),
            )
        };
        of(&now) == of(before) && read == now.size()
    })
}
