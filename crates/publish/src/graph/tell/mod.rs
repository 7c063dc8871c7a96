//! What can be asked of a graph, one file per question. Each answer is a table, or a few sentences with a table.

mod broken;
mod change;
mod components;
mod hosts;
mod mirrored;
mod rank;
mod route;
mod summary;
mod types;

pub use broken::{BrokenLinks, DeadEnd, broken, dead_ends};
pub use change::{Changes, changes};
pub(super) use components::BOW_TIE_CAVEAT;
pub use components::{ComponentsTold, components};
pub use hosts::hosts;
pub use mirrored::{MirrorTold, mirrored};
pub use rank::{RankBy, RankOptions, rank};
pub(super) use rank::{best, scores};
pub use route::{Route, near, route};
pub use summary::{Forecast, Summary, summary};
pub use types::types;
