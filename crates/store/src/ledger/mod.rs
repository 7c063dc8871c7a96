//! The contract of reading: what was kept, for people, for followers and for whoever judges.
//!
//! Values go in and pages of typed rows come out; nobody is called back, and no row is borrowed from the store. A page names the
//! row behind which the next one begins, so whoever reads may stop, forget the ledger and go on another day. Calls are not
//! async: who reads has a thread of their own, works on the rows there, and has nothing to do until they come.

use crate::StoreError;
use std::path::Path;
use std::sync::Arc;

mod changes;
mod content;
mod documents;
mod extract;
mod following;
mod libraries;
mod link_list;
mod links;
mod runs;
mod structure;
mod then;
mod versions;

pub use changes::{Before, ChangeId, ChangeLedger, ChangeRow};
pub use content::{CapturedVersion, ContentLedger, Stored, StoredBody, StoredContent};
pub use documents::{Absence, DocumentFilter, DocumentLedger, DocumentRow, FirstVersion, Visit};
pub use extract::{Extract, Extracted};
pub use following::{FollowLedger, FollowPosition, FollowedChange};
pub use libraries::LibraryLedger;
pub use link_list::ListedLink;
pub use links::{Approach, LinkEnd, LinkLedger, LinkRow, ResourcePlace, RunVisit};
pub use runs::RunLedger;
pub use structure::{
    AddressRow, Extent, Judgement, LinkLists, ListPlace, ResourceRow, Sighting, Sizes, StructureLedger,
    VersionLook,
};
pub use then::{DocumentThen, Holding, HoldingRow, LastTold, Moved, ThenLedger};
pub use versions::{Event, PrunedVersion, VersionFacts, VersionLedger, VersionRow, VersionStanding};

pub(crate) use content::no_version;
pub(crate) use link_list::LinkList;
pub(crate) use versions::event;

/// All that can be read. Each has one reader: another thread opens its own.
pub trait Ledger:
    RunLedger
    + DocumentLedger
    + VersionLedger
    + ChangeLedger
    + LinkLedger
    + StructureLedger
    + ThenLedger
    + ContentLedger
    + FollowLedger
    + LibraryLedger
    + Send
{
    /// Opens further ones, for other threads.
    fn opener(&self) -> Arc<dyn OpensLedgers>;

    /// From here on everything comes from one state of the store, also beside a running crawl. [`OneState`] calls it.
    fn hold(&self) -> Result<(), StoreError>;

    /// Each answer is as new as its call again.
    fn let_go(&self);
}

/// Whoever can open a ledger. What it gives sees all that was kept before it was opened.
pub trait OpensLedgers: Send + Sync {
    fn ledger(&self) -> Result<Box<dyn Ledger>, StoreError>;
}

/// What lies in a data folder, read beside whoever writes there: without its lock.
pub fn open(root: &Path) -> Result<Box<dyn Ledger>, StoreError> {
    crate::sqlite::read::open(root)
}

/// While it lives, all answers of a ledger come from one state of the store.
pub struct OneState<'l>(&'l dyn Ledger);

impl<'l> OneState<'l> {
    pub fn of(ledger: &'l dyn Ledger) -> Result<OneState<'l>, StoreError> {
        ledger.hold()?;
        Ok(OneState(ledger))
    }
}

impl Drop for OneState<'_> {
    fn drop(&mut self) {
        self.0.let_go();
    }
}

/// Rows of a page, where nobody asks for fewer.
const PAGE: usize = 4096;

/// Gives the rows behind one, or the first ones.
type NextPage<'l, T> = dyn FnMut(Option<&T>) -> Result<Vec<T>, StoreError> + 'l;

/// Pages as one sequence of rows: the next page is asked for when the last row of the one before was taken.
pub struct Pages<'l, T> {
    rows: std::vec::IntoIter<T>,
    next: Box<NextPage<'l, T>>,
    is_over: bool,
    /// Where the page that comes next begins.
    last: Option<T>,
}

impl<'l, T: Clone> Pages<'l, T> {
    /// `next` gives the rows behind one, or the first ones; an empty page is the end.
    fn new(next: impl FnMut(Option<&T>) -> Result<Vec<T>, StoreError> + 'l) -> Pages<'l, T> {
        Pages {
            rows: Vec::new().into_iter(),
            next: Box::new(next),
            is_over: false,
            last: None,
        }
    }
}

impl<T: Clone> Iterator for Pages<'_, T> {
    type Item = Result<T, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(row) = self.rows.next() {
            return Some(Ok(row));
        }
        if self.is_over {
            return None;
        }
        match (self.next)(self.last.as_ref()) {
            Ok(page) => {
                self.last = page.last().cloned();
                self.rows = page.into_iter();
                let row = self.rows.next();
                self.is_over = row.is_none();
                row.map(Ok)
            }
            Err(error) => {
                self.is_over = true;
                Some(Err(error))
            }
        }
    }
}
