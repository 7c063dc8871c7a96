//! The model as a table: words with their weights, and trees. It is text, so that a new one is a difference that can be
//! read, and it is read once a process.
//!
//! ```text
//!  gleaner main text model 2
//!  [words name]               then a word and its weights a line: on all pages, on those of each use
//!  [trees first]              then a tree a line: `column>border:low` asks, `=value` answers; `low` is the place of the
//!                             node for numbers up to the border, the one behind it is for those above
//! ```

use super::features::page::{KINDS, PAGE_WIDTH};
use super::features::{WIDE, WIDTH};
use super::lexicon::{Lexicon, Topic, Weights};
use super::trees::{DecisionNode, DecisionTree};
use std::fmt::Write;
use std::sync::OnceLock;

const HEAD: &str = "gleaner main text model 2";

/// What was learned from pages with known main text.
#[derive(Debug, Default)]
pub struct Model {
    pub lexicon: Lexicon,
    /// For each type of page, in the order of [`KINDS`].
    pub kinds: Vec<Vec<DecisionTree>>,
    /// What a block is by itself.
    pub first: Vec<DecisionTree>,
    /// What it is beside the others.
    pub second: Vec<DecisionTree>,
}

/// The model that is checked in.
pub(super) fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        Model::read(include_str!("model.txt")).expect("a test reads the table that is checked in")
    })
}

impl Model {
    pub fn write(&self) -> String {
        let mut out = format!("{HEAD}\n");
        for topic in Topic::ALL {
            let _ = writeln!(out, "[words {}]", topic.as_str());
            for (word, weights) in self.lexicon.list(topic) {
                let _ = write!(out, "{word} {}", weights.all);
                for weight in weights.uses {
                    let _ = write!(out, " {weight}");
                }
                out.push('\n');
            }
        }
        let lists = KINDS.iter().copied().zip(&self.kinds);
        for (name, trees) in lists.chain([("first", &self.first), ("second", &self.second)]) {
            let _ = writeln!(out, "[trees {name}]");
            for tree in trees {
                for (at, node) in tree.nodes().iter().enumerate() {
                    let gap = if at > 0 { " " } else { "" };
                    let _ = match node {
                        DecisionNode::Leaf(value) => write!(out, "{gap}={value}"),
                        DecisionNode::Split {
                            column, border, low, ..
                        } => write!(out, "{gap}{column}>{border}:{low}"),
                    };
                }
                out.push('\n');
            }
        }
        out
    }

    /// None where the table is not one of this form, or asks for numbers that there are not.
    pub fn read(table: &str) -> Option<Model> {
        let mut lines = table.lines();
        if lines.next() != Some(HEAD) {
            return None;
        }
        let mut model = Model {
            kinds: vec![Vec::new(); KINDS.len()],
            ..Model::default()
        };
        let mut part = ("", "");
        for line in lines {
            if let Some(begun) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                part = begun.split_once(' ')?;
                continue;
            }
            if part.0 == "words" {
                let topic = Topic::ALL.into_iter().find(|topic| topic.as_str() == part.1)?;
                let mut parts = line.split(' ');
                let word = parts.next()?;
                let mut number = || parts.next()?.parse().ok();
                let mut weights = Weights {
                    all: number()?,
                    ..Weights::default()
                };
                for weight in &mut weights.uses {
                    *weight = number()?;
                }
                model.lexicon.insert(topic, word, weights);
                continue;
            }
            let (list, width) = match part.1 {
                "first" => (&mut model.first, WIDTH),
                "second" => (&mut model.second, WIDE),
                kind => {
                    let at = KINDS.iter().position(|known| *known == kind)?;
                    (&mut model.kinds[at], PAGE_WIDTH)
                }
            };
            list.push(tree(line, width)?);
        }
        Some(model)
    }
}

fn tree(line: &str, width: usize) -> Option<DecisionTree> {
    let mut nodes = Vec::new();
    for word in line.split(' ') {
        if let Some(value) = word.strip_prefix('=') {
            nodes.push(DecisionNode::Leaf(value.parse().ok()?));
            continue;
        }
        let (column, rest) = word.split_once('>')?;
        let (border, low) = rest.split_once(':')?;
        let low: u16 = low.parse().ok()?;
        nodes.push(DecisionNode::Split {
            column: column.parse().ok()?,
            border: border.parse().ok()?,
            low,
            high: low.checked_add(1)?,
        });
    }
    let is_sound = |(at, node): (usize, &DecisionNode)| match node {
        DecisionNode::Leaf(_) => true,
        // Nodes lead onwards only, so that every walk ends.
        DecisionNode::Split {
            column, low, high, ..
        } => usize::from(*column) < width && usize::from(*low) > at && usize::from(*high) < nodes.len(),
    };
    nodes
        .iter()
        .enumerate()
        .all(is_sound)
        .then(|| DecisionTree::new(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_that_is_checked_in_can_be_read_and_written() {
        let text = include_str!("model.txt");
        let model = Model::read(text).expect("a table of this form");
        assert!(!model.first.is_empty() && !model.second.is_empty() && !model.lexicon.is_empty());
        assert!(model.kinds.iter().all(|trees| !trees.is_empty()));
        assert_eq!(model.write(), text);
    }

    #[test]
    fn a_damaged_table_is_refused() {
        let tables = [
            "",
            "gleaner main text model 1\n",
            "gleaner main text model 2\n[trees first]\n900>1:1 =0 =0\n",
        ];
        for table in tables {
            assert!(Model::read(table).is_none(), "{table}");
        }
        let looping = "gleaner main text model 2\n[trees first]\n0>1:0 =0 =0\n";
        assert!(Model::read(looping).is_none());
    }
}
