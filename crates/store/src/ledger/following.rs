//! Who follows the changes of the store: an index, a library, a feed.
//!
//! What an open run found may still be taken back: a document that is none, a page that only moved. So followers are told of
//! runs that have finished, one after the other in the order in which they did, and of each its changes in the order in which
//! they were found. A place in that order is a [`FollowPosition`]; whoever keeps it, here or beside its own rows, goes on from there.

use super::ChangeId;
use crate::StoreError;
use gleaner_model::{DocumentId, ProjectId, Reason, ResourceId, RunId, State, VersionId};
use std::fmt;
use std::str::FromStr;

/// A place in the changes of all finished runs: what lies behind it was not read yet. The first one is the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct FollowPosition {
    /// Which of the finished runs, counted from 1.
    pub(crate) finished: i64,
    pub(crate) change: i64,
}

/// As people and programs keep it: `3.127`.
impl fmt::Display for FollowPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.finished, self.change)
    }
}

impl FromStr for FollowPosition {
    type Err = ();

    fn from_str(text: &str) -> Result<FollowPosition, ()> {
        let (finished, change) = text.split_once('.').ok_or(())?;
        Ok(FollowPosition {
            finished: finished.parse().map_err(|_| ())?,
            change: change.parse().map_err(|_| ())?,
        })
    }
}

/// A change as followers read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowedChange {
    /// Behind this change.
    pub position: FollowPosition,
    pub change: ChangeId,
    pub project: ProjectId,
    pub run: RunId,
    pub resource: ResourceId,
    pub url: String,
    pub state: State,
    pub document: Option<DocumentId>,
    /// The version that the run kept, as long as it is.
    pub version: Option<VersionId>,
    pub reason: Option<Reason>,
    pub is_orphan: bool,
    /// The address it had before.
    pub moved_from: Option<String>,
}

pub trait FollowLedger {
    /// Changes behind a position; none where all was read.
    fn changes_after(
        &self,
        position: FollowPosition,
        limit: usize,
    ) -> Result<Vec<FollowedChange>, StoreError>;

    /// How far a follower said that it has come; the beginning where it never said so.
    fn position(&self, follower: &str) -> Result<FollowPosition, StoreError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_back() {
        let position = FollowPosition {
            finished: 3,
            change: 127,
        };
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!("3".parse::<FollowPosition>(), Err(()));
        assert_eq!("3.x".parse::<FollowPosition>(), Err(()));
    }
}
