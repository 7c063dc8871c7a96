//! Where in a page does a block stand? In: its path (`div#main/ul.related/li[2]`). Out: the path in a form that stays the
//! same from look to look, and the groups of siblings that the block belongs to.
//!
//! Names that a look does not share with the next one (tests of variants, ids and classes made anew for each answer) are
//! left out, and so are elements that only wrap: what then is left is what the page's author wrote.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Names of ids and classes that come and go.
pub(super) type Names = BTreeSet<String>;

/// Elements that mean nothing by themselves.
const WRAPPERS: [&str; 4] = ["div", "section", "span", "center"];

/// One element of a path: `ul.related.small[2]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Element<'p> {
    pub(super) tag: &'p str,
    /// With their signs: `#id` or `.class.class`.
    names: &'p str,
    /// Which of its equals it is, and which run of text in it: `[2]~3`.
    ordinal: &'p str,
}

impl<'p> Element<'p> {
    fn of(text: &'p str) -> Element<'p> {
        let end = text.find(['[', '~']).unwrap_or(text.len());
        let (shape, ordinal) = text.split_at(end);
        let (tag, names) = shape.split_at(shape.find(['#', '.']).unwrap_or(end));
        Element { tag, names, ordinal }
    }

    pub(super) fn names(self) -> impl Iterator<Item = &'p str> {
        self.names.split(['#', '.']).filter(|name| !name.is_empty())
    }

    fn is_bare_wrapper(self, unstable: &Names) -> bool {
        self.ordinal.is_empty()
            && WRAPPERS.contains(&self.tag)
            && self.names().all(|name| kept_of(name, unstable).is_none())
    }
}

/// What of a name lasts: all, or the head of one that has an ending.
fn kept_of<'p>(name: &'p str, unstable: &Names) -> Option<&'p str> {
    if unstable.contains(name) {
        head_of(name)
    } else {
        Some(name)
    }
}

/// The head of a name that a build may have given an ending to: `Card-title` of `Card-title-xKs`, which was
/// `Card_title__xKs2`.
pub(super) fn head_of(name: &str) -> Option<&str> {
    let (head, _) = name.rsplit_once('-')?;
    head.contains('-').then_some(head)
}

/// The elements of a path from the outermost to the block itself.
///
/// A long path begins with `~` and a hash of what was cut off it; that hash says nothing of what holds the block.
pub(super) fn elements(path: &str) -> impl DoubleEndedIterator<Item = Element<'_>> {
    let path = match path.split_once('/') {
        Some((first, rest)) if first.starts_with('~') => rest,
        _ => path,
    };
    path.split('/').map(Element::of)
}

/// The path without unstable names and without elements that only wrap.
pub(super) fn steady<'p>(path: &'p str, unstable: &Names) -> Cow<'p, str> {
    let is_steady = !path.starts_with('~')
        && elements(path).all(|element| {
            !element.is_bare_wrapper(unstable) && !element.names().any(|name| unstable.contains(name))
        });
    if is_steady {
        return Cow::Borrowed(path);
    }
    let count = elements(path).count();
    let mut out = String::with_capacity(path.len());
    for (at, element) in elements(path).enumerate() {
        // The block's own element stays: it may be all there is.
        if at + 1 < count && element.is_bare_wrapper(unstable) {
            continue;
        }
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(element.tag);
        let before = out.len();
        let mut signs = element.names.split_inclusive(|sign| "#.".contains(sign));
        let mut sign = signs.next().unwrap_or_default();
        for part in signs {
            let name = part.trim_end_matches(['#', '.']);
            if let Some(kept) = kept_of(name, unstable) {
                out.push_str(sign);
                out.push_str(kept);
            }
            sign = &part[name.len()..];
        }
        if out.len() == before && !element.names.is_empty() && !WRAPPERS.contains(&element.tag) {
            out.push_str(".*"); // It has a name, if not twice the same.
        }
        out.push_str(element.ordinal);
    }
    Cow::Owned(out)
}

/// The groups of siblings that a block belongs to, nearest first: the path up to one of its elements, without saying which
/// of its equals that is. `ul.related/li[2]` belongs to `ul.related/li` and `ul.related`. Each holds all blocks of the one
/// before.
pub(super) fn groups(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.rmatch_indices('/').map(|(at, _)| at);
    std::iter::once(path.len()).chain(ends).map(|end| {
        let upto = &path[..end];
        let last = upto.rfind('/').map_or(0, |at| at + 1);
        let cut = upto[last..].find(['[', '~']).map_or(end, |at| last + at);
        &path[..cut]
    })
}

/// What kind of block it is by its elements alone: neither names nor places nor wrappers.
pub(super) fn tags(path: &str) -> String {
    let mut out = String::new();
    for element in elements(path).filter(|element| !WRAPPERS.contains(&element.tag)) {
        out.push_str(element.tag);
        out.push('/');
    }
    out
}

/// The path without ordinals.
pub(super) fn without_ordinals(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut inside = false;
    for character in path.chars() {
        match character {
            '[' => inside = true,
            ']' => inside = false,
            other if !inside => out.push(other),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_wraps_and_what_does_not_last_is_left_out() {
        let unstable: Names = ["variant-a", "kzrea", "Card-title-xKs"].map(str::to_owned).into();
        let cases = [
            ("div#main/ul.related/li[2]", "div#main/ul.related/li[2]"),
            ("div.variant-a/ul.related/li", "ul.related/li"),
            ("div.page.variant-a/p", "div.page/p"),
            ("div/div[2]/p", "div[2]/p"),
            ("ul.kzrea/li[3]", "ul.*/li[3]"),
            ("ul#kzrea/li[3]", "ul.*/li[3]"),
            ("div.kzrea", "div"),
            ("div.Card-title-xKs/p", "div.Card-title/p"),
            ("~00ff/div.kzrea/p~2", "p~2"),
        ];
        for (path, expected) in cases {
            assert_eq!(steady(path, &unstable), expected, "{path}");
        }
    }

    #[test]
    fn a_block_belongs_to_its_equals_and_to_those_of_what_holds_it() {
        let found: Vec<&str> = groups("section.more/div.card[3]/p[2]~2").collect();
        assert_eq!(
            found,
            [
                "section.more/div.card[3]/p",
                "section.more/div.card",
                "section.more"
            ]
        );
    }
}
