//! The visible text of a page, cut into blocks as its reader sees it.
//!
//! In: a [`Tree`]. Out: [`Draft`]s in document order. The one idea: text that flows together is one block, and the block
//! belongs to the nearest element around it that breaks the line. A row of a data table is one block.

use super::shape;
use super::tags::Tag;
use super::tree::{Said, Tree};
use super::words::{self, Words};
use gleaner_model::{BlockKind, Url};
use std::collections::HashMap;

/// Longer paths keep their end and a hash of their beginning.
const PATH_BYTES_MAX: usize = 400;
/// A row with more text, or with more paragraphs in it, is part of a page's layout.
const ROW_BYTES_MAX: u32 = 4000;
const ROW_PARAGRAPHS_MAX: u32 = 12;
/// Text that stands directly in a `div` and is this long reads as a paragraph.
const PARAGRAPH_CHARS_MIN: usize = 60;
/// A page shows no more blocks than this; what follows counts in the digest of the tree only.
const BLOCKS_MAX: usize = 200_000;
const LINKS_PER_BLOCK_MAX: usize = 1000;

/// A block with what is needed to judge and to render it.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) path: String,
    pub(super) kind: BlockKind,
    pub(super) text: String,
    /// Bytes of the text that are inside links.
    pub(super) linked: usize,
    pub(super) links: Vec<String>,
    /// The element it belongs to.
    pub(super) owner: u32,
    /// Its nodes: all shown text in this range is its own.
    pub(super) from: u32,
    pub(super) to: u32,
}

/// Which nodes are left out besides the hidden ones.
pub(super) type IsIn<'a> = &'a dyn Fn(u32) -> bool;

pub(super) fn collect(tree: &Tree, base: &Url, is_in: IsIn<'_>) -> Vec<Draft> {
    let base = tree
        .base
        .and_then(|href| base.join(tree.str(href).trim()).ok())
        .unwrap_or_else(|| base.clone());
    let rows = data_rows(tree);
    let mut walk = Walk {
        tree,
        base,
        is_in,
        rows: &rows,
        open: Vec::new(),
        path: String::new(),
        ordinals: HashMap::default(),
        words: Words::default(),
        links: Vec::new(),
        linked: 0,
        from: u32::MAX,
        to: 0,
        breaks: 0,
        pre: 0,
        link_depth: 0,
        row: None,
        last_was_link: false,
        out: Vec::new(),
    };
    walk.run();
    walk.out
}

/// What a page without any visible text says of itself: a script would fill it, and this is all that was sent.
pub(super) fn description(tree: &Tree) -> Option<Draft> {
    let descriptions = tree.said.iter().filter(|(said, name, _)| {
        let name = tree.str(*name).to_ascii_lowercase();
        *said == Said::Meta && name.ends_with("description")
    });
    let texts = descriptions.map(|(_, _, content)| words::folded(tree.str(*content)));
    let text = texts.max_by_key(String::len).filter(|text| !text.is_empty())?;
    Some(Draft {
        path: "head/description".to_owned(),
        kind: BlockKind::Paragraph,
        text,
        linked: 0,
        links: Vec::new(),
        owner: 0,
        from: 0,
        to: 0,
    })
}

/// An open element.
struct Open {
    node: u32,
    end: u32,
    path_len: usize,
    /// Of the whole path so far.
    path_hash: u64,
    /// How many runs of text it has given blocks to.
    runs: u32,
}

