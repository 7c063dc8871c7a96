//! A part of a page, named by CSS selectors: what is inside one of `include`, without what is inside one of `exclude`.
//!
//! In: checked [`Selectors`] and a page. Out: a [`RegionCut`]: the content of that part, its blocks under the same paths as in
//! the whole page, and the selectors that matched nothing, so that a page that lost its region is not taken for an empty
//! one (HC086).

use super::error::{SELECTOR_BYTES_MAX, SELECTORS_MAX, SelectorError};
use super::tree::Tree;
use super::{blocks, digest, finish, main_text};
use dom_query::{Matcher, NodeId};
use gleaner_model::{Content, Url};
use std::collections::HashSet;

/// Selectors that have been read and found right; made once, used for many pages.
#[derive(Debug, Clone, Default)]
pub struct Selectors {
    include: Vec<(String, Matcher)>,
    exclude: Vec<(String, Matcher)>,
}

impl Selectors {
    /// The part inside any of `include` (all of the page if there is none), without what is inside any of `exclude`.
    /// Selectors to ignore are selectors to exclude.
    pub fn check<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Selectors, SelectorError> {
        let count = include.len() + exclude.len();
        if count > SELECTORS_MAX {
            return Err(SelectorError::TooMany { count });
        }
        Ok(Selectors {
            include: include
                .iter()
                .map(|s| check(s.as_ref()))
                .collect::<Result<_, _>>()?,
            exclude: exclude
                .iter()
                .map(|s| check(s.as_ref()))
                .collect::<Result<_, _>>()?,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.include.is_empty() && self.exclude.is_empty()
    }
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionCut {
    /// With `include` selectors every block counts as main text: somebody said that this is what matters. The digest is
    /// that of the part's texts and links.
    pub content: Content,
    pub matched_nothing: Vec<String>,
}

pub(crate) fn check(selector: &str) -> Result<(String, Matcher), SelectorError> {
    if selector.len() > SELECTOR_BYTES_MAX {
        let mut end = 60;
        while !selector.is_char_boundary(end) {
            end -= 1;
        }
        return Err(SelectorError::TooLong {
            selector: format!("{}…", &selector[..end]),
        });
    }
    if selector.trim().is_empty() {
        return Err(SelectorError::Syntax {
            selector: selector.to_owned(),
            column: 1,
            problem: "it is empty",
        });
    }
    match Matcher::new(selector) {
        Ok(matcher) => Ok((selector.to_owned(), matcher)),
        Err(_) => Err(SelectorError::Syntax {
            selector: selector.to_owned(),
            column: understood(selector) + 1,
            problem: "this is not understood",
        }),
    }
}

/// How many characters in front make a selector by themselves: the parser does not say where it stopped.
fn understood(selector: &str) -> u32 {
    let ends = selector.char_indices().map(|(at, _)| at).enumerate().skip(1);
    ends.filter(|(_, end)| Matcher::new(&selector[..*end]).is_ok())
        .map(|(count, _)| count as u32)
        .last()
        .unwrap_or(0)
}

/// Where a node stands in respect of the selectors.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Outside,
    Inside,
    /// Excluded, with all that is in it.
    Out,
}

/// Cuts the part out of a page of HTML.
pub fn region(html: &str, base: &Url, selectors: &Selectors) -> RegionCut {
    let (mut tree, document) = Tree::read_with_document(html);
    let mut matched_nothing = Vec::new();
    let mut matches = |list: &[(String, Matcher)]| {
        let mut found: HashSet<NodeId> = HashSet::new();
        for (selector, matcher) in list {
            let selection = document.select_matcher(matcher);
            if selection.is_empty() {
                matched_nothing.push(selector.clone());
            }
            found.extend(selection.nodes().iter().map(|node| node.id));
        }
        found
    };
    let include = matches(&selectors.include);
    let exclude = matches(&selectors.exclude);
    let has_include = !selectors.include.is_empty();
    let mut places: Vec<Place> = Vec::with_capacity(tree.nodes.len());
    for (node, id) in tree.nodes.iter().zip(&tree.ids) {
        let around = places
            .get(node.parent as usize)
            .copied()
            .unwrap_or(if has_include {
                Place::Outside
            } else {
                Place::Inside
            });
        places.push(if around == Place::Out || exclude.contains(id) {
            Place::Out
        } else if include.contains(id) {
            Place::Inside
        } else {
            around
        });
    }
    let drafts = blocks::collect(&tree, base, &|at| places[at as usize] == Place::Inside);
    let marks = if has_include {
        main_text::all(&tree, &drafts, &|at| places[at as usize] == Place::Inside)
    } else {
        main_text::mark(&tree, &drafts, base, &main_text::Repeats::default())
    };
    let mut hasher = blake3::Hasher::new();
    for draft in &drafts {
        hasher.update(draft.text.as_bytes());
        for link in &draft.links {
            hasher.update(b"\n").update(link.as_bytes());
        }
        hasher.update(b"\0");
    }
    tree.normal_digest = digest::cut(&hasher);
    RegionCut {
        content: finish(&tree, drafts, marks),
        matched_nothing,
    }
}
