//! What a topic is learned from: pages that people gave, what they decided against the judge, and pages that were met.

use super::TopicPage;
use gleaner_model::Url;
use serde::{Deserialize, Serialize};

/// Examples that are kept of what people said; the oldest leave first.
const GIVEN_MAX: usize = 10_000;
/// Of all pages that were met, so many are remembered, each as likely as any other.
const MET_MAX: usize = 600;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExampleKind {
    Good,
    Bad,
    /// Met on the way, and most likely not on the topic.
    Met,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TopicExample {
    pub address: String,
    /// The host, as a number.
    pub(super) group: u64,
    pub kind: ExampleKind,
    /// A person decided so against the judge: it counts five times.
    pub is_overrule: bool,
    pub page: TopicPage,
}

impl TopicExample {
    pub fn new(url: &Url, kind: ExampleKind, is_overrule: bool, page: TopicPage) -> TopicExample {
        TopicExample {
            address: url.as_str().to_owned(),
            group: super::seen::hash(url.host().trim_start_matches("www.").bytes()) >> 7,
            kind,
            is_overrule,
            page,
        }
    }
}

/// All of them. The last word about an address counts.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TopicExamples {
    given: Vec<TopicExample>,
    met: Vec<TopicExample>,
    /// Pages met until now.
    met_count: u64,
}

impl TopicExamples {
    /// Keeps what a person said; gives what was said of the address before, where that was something else.
    pub fn add(&mut self, example: TopicExample) -> Option<ExampleKind> {
        let before = self.given.iter().position(|one| one.address == example.address);
        let before = before.map(|at| self.given.remove(at).kind);
        self.met.retain(|one| one.address != example.address);
        let kind = example.kind;
        self.given.push(example);
        if self.given.len() > GIVEN_MAX {
            self.given.remove(0);
        }
        before.filter(|before| *before != kind)
    }

    /// Takes back what a person said of an address.
    pub fn forget(&mut self, address: &str) {
        self.given.retain(|one| one.address != address);
    }

    /// A page that was met; `chance` is a random number. Gives whether it is remembered.
    pub fn meet(&mut self, example: TopicExample, chance: u64) -> bool {
        if self
            .given
            .iter()
            .chain(&self.met)
            .any(|one| one.address == example.address)
        {
            return false;
        }
        self.met_count += 1;
        if self.met.len() < MET_MAX {
            self.met.push(example);
            return true;
        }
        let place = (chance % self.met_count) as usize;
        if let Some(old) = self.met.get_mut(place) {
            *old = example;
            return true;
        }
        false
    }

    pub fn all(&self) -> impl Iterator<Item = &TopicExample> {
        self.given.iter().chain(&self.met)
    }

    pub fn count(&self, kind: ExampleKind) -> usize {
        self.all().filter(|one| one.kind == kind).count()
    }

    /// What a person said of an address.
    pub fn of(&self, address: &str) -> Option<&TopicExample> {
        self.given.iter().find(|one| one.address == address)
    }
}
