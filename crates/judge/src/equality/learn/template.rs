//! Which pages are made from one mould? In: a content and the shape of its URL's path. Out: a [`Template`]; two are the
//! same mould when the shapes agree and most kinds of blocks are found in both.
//!
//! Kinds are told by tags alone: names of classes may be others in each answer, and what comes and goes must not make
//! another mould of a page.

use super::place::{tags, without_ordinals};
use crate::equality::sketch::simhash;
use gleaner_model::Content;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64;

/// Bits in which two simhashes of one mould may differ.
const DISTANCE_MAX: u32 = 6;
/// The share of all kinds that both must have, in percent.
const LIKENESS_MIN: usize = 50;
/// Kinds that are looked at: the least hashes, so that both sides look at the same.
const KINDS_MAX: usize = 64;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The URL's path with what varies cut out, such as `/story/*`.
    pub path_shape: String,
    /// Of the block paths. Memories from before kinds were kept have nothing else.
    pub simhash: u64,
    /// Hashes of the kinds of blocks, rising.
    #[serde(default)]
    kinds: Vec<u32>,
}

impl Template {
    pub fn is_same(&self, other: &Template) -> bool {
        self.likeness(other).is_some()
    }

    /// How alike they are, in percent; none where they are different moulds.
    pub(super) fn likeness(&self, other: &Template) -> Option<usize> {
        if self.path_shape != other.path_shape {
            return None;
        }
        if self.kinds.is_empty() || other.kinds.is_empty() {
            return ((self.simhash ^ other.simhash).count_ones() <= DISTANCE_MAX).then_some(100);
        }
        let all: BTreeSet<&u32> = self.kinds.iter().chain(&other.kinds).collect();
        let in_both = |kind: &&&u32| self.kinds.contains(**kind) && other.kinds.contains(**kind);
        let shared = all.iter().take(KINDS_MAX).filter(in_both).count();
        let likeness = 100 * shared / all.len().min(KINDS_MAX);
        (likeness >= LIKENESS_MIN).then_some(likeness)
    }

    /// Learns the kinds of a template that was remembered without.
    pub(super) fn refresh(&mut self, from: &Template) {
        if self.kinds.is_empty() {
            self.kinds.clone_from(&from.kinds);
        }
    }
}

/// The template of a page. How often a block repeats does not matter: a story with ten comments is a story.
pub fn template_of(content: &Content, path_shape: &str) -> Template {
    let blocks = || content.blocks.iter();
    let paths: BTreeSet<String> = blocks().map(|block| without_ordinals(&block.path)).collect();
    let kinds: BTreeSet<u32> = blocks()
        .map(|block| xxh3_64(tags(&block.path).as_bytes()) as u32)
        .collect();
    Template {
        path_shape: path_shape.to_owned(),
        simhash: simhash(paths.iter().map(|path| xxh3_64(path.as_bytes()))),
        kinds: kinds.into_iter().take(KINDS_MAX).collect(),
    }
}
