//! What a page holds besides its text: pictures, film and sound, links, tables. In document order, each list bounded.

use super::super::tags::Tag;
use super::super::tree::Tree;
use super::Page;
use super::visible::words_in;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

const IMAGES_MAX: usize = 5000;
const MEDIA_MAX: usize = 1000;
const LINKS_MAX: usize = 20_000;
const TABLES_MAX: usize = 200;
/// Of all tables of a page together.
const CELLS_MAX: usize = 50_000;
const LABEL_BYTES_MAX: usize = 400;
const CELL_BYTES_MAX: usize = 2000;

/// A picture: its whole address, and what is written in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageImage {
    pub src: String,
    #[serde(default)]
    pub alt: String,
}

/// Something that plays or is embedded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageMedium {
    /// The element that holds it: `video`, `audio`, `iframe`, `embed` or `object`.
    pub kind: String,
    pub src: String,
    #[serde(default)]
    pub title: String,
}

/// A link to be followed: its whole address and its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageLink {
    pub href: String,
    #[serde(default)]
    pub anchor: String,
}

/// Rows of cells.
pub type PageTable = Vec<Vec<String>>;

#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) images: Vec<PageImage>,
    pub(super) media: Vec<PageMedium>,
    pub(super) links: Vec<PageLink>,
    pub(super) tables: Vec<PageTable>,
}

impl Parts {
    pub(super) fn read(page: &Page<'_>) -> Parts {
        let tree = page.tree;
        let mut parts = Parts::default();
        let mut seen: HashSet<String> = HashSet::new();
        for at in 0..tree.len() {
            let node = tree.node(at);
            match node.tag {
                Some(Tag::Image) if parts.images.len() < IMAGES_MAX => {
                    let src = page.address(tree.str(node.value));
                    parts.images.extend(src.map(|src| PageImage {
                        src,
                        alt: short(tree.str(node.label)),
                    }));
                }
                Some(Tag::Link) if node.is_link && parts.links.len() < LINKS_MAX => {
                    let href = page.address(tree.str(node.value));
                    parts.links.extend(href.map(|href| PageLink {
                        href,
                        anchor: words_of_link(tree, at),
                    }));
                }
                Some(_) if parts.media.len() < MEDIA_MAX => {
                    let medium = medium(page, at).filter(|medium| seen.insert(medium.src.clone()));
                    parts.media.extend(medium);
                }
                _ => {}
            }
        }
        parts.tables = tables(tree);
        parts
    }
}

fn short(text: &str) -> String {
    super::cut(&super::folded(text), LABEL_BYTES_MAX).to_owned()
}

/// The words of a link, or those of the picture in it.
fn words_of_link(tree: &Tree, at: u32) -> String {
    let words = words_in(tree, at, LABEL_BYTES_MAX, true);
    if !words.is_empty() {
        return words;
    }
    let picture = tree.inside(at).find(|inner| tree.tag(*inner) == Some(Tag::Image));
    picture.map_or_else(String::new, |inner| short(tree.str(tree.node(inner).label)))
}

fn medium(page: &Page<'_>, at: u32) -> Option<PageMedium> {
    let node = page.tree.node(at);
    let (kind, attribute) = match &*node.name {
        "video" | "audio" | "iframe" | "embed" => (&*node.name, "src"),
        "object" => ("object", "data"),
        // One film in several formats is several addresses.
        "source" => {
            let above = &*page.tree.nodes.get(node.parent as usize)?.name;
            if !matches!(above, "video" | "audio") {
                return None;
            }
            (above, "src")
        }
        _ => return None,
    };
    let written = page
        .attribute(at, attribute)
        .filter(|written| !written.trim().is_empty())
        .or_else(|| page.attribute(at, "data-src"))?;
    let around = if &*node.name == "source" { node.parent } else { at };
    let title = page
        .attribute(around, "title")
        .or_else(|| page.attribute(around, "aria-label"));
    Some(PageMedium {
        kind: kind.to_owned(),
        src: page.address(&written)?,
        title: title.map(|title| short(&title)).unwrap_or_default(),
    })
}

/// Tables that hold data: those around other tables lay out the page.
fn tables(tree: &Tree) -> Vec<PageTable> {
    let mut tables = Vec::new();
    let mut cells_left = CELLS_MAX;
    let mut at = 0;
    while at < tree.len() && tables.len() < TABLES_MAX && cells_left > 0 {
        let node = tree.node(at);
        let is_table = node.tag == Some(Tag::Table) && !node.is_hidden;
        if !is_table || tree.inside(at).any(|inner| tree.tag(inner) == Some(Tag::Table)) {
            at += 1;
            continue;
        }
        let mut rows: PageTable = Vec::new();
        for inner in tree.inside(at) {
            match tree.tag(inner) {
                Some(Tag::Row) => rows.push(Vec::new()),
                Some(Tag::Cell) if cells_left > 0 => {
                    cells_left -= 1;
                    let text = words_in(tree, inner, CELL_BYTES_MAX, false);
                    if let Some(row) = rows.last_mut() {
                        row.push(text);
                    }
                }
                _ => {}
            }
        }
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        if rows.iter().map(Vec::len).sum::<usize>() > 1 {
            tables.push(rows);
        }
        at = node.end;
    }
    tables
}
