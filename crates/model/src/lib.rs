//! The words of Gleaner: what every other room says and none of them owns.
//!
//! Values only: no I/O, no clock, no randomness of its own ([`clock`] and [`chance`] are the doors
//! through which those come in). Every room depends on this one; this one depends on none.

pub mod chance;
pub mod clock;
pub mod content;
pub mod date;
pub mod defaults;
pub mod host_state;
pub mod ids;
pub mod library;
pub mod link;
pub mod measure;
pub mod modified;
pub mod project;
pub mod reason;
pub mod schedule;
pub mod state;
pub mod steps;
pub mod url;

pub use chance::Chance;
pub use clock::{Clock, Instant, Timestamp};
pub use content::{Block, BlockKind, Content, EXTRACTOR};
pub use host_state::{HostPaceState, HostState};
pub use ids::{DocumentId, HostId, LibraryId, ProjectId, ResourceId, RunId, VersionId};
pub use link::{Link, LinkKind};
pub use modified::Modified;
pub use project::{Project, ScopeKind};
pub use reason::{Reason, Remedy};
pub use state::State;
pub use steps::{Leg, Step};
pub use url::{GivenUrl, Url, UrlError, UrlKey};
