//! A page as whoever makes the model sees it: the rows of its blocks, and which words stand over which blocks. For the
//! benchmarks' own program; nobody else needs it.

use super::super::blocks::{self, Draft};
use super::super::page::open_html;
use super::super::tree::Tree;
use super::features::place::each_name;
use super::features::text::{LABEL_WORDS_MAX, LEAD_WORDS_MAX, lead, letters};
use super::features::{Facts, page};
use super::frame::Frames;
use super::hints::Hints;
use super::lexicon::{Lexicon, Topic};
use super::names::Names;
use super::repeats::Repeats;
use super::rules::Ruled;
use super::table::Model;
use gleaner_model::Url;
use std::collections::{BTreeMap, BTreeSet};

/// A page that was read for training.
pub struct TrainingPage {
    tree: Tree,
    drafts: Vec<Draft>,
    url: Url,
}

impl TrainingPage {
    /// Nothing where it is no HTML.
    pub fn read(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<TrainingPage> {
        let (html, _) = open_html(url, headers, body)?;
        let tree = Tree::read_to_show(&html);
        let drafts = blocks::collect(&tree, url, &|_| true);
        Some(TrainingPage {
            tree,
            drafts,
            url: url.clone(),
        })
    }

    /// The texts of its blocks, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.drafts.iter().map(|draft| draft.text.as_str())
    }

    /// Where a block stands.
    pub fn path(&self, at: usize) -> &str {
        &self.drafts[at].path
    }

    /// Words of each block.
    pub fn lengths(&self) -> Vec<f32> {
        self.with_facts(|facts| facts.texts.iter().map(|text| text.words).collect())
    }

    /// A row of numbers for each block, one after the other.
    pub fn rows(&self, lexicon: &Lexicon, kinds: &[f32]) -> Vec<f32> {
        self.with_facts(|facts| facts.rows(lexicon, kinds))
    }

    /// The rows again, each with what is likely around it.
    pub fn wide_rows(&self, rows: &[f32], likely: &[f32]) -> Vec<f32> {
        let all: Vec<usize> = (0..self.drafts.len()).collect();
        self.with_facts(|facts| facts.wide_rows(rows, likely, &all))
    }

    /// Which blocks are taken, as on every page.
    pub fn taken(&self, model: &Model) -> Vec<bool> {
        self.with_facts(|facts| facts.taken(model, &self.url, &Repeats::default()))
    }

    /// The text that is shown where these blocks are taken: where none is, what stands in no menu or footer, and else all.
    pub fn text(&self, is_taken: &[bool]) -> String {
        let is_frame = self.with_facts(|facts| facts.ruled.is_frame.clone());
        let own: Vec<bool> = is_frame.iter().map(|is_frame| !is_frame).collect();
        let all = vec![true; own.len()];
        let chosen = [is_taken, &own, &all]
            .into_iter()
            .find(|list| list.contains(&true));
        let mut out = String::new();
        for (text, _) in self
            .texts()
            .zip(chosen.unwrap_or_default())
            .filter(|(_, is_in)| **is_in)
        {
            out.push_str(text);
            out.push('\n');
        }
        out
    }

    /// How likely each block is main text.
    pub fn likely(&self, model: &Model, kinds: &[f32]) -> Vec<f32> {
        self.with_facts(|facts| model.likely(facts, kinds, &Repeats::default()))
    }

    /// The numbers of the page as a whole.
    pub fn numbers(&self) -> Vec<f32> {
        self.with_facts(|facts| page::numbers(facts, &self.url))
    }

    /// What the rules alone take.
    pub fn ruled(&self) -> Vec<bool> {
        self.with_facts(|facts| facts.ruled.is_main.clone())
    }

    /// Which blocks each word stands over.
    pub fn words(&self) -> BTreeMap<(Topic, String), BTreeSet<usize>> {
        self.with_facts(|facts| {
            let mut words: BTreeMap<(Topic, String), BTreeSet<usize>> = BTreeMap::new();
            for at in 0..self.tree.len() {
                let node = self.tree.node(at);
                if node.tag.is_none() || node.is_hidden {
                    continue;
                }
                let blocks = facts.places.blocks(&self.tree, at);
                if blocks.is_empty() {
                    continue;
                }
                each_name(&self.tree, at, |word| {
                    let key = (Topic::Name, word.to_ascii_lowercase());
                    words.entry(key).or_default().extend(blocks.clone());
                });
            }
            for (at, draft) in self.drafts.iter().enumerate() {
                if facts.texts[at].words <= LABEL_WORDS_MAX {
                    let lower = draft.text.to_lowercase();
                    for word in letters(&lower) {
                        words
                            .entry((Topic::Label, word.to_owned()))
                            .or_default()
                            .insert(at);
                    }
                }
                let words_count = facts.texts[at].words;
                if words_count > LABEL_WORDS_MAX && words_count <= LEAD_WORDS_MAX {
                    for word in letters(&lead(&draft.text)) {
                        words
                            .entry((Topic::Lead, word.to_owned()))
                            .or_default()
                            .insert(at);
                    }
                }
                if let Some(above) =
                    facts.headings[at].filter(|above| facts.texts[*above].words <= LABEL_WORDS_MAX)
                {
                    let lower = self.drafts[above].text.to_lowercase();
                    for word in letters(&lower) {
                        words
                            .entry((Topic::Heading, word.to_owned()))
                            .or_default()
                            .insert(at);
                    }
                }
            }
            words
        })
    }

    fn with_facts<T>(&self, take: impl FnOnce(&Facts<'_>) -> T) -> T {
        let names = Names::read(&self.tree);
        let hints = Hints::read(&self.tree, &self.drafts, &names);
        let frames = Frames::read(&self.tree, &self.drafts, &hints, &names);
        let ruled = Ruled::read(&self.tree, &self.drafts, &hints, &frames);
        take(&Facts::read(&self.tree, &self.drafts, &names, &hints, &ruled))
    }
}