struct Walk<'a> {
    tree: &'a Tree,
    base: Url,
    is_in: IsIn<'a>,
    rows: &'a [bool],
    open: Vec<Open>,
    path: String,
    /// (Hash of the parent's path, hash of the shape) → how many there were.
    ordinals: HashMap<u64, u32, foldhash::fast::FixedState>,
    words: Words,
    links: Vec<String>,
    linked: usize,
    from: u32,
    to: u32,
    /// Line breaks just seen: two of them part paragraphs.
    breaks: u32,
    pre: u32,
    link_depth: u32,
    /// Index in `open` of the data row that is being read.
    row: Option<usize>,
    last_was_link: bool,
    out: Vec<Draft>,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.tree.len() {
            self.close_until(at);
            let node = self.tree.node(at);
            let Some(tag) = node.tag else {
                if !node.is_hidden && (self.is_in)(at) {
                    self.text(at, self.tree.str(node.text));
                }
                at += 1;
                continue;
            };
            if node.is_hidden {
                at = node.end;
                continue;
            }
            self.enter(at, tag);
            at += 1;
        }
        self.close_until(u32::MAX);
        self.flush();
    }

    fn text(&mut self, at: u32, text: &str) {
        let before = self.words.len();
        if self.pre > 0 {
            self.words.push_lines(text);
        } else {
            self.words.push(text);
        }
        if self.words.len() > before {
            if self.link_depth > 0 {
                self.linked += self.words.len() - before;
            }
            if self.from == u32::MAX {
                self.from = at;
            }
            self.to = at + 1;
            self.breaks = 0;
            self.last_was_link = false;
        }
    }

    fn enter(&mut self, at: u32, tag: Tag) {
        let node = self.tree.node(at);
        if tag.breaks() && self.row.is_none() {
            self.flush();
        }
        match tag {
            Tag::Break => {
                if self.pre > 0 {
                    self.words.push_lines("\n");
                } else {
                    self.words.blank();
                    self.breaks += 1;
                    if self.breaks == 2 && self.row.is_none() {
                        self.flush();
                    }
                }
                return;
            }
            Tag::Input => {
                let label = self.tree.str(node.value);
                if !label.is_empty() && (self.is_in)(at) {
                    self.words.blank();
                    self.text(at, label);
                    self.words.blank();
                }
            }
            // Links side by side are parted by their style, if not by a blank.
            Tag::Link => {
                if self.last_was_link {
                    self.words.blank();
                }
                if node.is_link && (self.is_in)(at) {
                    self.link(self.tree.str(node.value));
                }
                self.link_depth += u32::from(leads_away(self.tree, at));
            }
            Tag::Cell if self.row.is_some() && !self.words.is_empty() => self.words.push_cell_border(),
            Tag::Pre => self.pre += 1,
            _ if tag.breaks() => self.words.blank(),
            _ => {}
        }
        let node = self.tree.node(at);
        let above = self.open.last().map_or(0, |open| open.path_hash);
        let path_len = self.path.len();
        let mut path_hash = above;
        // The flow's own elements own no block, and page and body are everywhere.
        if tag.breaks() && !matches!(tag, Tag::Html | Tag::Body) && self.row.is_none() {
            path_hash = self.step(at, above);
        }
        self.open.push(Open {
            node: at,
            end: node.end,
            path_len,
            path_hash,
            runs: 0,
        });
        if tag == Tag::Row && self.row.is_none() && self.rows[at as usize] {
            self.row = Some(self.open.len() - 1);
        }
    }

    /// Appends an element's shape and ordinal to the path.
    fn step(&mut self, at: u32, above: u64) -> u64 {
        let node = self.tree.node(at);
        if !self.path.is_empty() {
            self.path.push('/');
        }
        let before = self.path.len();
        shape::push(
            &node.name,
            self.tree.str(node.id),
            self.tree.str(node.text),
            &mut self.path,
        );
        let equals = mix(above, &self.path.as_bytes()[before..]);
        let ordinal = self.ordinals.entry(equals).or_default();
        *ordinal += 1;
        if *ordinal > 1 {
            self.path.push('[');
            self.path.push_str(&ordinal.to_string());
            self.path.push(']');
        }
        mix(above, &self.path.as_bytes()[before..])
    }

    fn close_until(&mut self, at: u32) {
        while let Some(top) = self.open.last() {
            if top.end > at {
                return;
            }
            let node = top.node;
            let tag = self.tree.tag(node).unwrap_or(Tag::Inline);
            if self.row == Some(self.open.len() - 1) {
                self.row = None;
            }
            if self.row.is_none() && tag.breaks() {
                self.flush();
            } else if tag.breaks() {
                self.words.blank();
            }
            match tag {
                Tag::Pre => self.pre -= 1,
                Tag::Link => {
                    self.link_depth -= u32::from(leads_away(self.tree, node));
                    self.last_was_link = true;
                }
                _ => {}
            }
            if let Some(top) = self.open.pop() {
                self.path.truncate(top.path_len);
            }
        }
    }

    fn link(&mut self, href: &str) {
        let href = href.trim();
        // Jumps within the page and scripts lead nowhere else.
        if href.is_empty() || href.starts_with('#') || self.links.len() >= LINKS_PER_BLOCK_MAX {
            return;
        }
        if let Ok(target) = self.base.join(href) {
            self.links.push(target.as_str().to_owned());
        } else if ["mailto:", "tel:"].iter().any(|scheme| {
            href.get(..scheme.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
        }) {
            self.links.push(href.to_owned());
        }
    }

    /// Ends the block under way.
    fn flush(&mut self) {
        self.breaks = 0;
        self.last_was_link = false;
        if self.words.is_empty() {
            // A link around blocks belongs to the first of them; one around a picture only has no words to go with.
            let around = self.links.pop().filter(|_| self.link_depth > 0);
            self.links.clear();
            self.links.extend(around);
            return;
        }
        let links = std::mem::take(&mut self.links);
        let linked = std::mem::take(&mut self.linked);
        let from = std::mem::replace(&mut self.from, u32::MAX);
        let text = if self.pre > 0 {
            self.words.take_lines()
        } else {
            self.words.take()
        };
        if text.bytes().all(|b| matches!(b, b' ' | b'|' | b'\n')) || self.out.len() >= BLOCKS_MAX {
            return;
        }
        let Some(index) = self.owner() else { return };
        let open = &mut self.open[index];
        open.runs += 1;
        let (owner, runs, path_hash) = (open.node, open.runs, open.path_hash);
        let path_end = self
            .open
            .get(index + 1)
            .map_or(self.path.len(), |inner| inner.path_len);
        let mut path = short(&self.path[..path_end], path_hash);
        if runs > 1 {
            path.push('~');
            path.push_str(&runs.to_string());
        }
        self.out.push(Draft {
            path,
            kind: self.kind(index, &text),
            linked: linked.min(text.len()),
            text,
            links,
            owner,
            from,
            to: self.to,
        });
    }

    /// The innermost open element that breaks the line.
    fn owner(&self) -> Option<usize> {
        if self.row.is_some() {
            return self.row;
        }
        self.open
            .iter()
            .rposition(|open| self.tree.tag(open.node).is_some_and(Tag::breaks))
            .or(if self.open.is_empty() { None } else { Some(0) })
    }

    fn kind(&self, index: usize, text: &str) -> BlockKind {
        if self.pre > 0 {
            return BlockKind::Code;
        }
        let owner = &self.open[index];
        let tag = self.tree.tag(owner.node).unwrap_or(Tag::Inline);
        // The first words of a list item are the item, whatever stands around them in it.
        let is_item = |tag| matches!(tag, Tag::Item | Tag::Term | Tag::Definition);
        match tag {
            Tag::Heading(_) => return BlockKind::Heading,
            Tag::Row => return BlockKind::Row,
            tag if is_item(tag) => return BlockKind::Item,
            _ => {}
        }
        for open in self.open[..index].iter().rev() {
            match self.tree.tag(open.node) {
                Some(Tag::Heading(_)) => return BlockKind::Heading,
                Some(tag) if is_item(tag) => {
                    let is_first = self.out.last().is_none_or(|last| last.from < open.node);
                    if is_first {
                        return BlockKind::Item;
                    }
                    break;
                }
                Some(Tag::Paragraph | Tag::Div | Tag::Inline | Tag::Link | Tag::Strong | Tag::Emphasis) => {}
                _ => break,
            }
        }
        match tag {
            Tag::Paragraph | Tag::Quote | Tag::Article | Tag::Section | Tag::Main | Tag::Body => {
                BlockKind::Paragraph
            }
            Tag::Div | Tag::Cell | Tag::Block | Tag::Form if text.len() >= PARAGRAPH_CHARS_MIN => {
                BlockKind::Paragraph
            }
            _ => BlockKind::Other,
        }
    }
}

