//! The headings of a page, and which of them belong to the site's frame.

use super::page::Page;
use super::visible::words_in;
use crate::content::tags::Tag;

const HEADINGS_MAX: usize = 60;
const BYTES_MAX: usize = 600;
/// Parts of classes and ids that hold the name of the site or of its menu.
const FRAMES: &[&str] = &[
    "menu",
    "logo",
    "sitetitle",
    "sitename",
    "navbar",
    "navigation",
    "blogname",
    "blogtitle",
    "branding",
    "masthead",
    "nav",
];

#[derive(Debug)]
pub(super) struct Heading {
    /// Its place in the tree.
    pub(super) at: u32,
    pub(super) level: u8,
    pub(super) text: String,
    /// It names the site, a menu or a box beside the page.
    pub(super) is_frame: bool,
    /// It is a link to the first page.
    pub(super) leads_home: bool,
}

pub(super) fn read(page: &Page<'_>, home: Option<&str>) -> Vec<Heading> {
    let tree = page.tree;
    let mut found = Vec::new();
    for at in 0..tree.len() {
        let node = tree.node(at);
        let Some(Tag::Heading(level @ 1..=3)) = node.tag else {
            continue;
        };
        if node.is_hidden {
            continue;
        }
        let text = words_in(tree, at, BYTES_MAX, false);
        if text.is_empty() {
            continue;
        }
        let is_home = |inner: u32| {
            let link = tree.node(inner);
            link.is_link && home.is_some() && page.address(tree.str(link.value)).as_deref() == home
        };
        let around = tree.upwards(at).skip(1).take(2).any(is_home);
        let leads_home = around || tree.inside(at).any(is_home);
        found.push(Heading {
            at,
            level,
            text,
            is_frame: leads_home
                || page.is_frame(at)
                || tree.upwards(at).take(2).any(|up| is_named(page, up)),
            leads_home,
        });
        if found.len() >= HEADINGS_MAX {
            break;
        }
    }
    found
}

fn is_named(page: &Page<'_>, at: u32) -> bool {
    let node = page.tree.node(at);
    if node.tag.is_some_and(Tag::is_page) {
        return false;
    }
    let is_one = |name: &str| {
        let joined: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let joined = joined.to_ascii_lowercase();
        FRAMES.contains(&joined.as_str())
            || name
                .split(['-', '_'])
                .any(|part| FRAMES.iter().any(|one| part.eq_ignore_ascii_case(one)))
    };
    let class = page.tree.str(node.text);
    let id = page.tree.str(node.id);
    class.split_ascii_whitespace().take(20).any(is_one) || is_one(id)
}
