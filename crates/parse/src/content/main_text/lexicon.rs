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

#[derive(Debug, Default, Clone)]
pub struct Lexicon {
    of: [HashMap<String, f32, foldhash::fast::FixedState>; 4],
}

impl Lexicon {
    pub fn insert(&mut self, topic: Topic, word: &str, weight: f32) {
        self.of[topic as usize].insert(word.to_owned(), weight);
    }

    pub fn weight(&self, topic: Topic, word: &str) -> Option<f32> {
        self.of[topic as usize].get(word).copied()
    }

    /// In alphabetical order.
    pub fn list(&self, topic: Topic) -> Vec<(&str, f32)> {
        let words = self.of[topic as usize].iter();
        let mut list: Vec<(&str, f32)> = words.map(|(word, weight)| (word.as_str(), *weight)).collect();
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