/// A link to somewhere else, as opposed to an anchor or a jump within the page.
fn leads_away(tree: &Tree, at: u32) -> bool {
    let node = tree.node(at);
    node.is_link && !tree.str(node.value).trim_start().starts_with('#')
}

/// A path of bounded length.
fn short(path: &str, hash: u64) -> String {
    if path.len() <= PATH_BYTES_MAX {
        return path.to_owned();
    }
    let mut from = path.len() - PATH_BYTES_MAX / 2;
    while !path.is_char_boundary(from) {
        from += 1;
    }
    let tail = path[from..].split_once('/').map_or("", |(_, tail)| tail);
    format!("~{hash:016x}/{tail}")
}

/// Which rows hold data, as opposed to laying out a page.
fn data_rows(tree: &Tree) -> Vec<bool> {
    let mut is_row = vec![false; tree.len() as usize];
    if !tree.nodes.iter().any(|node| node.tag == Some(Tag::Row)) {
        return is_row;
    }
    // Sums up to each node, so that a subtree is a subtraction.
    let mut breakers = Vec::with_capacity(tree.nodes.len() + 1);
    let mut paragraphs = Vec::with_capacity(tree.nodes.len() + 1);
    let mut bytes = Vec::with_capacity(tree.nodes.len() + 1);
    let (mut b, mut p, mut n) = (0u32, 0u32, 0u32);
    for node in &tree.nodes {
        breakers.push(b);
        paragraphs.push(p);
        bytes.push(n);
        match node.tag {
            Some(tag) => {
                b += u32::from(tag.breaks_rows());
                p += u32::from(matches!(tag, Tag::Paragraph | Tag::Div));
            }
            None if !node.is_hidden => n += tree.str(node.text).len() as u32,
            None => {}
        }
    }
    breakers.push(b);
    paragraphs.push(p);
    bytes.push(n);
    for (at, node) in tree.nodes.iter().enumerate() {
        let end = node.end as usize;
        is_row[at] = node.tag == Some(Tag::Row)
            && breakers[end] == breakers[at]
            && paragraphs[end] - paragraphs[at] <= ROW_PARAGRAPHS_MAX
            && bytes[end] - bytes[at] <= ROW_BYTES_MAX;
    }
    is_row
}

/// FNV-1a going on from another hash: short keys, no secrets.
fn mix(from: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(from ^ 0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
