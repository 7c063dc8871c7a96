//! A page as Markdown: headings, lists, tables, links, code. One block a line or paragraph, so a small edit is a small
//! difference. In: the tree and its blocks. Out: text.

use super::blocks::{self, Draft};
use super::main_text::{self, Repeats};
use super::tags::Tag;
use super::tree::Tree;
use super::words::{Words, folded};
use gleaner_model::{BlockKind, Url};
use std::ops::Range;

/// How much of a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The main text, or everything if there is none.
    Main,
    Whole,
}

/// Renders HTML as Markdown.
pub fn markdown(html: &str, page_url: &Url, part: Part) -> String {
    let tree = Tree::read_to_show(html);
    let base = tree
        .base
        .and_then(|href| page_url.join(tree.str(href).trim()).ok())
        .unwrap_or_else(|| page_url.clone());
    let drafts = blocks::collect(&tree, &base, &|_| true);
    let mut is_wanted = match part {
        Part::Main => main_text::mark(&tree, &drafts, page_url, &Repeats::default())
            .iter()
            .map(|mark| mark.is_main)
            .collect(),
        Part::Whole => vec![true; drafts.len()],
    };
    if !is_wanted.contains(&true) {
        is_wanted.fill(true);
    }
    let mut page = Page {
        tree: &tree,
        base: &base,
        out: String::new(),
        last: None,
        table: None,
    };
    for (nth, draft) in drafts.iter().enumerate() {
        if !is_wanted[nth] {
            continue;
        }
        let before = nth.checked_sub(1).map(|before| &drafts[before]);
        let after = drafts.get(nth + 1);
        // What stands between two blocks belongs to the text if both of them do.
        let is_inner = nth
            .checked_sub(1)
            .map_or(part == Part::Whole, |before| is_wanted[before]);
        if is_inner {
            page.pictures_between(before, Some(draft));
        }
        page.add(draft, &reach(&tree, before, draft, after));
    }
    if part == Part::Whole {
        page.pictures_between(drafts.last(), None);
    }
    page.out
}

/// The nodes whose pictures are a block's own: those in its element, up to the blocks around it.
fn reach(tree: &Tree, before: Option<&Draft>, draft: &Draft, after: Option<&Draft>) -> Range<u32> {
    let inside = tree.inside(draft.owner);
    let from = before.map_or(inside.start, |before| before.to.max(inside.start));
    let to = after.map_or(inside.end, |after| after.from.min(inside.end));
    from.min(draft.from)..to.max(draft.to)
}

struct Page<'a> {
    tree: &'a Tree,
    base: &'a Url,
    out: String,
    /// Kind of the block before.
    last: Option<BlockKind>,
    /// The table of the row before.
    table: Option<u32>,
}

