//! What an author changes, beside the noise where there is some.

use super::page::{Part, RestlessPage};
use super::words::{paragraph, phrase, sentence, word};
use crate::mutate::Dice;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArticleEditKind {
    Word,
    Number,
    Sentence,
    ParagraphIn,
    ParagraphOut,
    ParagraphMoved,
    ItemIn,
    ItemOut,
    Item,
    Cell,
    Heading,
    LinkTarget,
    Image,
}

impl ArticleEditKind {
    pub const ALL: [ArticleEditKind; 13] = [
        ArticleEditKind::Word,
        ArticleEditKind::Number,
        ArticleEditKind::Sentence,
        ArticleEditKind::ParagraphIn,
        ArticleEditKind::ParagraphOut,
        ArticleEditKind::ParagraphMoved,
        ArticleEditKind::ItemIn,
        ArticleEditKind::ItemOut,
        ArticleEditKind::Item,
        ArticleEditKind::Cell,
        ArticleEditKind::Heading,
        ArticleEditKind::LinkTarget,
        ArticleEditKind::Image,
    ];
}

/// An article with one edit.
#[derive(Debug, Clone)]
pub struct ArticleEdit {
    pub kind: ArticleEditKind,
    pub(super) parts: Vec<Part>,
}

impl ArticleEdit {
    pub fn make(page: &RestlessPage, kind: ArticleEditKind, seed: u64) -> ArticleEdit {
        let mut dice = Dice::new(seed);
        let mut parts = page.parts.clone();
        let beside = place(&parts, &mut dice);
        match kind {
            ArticleEditKind::Word => in_text(&mut parts, beside, |text| {
                let words: Vec<&str> = text.split(' ').collect();
                let at = 1 + dice.below(words.len() - 2);
                let mut new: Vec<&str> = words.clone();
                while new[at] == words[at] {
                    new[at] = word(&mut dice);
                }
                new.join(" ")
            }),
            ArticleEditKind::Number => in_text(&mut parts, beside, |text| {
                let at = text.rfind(|c: char| c.is_ascii_digit()).unwrap_or(0);
                let digit = text.as_bytes()[at] - b'0';
                format!("{}{}{}", &text[..at], (digit + 3) % 10, &text[at + 1..])
            }),
            ArticleEditKind::Sentence => in_text(&mut parts, beside, |text| {
                format!("{text} {}", sentence(&mut dice))
            }),
            ArticleEditKind::ParagraphIn => parts.insert(beside, Part::Paragraph(paragraph(&mut dice))),
            ArticleEditKind::ParagraphOut => {
                let at = text_near(&parts, beside);
                parts.remove(at);
            }
            ArticleEditKind::ParagraphMoved => {
                let at = text_near(&parts, beside);
                let moved = parts.remove(at);
                // Past at least one other paragraph.
                let is_far =
                    |other: usize| other.abs_diff(at) >= 2 && matches!(parts[other], Part::Paragraph(_));
                let to = (0..parts.len()).rev().find(|other| is_far(*other)).unwrap_or(0);
                parts.insert(to, moved);
            }
            ArticleEditKind::ItemIn => in_list(&mut parts, |items| items.insert(1, phrase(&mut dice, 6))),
            ArticleEditKind::ItemOut => in_list(&mut parts, |items| {
                items.remove(1);
            }),
            ArticleEditKind::Item => in_list(&mut parts, |items| items[2] = format!("{} anew", items[2])),
            ArticleEditKind::Cell => {
                for part in &mut parts {
                    if let Part::Table(rows) = part {
                        rows[2][1] = format!("{}", 1000 + dice.below(900));
                    }
                }
            }
            ArticleEditKind::Heading => {
                let heading = parts.iter_mut().find_map(|part| match part {
                    Part::Heading(text) => Some(text),
                    _ => None,
                });
                if let Some(text) = heading {
                    *text = format!("{text} again");
                }
            }
            ArticleEditKind::LinkTarget => {
                for part in &mut parts {
                    if let Part::Linked(_, target) = part {
                        *target = format!("{target}/other");
                    }
                }
            }
            ArticleEditKind::Image => {
                for part in &mut parts {
                    if let Part::Image(src, _) = part {
                        *src = src.replace(".jpg", "-new.jpg");
                    }
                }
            }
        }
        assert_ne!(parts, page.parts, "an edit changes something");
        ArticleEdit { kind, parts }
    }
}

/// Before or behind a widget in the text.
fn place(parts: &[Part], dice: &mut Dice) -> usize {
    let widgets: Vec<usize> = (0..parts.len())
        .filter(|at| matches!(parts[*at], Part::Widget(_)))
        .collect();
    *dice.pick(&widgets) + dice.below(2)
}

/// The paragraph nearest to a place.
fn text_near(parts: &[Part], place: usize) -> usize {
    let texts = (0..parts.len()).filter(|at| matches!(parts[*at], Part::Paragraph(_)));
    texts.min_by_key(|at| at.abs_diff(place)).unwrap_or(0)
}

fn in_text(parts: &mut [Part], place: usize, edit: impl FnOnce(&str) -> String) {
    let at = text_near(parts, place);
    if let Part::Paragraph(text) = &mut parts[at] {
        *text = edit(text);
    }
}

fn in_list(parts: &mut [Part], edit: impl FnOnce(&mut Vec<String>)) {
    let list = parts.iter_mut().find_map(|part| match part {
        Part::List(items) => Some(items),
        _ => None,
    });
    if let Some(items) = list {
        edit(items);
    }
}
