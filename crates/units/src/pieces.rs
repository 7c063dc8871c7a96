//! How does the listing of a folder without end stay small? It is handed on in pieces while the rest of it comes (HC095).
//!
//! A unit gives entries one by one and knows nothing of this. It is a future: whenever it waits, for the network or to let
//! others have their turn, and has given enough for a piece, it is not asked to go on before the piece was taken. So no more
//! than a piece is here, one is with whoever takes them, and the server waits.

use crate::UnitError;
use crate::listing::{ListingEnd, ListingEntry};
use crate::unit::{Ask, Listing, ListingPiece, Unit};
use gleaner_model::{Timestamp, defaults};
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Poll;

/// What the unit says of the folder, and the entries that were not handed on.
pub(crate) async fn list(
    unit: &dyn Unit,
    ask: &Ask,
    started: Timestamp,
) -> Result<(ListingEnd, Listing), UnitError> {
    let gathered: Mutex<Vec<ListingEntry>> = Mutex::default();
    let is_unwanted = AtomicBool::new(false);
    let mut given = 0;
    let mut take = |entry: ListingEntry| {
        if is_unwanted.load(Ordering::Relaxed) {
            return false;
        }
        lock(&gathered).push(entry);
        given += 1;
        given < defaults::ENTRIES_PER_FOLDER_MAX
    };
    let next_piece = |piece: ListingPiece| Listing {
        entries: std::mem::take(&mut *lock(&gathered)),
        piece,
        cut: None,
        oldest: None,
        started,
    };
    let is_enough = || ask.pieces.is_some() && lock(&gathered).len() >= defaults::ENTRIES_PER_PIECE;
    let mut listing = unit.list(ask, &mut take);
    let mut has_begun = false;
    let listed = loop {
        let ended = poll_fn(|context| match listing.as_mut().poll(context) {
            Poll::Ready(listed) => Poll::Ready(Some(listed)),
            Poll::Pending if is_enough() => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        if let Some(listed) = ended.await {
            break listed?;
        }
        let Some(pieces) = &ask.pieces else { continue };
        let piece = next_piece(if has_begun {
            ListingPiece::Next
        } else {
            ListingPiece::First
        });
        has_begun = true;
        if !pieces.take(piece).await {
            is_unwanted.store(true, Ordering::Relaxed);
        }
    };
    drop(listing);
    let rest = match (has_begun, is_unwanted.load(Ordering::Relaxed)) {
        (_, true) => ListingPiece::BrokenOff,
        (true, false) => ListingPiece::Last,
        (false, false) => ListingPiece::Only,
    };
    Ok((listed, next_piece(rest)))
}

fn lock(entries: &Mutex<Vec<ListingEntry>>) -> MutexGuard<'_, Vec<ListingEntry>> {
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::listing::{EntryKind, Meta, TakeEntry, child};
    use crate::unit::{Answer, TakePiece};
    use async_trait::async_trait;
    use gleaner_model::Url;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    /// A folder with so many files, which come a hundred at a time.
    struct Folder {
        files: usize,
        given: Arc<AtomicUsize>,
    }

    #[async_trait]
    impl Unit for Folder {
        fn schemes(&self) -> &'static [&'static str] {
            &["http"]
        }

        async fn fetch(&self, _: &Ask) -> Result<Answer, UnitError> {
            unreachable!("nobody fetches")
        }

        async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
            for number in 0..self.files {
                let url = child(&ask.url, number.to_string().as_bytes(), false).expect("a name");
                self.given.fetch_add(1, Ordering::Relaxed);
                if !take(ListingEntry {
                    url,
                    kind: EntryKind::File,
                    meta: Meta::default(),
                }) {
                    let detail = "no more was wanted".to_owned();
                    return Ok(ListingEnd::Part { detail });
                }
                if number % 100 == 99 {
                    tokio::task::yield_now().await;
                }
            }
            Ok(ListingEnd::Whole)
        }
    }

    /// Takes some pieces, slowly, and counts.
    #[derive(Default)]
    struct Taker {
        wanted: usize,
        given: Arc<AtomicUsize>,
        taken: Mutex<Vec<(ListingPiece, usize)>>,
        /// The most entries that were under way at once.
        most: AtomicUsize,
    }

    impl Taker {
        fn taken(&self) -> usize {
            let taken = self.taken.lock().expect("no panic");
            taken.iter().map(|(_, count)| count).sum()
        }
    }

    #[async_trait]
    impl TakePiece for Taker {
        async fn take(&self, piece: Listing) -> bool {
            let before = self.taken();
            for _ in 0..50 {
                tokio::task::yield_now().await;
                let under_way = self.given.load(Ordering::Relaxed) - before;
                self.most.fetch_max(under_way, Ordering::Relaxed);
            }
            let mut taken = self.taken.lock().expect("no panic");
            taken.push((piece.piece, piece.entries.len()));
            taken.len() < self.wanted
        }
    }

    async fn listed(files: usize, wanted: usize) -> (Arc<Taker>, ListingEnd, Listing) {
        let given = Arc::<AtomicUsize>::default();
        let taker = Arc::new(Taker {
            wanted,
            given: Arc::clone(&given),
            ..Taker::default()
        });
        let mut ask = Ask::of(Url::parse("http://a.test/").expect("a URL"));
        ask.pieces = Some(Arc::clone(&taker) as Arc<dyn TakePiece>);
        let (listed, rest) = list(&Folder { files, given }, &ask, Timestamp::default())
            .await
            .expect("listed");
        (taker, listed, rest)
    }

    #[tokio::test]
    async fn case23_of_a_long_listing_a_piece_is_held_and_the_unit_waits() {
        let (taker, listed, rest) = listed(50_000, usize::MAX).await;
        assert!(matches!(listed, ListingEnd::Whole));
        assert_eq!(rest.piece, ListingPiece::Last);
        assert_eq!(taker.taken() + rest.entries.len(), 50_000);
        let bound = defaults::ENTRIES_PER_PIECE + 100;
        let most = taker.most.load(Ordering::Relaxed);
        assert!(most <= bound, "{most} entries under way, {bound} allowed");
        let taken = taker.taken.lock().expect("no panic");
        assert!(taken.len() > 5, "{taken:?}");
        assert!(taken.iter().all(|(_, count)| *count <= bound), "{taken:?}");
        assert_eq!(taken[0].0, ListingPiece::First);
        assert!(taken[1..].iter().all(|(piece, _)| *piece == ListingPiece::Next));
    }

    #[tokio::test]
    async fn case23_a_short_listing_is_one() {
        let (taker, _, rest) = listed(1000, usize::MAX).await;
        assert_eq!((taker.taken(), rest.entries.len()), (0, 1000));
        assert_eq!(rest.piece, ListingPiece::Only);
    }

    #[tokio::test]
    async fn case23_a_listing_that_nobody_wants_any_more_is_broken_off() {
        let (taker, listed, rest) = listed(usize::MAX, 2).await;
        assert!(matches!(listed, ListingEnd::Part { .. }));
        assert_eq!(rest.piece, ListingPiece::BrokenOff);
        assert_eq!(taker.taken.lock().expect("no panic").len(), 2);
    }
}