impl Page<'_> {
    fn add(&mut self, draft: &Draft, reach: &Range<u32>) {
        let is_list_goes_on = self.last == Some(BlockKind::Item) && draft.kind == BlockKind::Item;
        let table = (draft.kind == BlockKind::Row)
            .then(|| self.around(draft.owner, |tag| tag == Tag::Table))
            .flatten();
        let is_table_goes_on = table.is_some() && table == self.table;
        if !self.out.is_empty() && !is_list_goes_on && !is_table_goes_on {
            self.out.push('\n');
        }
        for _ in 0..self.count(draft.owner, |tag| tag == Tag::Quote) {
            self.out.push_str("> ");
        }
        match draft.kind {
            BlockKind::Heading => {
                let level = self
                    .tree
                    .upwards(draft.owner)
                    .find_map(|at| match self.tree.tag(at) {
                        Some(Tag::Heading(level)) => Some(level),
                        _ => None,
                    })
                    .unwrap_or(2);
                self.out.push_str(&"######"[..usize::from(level.min(6))]);
                self.out.push(' ');
                self.flow(draft, reach);
            }
            BlockKind::Item => {
                let depth = self.count(draft.owner, |tag| matches!(tag, Tag::List | Tag::OrderedList));
                for _ in 1..depth.min(20) {
                    self.out.push_str("  ");
                }
                // Numbers are left to the reader's program: an item put in front then changes one line, not all.
                let is_ordered = self
                    .around(draft.owner, |tag| matches!(tag, Tag::List | Tag::OrderedList))
                    .is_some_and(|at| self.tree.tag(at) == Some(Tag::OrderedList));
                self.out.push_str(if is_ordered { "1. " } else { "- " });
                self.flow(draft, reach);
            }
            BlockKind::Code => {
                let fence = if draft.text.contains("```") { "~~~~" } else { "```" };
                for piece in [fence, "\n", &draft.text, "\n", fence] {
                    self.out.push_str(piece);
                }
            }
            BlockKind::Row => self.row(draft, is_table_goes_on),
            BlockKind::Paragraph | BlockKind::Other => self.flow(draft, reach),
        }
        self.out.push('\n');
        self.last = Some(draft.kind);
        self.table = table;
    }

    fn row(&mut self, draft: &Draft, goes_on: bool) {
        // The cells are read again, because a bar in one of them looks like a border in the block's text.
        let cells: Vec<String> = self.cells(draft);
        self.out.push('|');
        for cell in &cells {
            self.out.push(' ');
            self.out.push_str(&cell.replace('|', "\\|"));
            self.out.push_str(" |");
        }
        if !goes_on {
            self.out.push_str("\n|");
            for _ in &cells {
                self.out.push_str(" --- |");
            }
        }
    }

    /// The texts of the cells of a row; the row's own text where it has none.
    fn cells(&self, draft: &Draft) -> Vec<String> {
        let range = self.tree.inside(draft.owner);
        let is_cell = |at: &u32| self.tree.tag(*at) == Some(Tag::Cell) && !self.tree.node(*at).is_hidden;
        let cells: Vec<String> = range
            .filter(is_cell)
            .map(|at| {
                let inside = self.tree.inside(at);
                self.flowing(at, &inside, &inside)
            })
            .collect();
        if cells.is_empty() {
            vec![draft.text.clone()]
        } else {
            cells
        }
    }

    fn around(&self, from: u32, is_it: impl Fn(Tag) -> bool) -> Option<u32> {
        self.tree
            .upwards(from)
            .find(|at| self.tree.tag(*at).is_some_and(&is_it))
    }

    fn count(&self, from: u32, is_it: impl Fn(Tag) -> bool) -> usize {
        self.tree
            .upwards(from)
            .filter(|at| self.tree.tag(*at).is_some_and(&is_it))
            .count()
    }

    /// Pictures that stand by themselves, each a paragraph.
    fn pictures_between(&mut self, before: Option<&Draft>, after: Option<&Draft>) {
        let from = before.map_or(0, |draft| draft.to);
        let to = after.map_or(self.tree.len(), |draft| draft.from);
        let is_of = |draft: Option<&Draft>, at| {
            draft.is_some_and(|draft| {
                draft.kind != BlockKind::Code && self.tree.inside(draft.owner).contains(&at)
            })
        };
        let alone: Vec<String> = (from..to)
            .filter(|at| !is_of(before, *at) && !is_of(after, *at))
            .filter_map(|at| self.picture(at))
            .collect();
        for picture in alone {
            if !self.out.is_empty() {
                self.out.push('\n');
            }
            self.out.push_str(&picture);
            self.out.push('\n');
            (self.last, self.table) = (Some(BlockKind::Other), None);
        }
    }

    /// A picture with the words that stand for it; none for pixels that only count and for pictures inside the page itself.
    fn picture(&self, at: u32) -> Option<String> {
        let node = self.tree.node(at);
        let source = self.tree.str(node.value).trim();
        let is_inline = source
            .get(..5)
            .is_some_and(|head| head.eq_ignore_ascii_case("data:"));
        if node.tag != Some(Tag::Image) || node.is_hidden || source.is_empty() || is_inline {
            return None;
        }
        let mut words = Words::default();
        push_escaped(&mut words, self.tree.str(node.label));
        Some(format!("![{}]({})", words.take(), self.address(source)))
    }

    /// An address as it may stand in brackets.
    fn address(&self, given: &str) -> String {
        let target = self.base.join(given);
        let target = target.as_ref().map_or(given, Url::as_str);
        target.replace(' ', "%20").replace('(', "%28").replace(')', "%29")
    }

    /// Text with its links, stress, code and pictures.
    fn flow(&mut self, draft: &Draft, reach: &Range<u32>) {
        // Elements of the flow that began before the block's first text.
        let mut outer: Vec<u32> = self
            .tree
            .upwards(draft.from)
            .skip(1)
            .take_while(|at| self.tree.tag(*at).is_some_and(|tag| !tag.breaks()))
            .collect();
        outer.reverse();
        let begin = outer.first().copied().unwrap_or(draft.from);
        let text = self.flowing(begin, &(draft.from..draft.to), reach);
        self.out.push_str(&text);
    }

    /// The text of the nodes in `own`, with the elements that are open from `begin` on and the pictures in `reach`.
    fn flowing(&self, begin: u32, own: &Range<u32>, reach: &Range<u32>) -> String {
        let mut words = Words::default();
        // (End of the element, what closes it.)
        let mut open: Vec<(u32, String)> = Vec::new();
        let mut at = begin.min(reach.start);
        while at < own.end.max(reach.end) {
            while open.last().is_some_and(|(end, _)| *end <= at) {
                if let Some((_, close)) = open.pop() {
                    words.push_tight(&close);
                }
            }
            let node = self.tree.node(at);
            if node.is_hidden {
                at = node.end;
                continue;
            }
            if reach.contains(&at)
                && let Some(picture) = self.picture(at)
            {
                words.blank();
                words.push_open(&picture);
                words.blank();
                at += 1;
                continue;
            }
            // Beside the block's own nodes only pictures are looked for.
            if !(begin..own.end).contains(&at) {
                at += 1;
                continue;
            }
            match node.tag {
                None if at >= own.start => push_escaped(&mut words, self.tree.str(node.text)),
                // A formula is shown by the words that made it, once.
                Some(Tag::Inline) if &*node.name == "math" && self.formula(at).is_some() => {
                    let formula = self.formula(at).unwrap_or_default();
                    words.push_open("$");
                    words.push(&formula);
                    words.push_tight("$");
                    at = node.end;
                    continue;
                }
                // A sign behind a heading that leads to the heading itself.
                Some(Tag::Link) if is_pilcrow(self.tree, at) => {
                    at = node.end;
                    continue;
                }
                Some(Tag::Link) if node.is_link => {
                    let href = self.tree.str(node.value).trim();
                    if !href.starts_with('#') && holds_text(self.tree, at) {
                        words.push_open("[");
                        open.push((node.end, format!("]({})", self.address(href))));
                    }
                }
                Some(tag @ (Tag::Strong | Tag::Emphasis | Tag::InlineCode)) if holds_text(self.tree, at) => {
                    let mark = match tag {
                        Tag::Strong => "**",
                        Tag::Emphasis => "*",
                        _ => "`",
                    };
                    words.push_open(mark);
                    open.push((node.end, mark.to_owned()));
                }
                Some(Tag::Break) => words.blank(),
                Some(Tag::Input) => words.push(self.tree.str(node.value)),
                Some(tag) if tag.breaks() => words.blank(),
                _ => {}
            }
            at += 1;
        }
        while let Some((_, close)) = open.pop() {
            words.push_tight(&close);
        }
        words.take()
    }

    /// What a formula was written as, where it says so (TeX in an annotation).
    fn formula(&self, at: u32) -> Option<String> {
        let is_it = |inner: &u32| &*self.tree.node(*inner).name == "annotation";
        let found = self.tree.inside(at).find(is_it)?;
        let text = self
            .tree
            .nodes
            .get(found as usize + 1)
            .filter(|node| node.tag.is_none())?;
        let text = folded(self.tree.str(text.text));
        (!text.is_empty() && !text.contains('$')).then_some(text)
    }
}

/// A link to a place of a page whose only text is a sign: `¶`, `#`, `§`, a chain.
fn is_pilcrow(tree: &Tree, at: u32) -> bool {
    let node = tree.node(at);
    let mut texts = tree
        .inside(at)
        .filter(|inner| tree.tag(*inner).is_none())
        .map(|inner| tree.str(tree.node(inner).text).trim());
    node.is_link
        && tree.str(node.value).contains('#')
        && texts.all(|text| matches!(text, "" | "¶" | "#" | "§" | "🔗"))
        && holds_text(tree, at)
}

fn holds_text(tree: &Tree, at: u32) -> bool {
    tree.inside(at).any(|inner| {
        let node = tree.node(inner);
        node.tag.is_none() && !node.is_hidden && !tree.str(node.text).trim().is_empty()
    })
}

/// Only what would become markup by itself is escaped; a text full of backslashes reads badly.
fn push_escaped(words: &mut Words, text: &str) {
    let mut rest = text;
    while let Some(found) = rest.find(['*', '`', '[', ']', '<', '\\']) {
        words.push(&rest[..found]);
        let special = &rest[found..=found];
        words.push_open("\\");
        words.push(special);
        rest = &rest[found + 1..];
    }
    words.push(rest);
}
