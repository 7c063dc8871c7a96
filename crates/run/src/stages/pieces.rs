//! Long listings on their way to the store, piece by piece: one at a time of each folder, so that they come in order, and no
//! more is read from the server before the last one is safe.
//!
//! The folder's own row leaves the frontier with the last piece. A run that is killed or stopped before lists the folder
//! again; what its pieces took up is taken up already.

use super::fetch::Fetched;
use crate::handoff::ToThreads;
use async_trait::async_trait;
use gleaner_model::Url;
use gleaner_store::work::Queued;
use gleaner_units::{Answer, Listing, ListingPiece, TakePiece};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::Span;

/// The way of pieces in a run.
pub struct Pieces {
    to_read: ToThreads<Fetched>,
    under_way: Arc<AtomicUsize>,
    /// Folders whose listing goes on.
    long: AtomicUsize,
    is_over: AtomicBool,
}

impl Pieces {
    pub(crate) fn new(to_read: ToThreads<Fetched>) -> Pieces {
        Pieces {
            to_read,
            under_way: Arc::default(),
            long: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// Whether all that were handed on are safe.
    pub fn are_kept(&self) -> bool {
        self.under_way.load(Ordering::Acquire) == 0
    }

    /// Folders that are under way and no page, as is known already.
    pub fn long(&self) -> usize {
        self.long.load(Ordering::Relaxed)
    }

    /// The run takes up nothing more, or does again: long listings are broken off, and listed again when it goes on.
    pub fn set_over(&self, is_over: bool) {
        self.is_over.store(is_over, Ordering::Relaxed);
    }

    pub fn of_folder(self: &Arc<Pieces>, page: &Queued) -> Arc<FolderPieces> {
        Arc::new(FolderPieces {
            run: Arc::clone(self),
            page: page.clone(),
            turn: Arc::new(Semaphore::new(1)),
            is_torn: Arc::default(),
            is_long: AtomicBool::new(false),
        })
    }
}

/// The pieces of one folder.
pub struct FolderPieces {
    run: Arc<Pieces>,
    page: Queued,
    turn: Arc<Semaphore>,
    is_torn: Arc<AtomicBool>,
    /// A piece of it was handed on.
    is_long: AtomicBool,
}

impl Drop for FolderPieces {
    fn drop(&mut self) {
        if *self.is_long.get_mut() {
            self.run.long.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl FolderPieces {
    /// The end of the listing, when all that came before it is safe.
    pub async fn end(&self, listing: &mut Listing) {
        if listing.piece == ListingPiece::Only {
            return;
        }
        let _closed_never = self.turn.acquire().await;
        if self.is_torn.load(Ordering::Relaxed) {
            let detail = "a part of it made the program that reads it fail".to_owned();
            listing.cut.get_or_insert(detail);
        }
    }
}

#[async_trait]
impl TakePiece for FolderPieces {
    async fn take(&self, piece: Listing) -> bool {
        if self.run.is_over.load(Ordering::Relaxed) {
            return false;
        }
        let Ok(turn) = Arc::clone(&self.turn).acquire_owned().await else {
            return false;
        };
        if !self.is_long.swap(true, Ordering::Relaxed) {
            self.run.long.fetch_add(1, Ordering::Relaxed);
        }
        self.run.under_way.fetch_add(1, Ordering::AcqRel);
        let fetched = Fetched {
            page: self.page.clone(),
            answer: Ok(Answer::Folder(piece)),
            asked: None::<Url>,
            out: None,
            span: Span::current(),
            hold: Some(Hold {
                _turn: turn,
                under_way: Arc::clone(&self.run.under_way),
                is_torn: Arc::clone(&self.is_torn),
            }),
        };
        self.run.to_read.send(fetched).await
    }
}

/// Goes with a piece until it is safe: the next one waits for that.
pub struct Hold {
    _turn: OwnedSemaphorePermit,
    under_way: Arc<AtomicUsize>,
    is_torn: Arc<AtomicBool>,
}

impl Hold {
    /// Nothing could be made of the piece: the listing is not whole.
    pub fn tear(&self) {
        self.is_torn.store(true, Ordering::Relaxed);
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.under_way.fetch_sub(1, Ordering::AcqRel);
    }
}
