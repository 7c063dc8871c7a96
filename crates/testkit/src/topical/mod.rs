//! A synthetic web about topics, with known truth: two hundred sites on and off a topic, their documents in many formats, copies,
//! traps, dead and moved hosts, a search service, and what is new at each epoch.
//!
//! It is made of the texts of the corpora, read at the start: pages show real texts of their topic, documents are built as real
//! ones of their genre are and speak of the topic, and real files of every genre stand among them. What a page says is a pure
//! function of (spec, seed, page, epoch); only the plan of the sites is kept (about 100 bytes a page).
//!
//! | file | what it answers |
//! |---|---|
//! | `spec` | how large, mixed of what |
//! | `corpus`, `vocabulary` | what is it made of; which words are a topic's own |
//! | `web`, `site`, `grow`, `naming`, `people` | which sites, pages and documents are there, what they are called, who links to whom |
//! | `parts`, `kinds` | which parts a site of each kind has |
//! | `works`, `drafts`, `voice`, `formats` | what a document says, how it is built, in whose words, and how it is written down |
//! | `page`, `titles` | what a page shows and is called |
//! | `truth` | what is true of an address |
//! | `server`, `admin`, `search`, `handle` | how it is served, asked for the truth, searched, and held by a test |
//! | `simulate` | what simple orders of fetching would find |

mod admin;
mod corpus;
mod drafts;
mod formats;
mod grow;
mod handle;
mod hosts;
mod kinds;
mod naming;
mod page;
mod parts;
mod people;
mod search;
mod server;
mod simulate;
mod site;
mod spec;
#[cfg(test)]
mod tests;
mod titles;
mod truth;
mod vocabulary;
mod voice;
mod web;
mod works;

pub use handle::{TopicFetch, TopicInfo, TopicSite, TopicTruth, TopicWeb};
pub use search::SearchMode;
pub use server::{TopicOptions, TopicReady, serve_topics_until};
pub use simulate::{WalkedOrder, good_sites, walk_orders};
pub use spec::{SiteKind, SiteMix, TopicSpec};
