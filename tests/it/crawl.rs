//! A crawl from its first URL to its report: scope, limits, types, states, and a site whose every page is known.

mod bodies;
mod cookies;
mod known;
mod limits;
mod nothing;
mod patience;
mod places;
mod scope;
mod slow;
mod states;
mod types;
