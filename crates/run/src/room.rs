//! What if our own disk has no room for a large body on its way? Then nothing new is begun until there is.
//!
//! The page went back to the frontier, so nothing is lost; but to ask for it again at once would only make the server
//! send the same bytes for nothing. Instead the disk is asked every two seconds whether it takes as much again. A disk
//! too full for the store itself is the keeper's business ([`crate::stages::keep`]).

use gleaner_model::Instant;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A large body lies on the disk as sent, as packed, and in the archive.
const COPIES: u64 = 3;
const STEP_BYTES: usize = 1024 * 1024;

/// Waiting for room.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) bytes: u64,
    next_look: Instant,
    is_looking: bool,
}

impl Waiting {
    pub(crate) fn new(now: Instant) -> Waiting {
        Waiting {
            bytes: 0,
            next_look: now.after(LOOK_EVERY),
            is_looking: false,
        }
    }

    /// Whether to look now; the answer comes by [`Waiting::looked`].
    pub(crate) fn look(&mut self, now: Instant) -> bool {
        let is_time = !self.is_looking && self.next_look <= now;
        self.is_looking |= is_time;
        is_time
    }

    /// Still no room.
    pub(crate) fn looked(&mut self, now: Instant) {
        self.is_looking = false;
        self.next_look = now.after(LOOK_EVERY);
    }

    pub(crate) fn next_look(&self) -> Instant {
        self.next_look
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
        let mut waiting = Waiting::new(at(0));
        assert!(!waiting.look(at(1)));
        assert!(waiting.look(at(2)) && !waiting.look(at(9)), "one look at a time");
        waiting.looked(at(9));
        assert!(!waiting.look(at(10)) && waiting.look(at(11)));
    }

    #[test]
    fn room_is_found_out_and_nothing_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(has_room(folder.path(), 10));
        assert!(!has_room(&folder.path().join("none"), 10));
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }
}
