//! Files of ours in a folder: which names do they get, whose are those that lie there, and how are they kept up to date?
//!
//! | file | idea |
//! |---|---|
//! | `names` | from a URL to a path that is readable, and possible on every system |
//! | `types` | the end of a name that fits a media type |
//! | `atlas` | every document its own path, the same one in every update |
//! | `folder` | what lies in the folder, and how it is changed |
//! | `whole` | a file that is there whole or not at all |

pub(crate) mod atlas;
pub(crate) mod folder;
pub(crate) mod names;
mod types;
pub(crate) mod whole;
