//! For the command that makes the model, and for none else.

pub use super::judge::{Judge, Seen};
pub use super::model::{Line, Mixture, Model, Said, Scale, View, accepted, model, shares};
pub use super::trees::{Node, Tree};
pub use super::words::{Counts, GENRES, Known, Weights, bucket, counts, direction};

/// Stands for a number that is not known.
pub const MISSING: f32 = super::features::MISSING;
