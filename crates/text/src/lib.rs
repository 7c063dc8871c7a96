//! What do the kept documents say? (F4, F5, J2, J4)
//!
//! Brings together what is kept (`store`), how it is read (`parse`, `readers`) and how it is found (`search`). Text is derived: it lies
//! in `derived/` beside the catalog, made when somebody needs it, and may be thrown away at any time. A crawl pays nothing.
//!
//! ```text
//!  store: versions in order ──► read::read (parse, readers) ──► Text ──┬─► texts (derived/texts.db)
//!                                                            └─► index (derived/index-N), committed with its position
//!  question ──► search ──► versions ──► joined with the store: newest? state? ──► answers with snippets from the texts
//! ```

pub mod chunks;
mod concepts;
mod error;
mod find;
mod follow;
mod history;
mod made;
mod processors;
mod read;
mod sites;
mod suggest;

pub use concepts::ProjectTexts;
pub use error::TextError;
pub use find::{Facets, Finder, SearchFilter, SearchHit, When};
pub use follow::{FollowProgress, Follower, forget_departed, index_folder, rebuild};
pub use history::{Happening, Turn};
pub use made::{Maker, Said};
pub use read::{EXTRACTOR, Passage, Text, given, is_page, is_page_part, read};
pub use suggest::Suggestion;
