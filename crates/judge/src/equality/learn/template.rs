//! Which pages are made from one mould? In: a content and the shape of its URL's path. Out: a [`Template`]; two are the
//! same mould when the shapes agree and the simhashes of their block paths are near.

use super::place::without_ordinals;
use crate::equality::sketch::simhash;
use gleaner_model::Content;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64;

/// Bits in which two simhashes of one mould may differ.
const DISTANCE_MAX: u32 = 6;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The URL's path with what varies cut out, such as `/story/*`.
    pub path_shape: String,
    pub simhash: u64,
}

impl Template {
    pub fn is_same(&self, other: &Template) -> bool {
        self.path_shape == other.path_shape && (self.simhash ^ other.simhash).count_ones() <= DISTANCE_MAX
    }
}

/// The template of a page. How often a block repeats does not matter: a story with ten comments is a story.
pub fn template_of(content: &Content, path_shape: &str) -> Template {
    let paths: BTreeSet<String> = content
        .blocks
        .iter()
        .map(|block| without_ordinals(&block.path))
        .collect();
    Template {
        path_shape: path_shape.to_owned(),
        simhash: simhash(paths.iter().map(|path| xxh3_64(path.as_bytes()))),
    }
}
