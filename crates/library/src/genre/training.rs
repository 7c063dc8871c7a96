//! For the command that makes the model, and for none else.

pub use super::judge::{Judge, Seen};
pub use super::model::{
    GenreLine, GenreModel, GenreView, Mixture, PartsSaid, Scale, accepted, model, shares,
};
pub use super::trees::{GenreNode, GenreTree};
pub use super::words::{GENRES, GenreWeights, KnownWord, WordCounts, bucket, counts, direction};

/// Stands for a number that is not known.
pub const MISSING: f32 = super::features::MISSING;
