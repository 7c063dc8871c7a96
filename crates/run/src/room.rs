//! What if our own disk has no room for a large body on its way? Then nothing new is begun until there is.
//!
//! The page went back to the frontier, so nothing is lost; but to ask for it again at once would only make the server
//! send the same bytes for nothing. Instead the disk is asked every two seconds whether it takes as much again. A disk
//! too full for the store itself is another matter ([`crate::disk`]).

use gleaner_model::Instant;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A large body lies on the disk as sent, as packed, and in the archive.
const COPIES: u64 = 3;
const STEP_BYTES: usize = 1024 * 1024;

/// The folder for large bodies, and whether its disk is waited for.
#[derive(Debug)]
pub(crate) struct SpoolRoom {
    folder: PathBuf,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    bytes: u64,
    next_look: Instant,
    is_looking: bool,
}

impl SpoolRoom {
    pub(crate) fn new(folder: PathBuf) -> SpoolRoom {
        SpoolRoom {
            folder,
            waiting: None,
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// While it is, nothing new is begun.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.is_some()
    }

    /// There was no room for so many bytes. True if nobody has waited until now.
    pub(crate) fn was_missing(&mut self, bytes: u64, now: Instant) -> bool {
        let is_new = self.waiting.is_none();
        let waiting = self.waiting.get_or_insert(Waiting {
            bytes: 0,
            next_look: now.after(LOOK_EVERY),
            is_looking: false,
        });
        waiting.bytes = waiting.bytes.max(bytes);
        is_new
    }

    /// For how many bytes to look for room now, if it is time to; the answer comes by [`SpoolRoom::looked`].
    pub(crate) fn look(&mut self, now: Instant) -> Option<u64> {
        let waiting = self.waiting.as_mut()?;
        let is_time = !waiting.is_looking && waiting.next_look <= now;
        waiting.is_looking |= is_time;
        is_time.then_some(waiting.bytes)
    }

    pub(crate) fn looked(&mut self, has_room: bool, now: Instant) {
        if has_room {
            self.waiting = None;
        } else if let Some(waiting) = &mut self.waiting {
            waiting.is_looking = false;
            waiting.next_look = now.after(LOOK_EVERY);
        }
    }

    pub(crate) fn next_look(&self) -> Option<Instant> {
        self.waiting.as_ref().map(|waiting| waiting.next_look)
    }
}

/// Whether the folder takes a body of so many bytes, found out by writing as much.
pub(crate) fn has_room(folder: &Path, bytes: u64) -> bool {
    let Ok(mut file) = tempfile::tempfile_in(folder) else {
        return false;
    };
    let nothing = vec![0; STEP_BYTES];
    let steps = bytes.saturating_mul(COPIES) / STEP_BYTES as u64 + 1;
    (0..steps).all(|_| file.write_all(&nothing).is_ok())
}

/// Whether this failure is our own full disk.
pub(crate) fn is_full(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_looked_at_now_and_then() {
        let at = |seconds| Instant(Duration::from_secs(seconds));
        let mut room = SpoolRoom::new("spool".into());
        assert!(!room.is_waited_for() && room.look(at(0)).is_none());
        assert!(room.was_missing(10, at(0)) && !room.was_missing(7, at(0)));
        assert_eq!([room.look(at(1)), room.look(at(2))], [None, Some(10)]);
        assert_eq!(room.look(at(9)), None, "one look at a time");
        room.looked(false, at(9));
        assert_eq!([room.look(at(10)), room.look(at(11))], [None, Some(10)]);
        room.looked(true, at(12));
        assert!(!room.is_waited_for());
    }

    #[test]
    fn room_is_found_out_and_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(has_room(folder.path(), 10));
        assert!(!has_room(&folder.path().join("none"), 10));
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
