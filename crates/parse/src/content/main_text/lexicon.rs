//! Words that were learned to say something: names of elements, labels, headings. In: a word. Out: its weight, the
//! logarithm of how much likelier main text is where it stands.

use std::collections::HashMap;

/// What a word was found in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// A word of an id, a class, a role or a property.
    Name,
    /// A word of a short block.
    Label,
    /// A word of the heading above.
    Heading,
    /// A word at the beginning of a block that is no label.
    Lead,
}

impl Topic {
    pub const ALL: [Topic; 4] = [Topic::Name, Topic::Label, Topic::Heading, Topic::Lead];

    pub fn as_str(self) -> &'static str {
        match self {
            Topic::Name => "name",
            Topic::Label => "label",
            Topic::Heading => "heading",
            Topic::Lead => "lead",
        }
    }
}

/// What pages are read for, by their types: texts, talks, goods and lists of them. A word may mean one thing in one of them
/// and another in the next: replies are what a forum is read for, and nothing that a shop says.
pub const USES: usize = 3;

/// The use of pages of a type, by the type's place among the types.
pub const USE_OF_KIND: [usize; 7] = [0, 0, 1, 2, 2, 2, 0];

/// How much likelier main text is where a word stands: on all pages, and on pages of each use.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Weights {
    pub all: f32,
    pub uses: [f32; USES],
}

impl Weights {
    /// On a page that is likely of each use by so much.
    pub(super) fn on(&self, uses: &[f32; USES]) -> f32 {
        self.uses
            .iter()
            .zip(uses)
            .map(|(weight, likely)| weight * likely)
            .sum()
    }
}

/// How likely a page is of each use, by how likely it is of each type.
pub(super) fn uses(kinds: &[f32]) -> [f32; USES] {
    let mut uses = [0.0; USES];
    for (likely, at) in kinds.iter().zip(USE_OF_KIND) {
        uses[at] += likely;
    }
    uses
}

#[derive(Debug, Default, Clone)]
pub struct Lexicon {
    of: [HashMap<String, Weights, foldhash::fast::FixedState>; 4],
}

impl Lexicon {
    pub fn insert(&mut self, topic: Topic, word: &str, weights: Weights) {
        self.of[topic as usize].insert(word.to_owned(), weights);
    }

    pub fn weights(&self, topic: Topic, word: &str) -> Option<Weights> {
        self.of[topic as usize].get(word).copied()
    }

    /// In alphabetical order.
    pub fn list(&self, topic: Topic) -> Vec<(&str, Weights)> {
        let words = self.of[topic as usize].iter();
        let mut list: Vec<(&str, Weights)> = words.map(|(word, weights)| (word.as_str(), *weights)).collect();
        list.sort_by_key(|(word, _)| *word);
        list
    }

    pub fn len(&self) -> usize {
        self.of.iter().map(HashMap::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
