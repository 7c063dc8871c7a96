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

/// The shape of a URL's path: the last segment and those with digits are what varies, the rest is the place.
pub fn path_shape(path: &str) -> String {
    let mut shape = String::with_capacity(path.len());
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        let varies = is_last || segment.bytes().any(|byte| byte.is_ascii_digit()) || segment.len() > 40;
        shape.push('/');
        match (varies, segment.rsplit_once('.')) {
            (false, _) => shape.push_str(segment),
            (true, Some((_, extension))) if is_last && extension.len() <= 5 => {
                shape.push_str("*.");
                shape.push_str(extension);
            }
            (true, _) => shape.push('*'),
        }
    }
    shape
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

#[cfg(test)]
mod tests {
    use super::path_shape;

    #[test]
    fn shapes_keep_the_place_and_drop_the_name() {
        let cases = [
            ("/", "/*"),
            ("/story/17", "/story/*"),
            ("/2024/05/news/a-long-day.html", "/*/*/news/*.html"),
            ("/index.php", "/*.php"),
        ];
        for (path, shape) in cases {
            assert_eq!(path_shape(path), shape, "{path}");
        }
    }
}
