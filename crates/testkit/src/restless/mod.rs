//! Pages that never come twice the same: many kinds of noise at once around one article, and edits right beside it (B6).
//!
//! In: a seed. Out: a [`RestlessPage`] that can be rendered for any fetch, with or without an edit. Unlike
//! [`crate::mutate`], which puts noise into real pages, the whole page is made here, so that every element can be
//! named by chance and every paragraph can stand beside something that rotates.
//!
//! | file | what it makes |
//! |---|---|
//! | `page` | the article and the layout around it |
//! | `naming` | ids and classes: plain, of tests of variants, hashed, hexadecimal |
//! | `widgets` | clocks, counters, teasers, advertisements, greetings … |
//! | `edit` | what an author changes |
//! | `words` | texts that read like texts |

mod edit;
mod naming;
mod page;
mod widgets;
mod words;

pub use edit::{ArticleEdit, ArticleEditKind};
pub use page::RestlessPage;
pub use widgets::Widget;
