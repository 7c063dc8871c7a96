//! Ids are their own types, so that the compiler refuses to mix them.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// What to collect.
    ProjectId
);
id!(
    /// One execution of a project.
    RunId
);
id!(
    /// A scheme, host name and port: the thing that has a robots.txt and a pace.
    HostId
);
id!(
    /// One canonical URL, fetched or only linked to.
    ResourceId
);
id!(
    /// One thing with one identity across runs, whatever its URL looked like that day.
    DocumentId
);
id!(
    /// What a document was at one time.
    VersionId
);
id!(
    /// A focused collection: a topic, its sites and what was made of their documents.
    LibraryId
);
