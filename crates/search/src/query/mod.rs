//! What is asked: words, phrases, fields, AND OR NOT, beginnings and misspelt words.
//!
//! ```text
//!  question := all (OR all)*            all    := one (AND? one)*
//!  one      := (- | NOT)? piece         piece  := ( question ) | FIELD:piece | "a phrase" ~N? | word | begin* | mispelt~N?
//! ```
//! Every word has to be there unless OR says otherwise. What is no field before a colon is a plain word: `Re: hello`, `std::vec`.

mod read;

use crate::{Language, QueryError};

/// Where a word is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Field {
    /// Title, headings and text, in that order of weight.
    Anywhere,
    Title,
    Heading,
    Text,
    Url,
    /// Not said by the document, but known of it.
    Host,
    Type,
    Language,
}

/// What is asked, as a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Word {
        field: Field,
        text: String,
    },
    Phrase {
        field: Field,
        text: String,
        slop: u32,
    },
    Prefix {
        field: Field,
        text: String,
    },
    Fuzzy {
        field: Field,
        text: String,
        distance: u8,
    },
}

/// A checked question.
#[derive(Debug, Clone)]
pub struct Question {
    pub(crate) root: Node,
    /// Only documents that carry one of each of these: projects, hosts, types, languages.
    pub(crate) tags: Vec<Vec<String>>,
}

impl Question {
    /// Reads a question as a person types it.
    pub fn parse(text: &str) -> Result<Question, QueryError> {
        Ok(Question {
            root: read::read(text)?,
            tags: Vec::new(),
        })
    }

    /// Only documents of one of these projects, by number.
    #[must_use]
    pub fn of_projects(self, projects: &[i64]) -> Question {
        self.with(
            projects
                .iter()
                .map(|id| crate::index::tag_of_project(*id))
                .collect(),
        )
    }

    /// Only documents of one of these hosts, or of hosts below them.
    #[must_use]
    pub fn of_hosts(self, hosts: &[String]) -> Question {
        self.with(hosts.iter().map(|host| crate::index::tag_of_host(host)).collect())
    }

    /// Only documents of one of these types: `text/html`, or just `text`.
    #[must_use]
    pub fn of_types(self, types: &[String]) -> Question {
        self.with(types.iter().map(|one| crate::index::tag_of_type(one)).collect())
    }

    /// Only documents in one of these languages.
    #[must_use]
    pub fn in_languages(self, languages: &[Language]) -> Question {
        self.with(
            languages
                .iter()
                .map(|one| crate::index::tag_of_language(*one))
                .collect(),
        )
    }

    fn with(mut self, tags: Vec<String>) -> Question {
        if !tags.is_empty() {
            self.tags.push(tags);
        }
        self
    }

    /// What is looked for in the text, for marks: words, and beginnings of words.
    pub(crate) fn sought(&self) -> Vec<&Node> {
        fn walk<'a>(node: &'a Node, found: &mut Vec<&'a Node>) {
            match node {
                Node::All(nodes) | Node::Any(nodes) => nodes.iter().for_each(|node| walk(node, found)),
                Node::Not(_) => {}
                node => found.push(node),
            }
        }
        let mut found = Vec::new();
        walk(&self.root, &mut found);
        found
    }
}
