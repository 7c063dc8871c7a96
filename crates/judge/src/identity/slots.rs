//! How is a place in the URLs of a site named?
//!
//! Slots have names, not offsets: `sid` in the query is the same slot on every link of a site, wherever it stands. A
//! [`Slot`] is what a rule speaks of; the [`UrlStep`]s of a [`UrlPiece`] are how one URL came by it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A named place in the URLs of a site.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// A label of the host, counted from the right: 0 is the top-level domain.
    Host(usize),
    Path(Position),
    /// `;name=value` in the path. The n-th of that name.
    Matrix {
        name: String,
        nth: usize,
    },
    /// `name=value` in the query. The n-th of that name; the name is empty for `?value`.
    Query {
        name: String,
        nth: usize,
    },
    /// The name of a parameter in the query: the id is part of the name.
    QueryName,
    /// The same in the path.
    MatrixName,
    /// Inside a value that is itself a URL or a query.
    Nested {
        outer: Box<Slot>,
        inner: Box<Slot>,
    },
}

/// Which segment of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Position {
    First,
    Last,
    FromLeft(usize),
    FromRight(usize),
    /// The segment after one that reads so. A name with `=` at its end stands for every value: `ref=`.
    After(String),
    /// Wherever the shape fits.
    Any,
}

/// One step on the way into a URL, as it stands there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum UrlStep {
    Host {
        from_right: usize,
    },
    Segment {
        index: usize,
        count: usize,
        previous: Option<String>,
    },
    Matrix {
        name: String,
        nth: usize,
    },
    Query {
        name: String,
        nth: usize,
    },
}

/// A part of a URL with what it says.
#[derive(Debug, Clone)]
pub struct UrlPiece {
    /// The way to it, outermost first.
    pub steps: Vec<UrlStep>,
    /// The value with all escapes undone.
    pub value: String,
    /// The raw value in the text of the URL.
    pub span: Range<usize>,
    /// What goes if the piece is dropped: name and separator too.
    pub whole: Range<usize>,
    /// Its raw name in the text of the URL; empty where it has none.
    pub name: Range<usize>,
    /// The name as the URL spells it, where an id was taken out of it.
    pub spelled: Option<String>,
    /// Whether pieces inside it are listed as well (before it).
    pub is_composite: bool,
}

impl UrlPiece {
    pub(super) fn leaf(&self) -> &UrlStep {
        self.steps.last().expect("a piece has at least one step")
    }

    /// Whether the piece has a name of its own, so that its place says what it means.
    pub(super) fn is_named(&self) -> bool {
        match self.leaf() {
            UrlStep::Matrix { name, .. } | UrlStep::Query { name, .. } => !name.is_empty(),
            UrlStep::Host { .. } | UrlStep::Segment { .. } => false,
        }
    }

    /// The parameter's name as the URL spells it.
    pub(super) fn spelled_name(&self) -> Option<&str> {
        match self.leaf() {
            UrlStep::Matrix { name, .. } | UrlStep::Query { name, .. } if !name.is_empty() => {
                Some(self.spelled.as_deref().unwrap_or(name))
            }
            _ => None,
        }
    }

    /// The slot that this piece alone stands in.
    pub fn slot(&self) -> Slot {
        slot_of(&self.steps)
    }

    /// Two pieces of two links stand in the same place.
    pub(super) fn stands_as(&self, other: &UrlPiece) -> bool {
        self.steps.len() == other.steps.len()
            && self.steps.iter().zip(&other.steps).all(|pair| match pair {
                (UrlStep::Segment { index: a, .. }, UrlStep::Segment { index: b, .. }) => a == b,
                (a, b) => a == b,
            })
    }
}

pub(super) fn slot_of(steps: &[UrlStep]) -> Slot {
    let mut slots = steps.iter().rev().map(|step| match step {
        UrlStep::Host { from_right } => Slot::Host(*from_right),
        UrlStep::Segment { index, .. } => Slot::Path(Position::FromLeft(*index)),
        UrlStep::Matrix { name, nth } => Slot::Matrix {
            name: name.clone(),
            nth: *nth,
        },
        UrlStep::Query { name, nth } => Slot::Query {
            name: name.clone(),
            nth: *nth,
        },
    });
    let innermost = slots.next().expect("a piece has at least one step");
    slots.fold(innermost, |inner, outer| Slot::Nested {
        outer: Box::new(outer),
        inner: Box::new(inner),
    })
}

impl Slot {
    /// As people write it: `?name` in the query, `;name` in the path.
    pub fn named(text: &str) -> Option<Slot> {
        let name = |rest: &str| rest.trim_end_matches('=').to_owned();
        match text.split_at_checked(1) {
            Some(("?", rest)) if !rest.is_empty() => Some(Slot::Query {
                name: name(rest),
                nth: 0,
            }),
            Some((";", rest)) if !rest.is_empty() => Some(Slot::Matrix {
                name: name(rest),
                nth: 0,
            }),
            _ => None,
        }
    }

    /// Whether a piece reached by these steps stands in this slot.
    ///
    /// A name means the same at every depth: a rule for `sid` holds inside `return=…` too. Places in a path do not.
    pub(super) fn holds(&self, steps: &[UrlStep]) -> bool {
        match (self, steps) {
            (Slot::Nested { outer, inner }, [first, rest @ ..]) if !rest.is_empty() => {
                outer.is(first) && inner.holds(rest)
            }
            (Slot::Matrix { name, .. } | Slot::Query { name, .. }, [.., last]) => {
                (steps.len() == 1 || !name.is_empty()) && self.is(last)
            }
            (Slot::Host(_) | Slot::Path(_), [only]) => self.is(only),
            _ => false,
        }
    }

    fn is(&self, step: &UrlStep) -> bool {
        match (self, step) {
            (Slot::Host(n), UrlStep::Host { from_right }) => n == from_right,
            (Slot::Matrix { name, nth }, UrlStep::Matrix { name: n, nth: m })
            | (Slot::Query { name, nth }, UrlStep::Query { name: n, nth: m }) => name == n && nth == m,
            (
                Slot::Path(position),
                UrlStep::Segment {
                    index,
                    count,
                    previous,
                },
            ) => match position {
                Position::First => *index == 0,
                Position::Last => index + 1 == *count,
                Position::FromLeft(n) => n == index,
                Position::FromRight(n) => n + index + 1 == *count,
                Position::After(pattern) => previous.as_deref().is_some_and(|p| is_after(p, pattern)),
                Position::Any => true,
            },
            _ => false,
        }
    }
}

fn is_after(previous: &str, pattern: &str) -> bool {
    previous == pattern || (pattern.ends_with('=') && previous.starts_with(pattern))
}

impl std::fmt::Display for Slot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Slot::Host(n) => write!(f, "host label {n} from the right"),
            Slot::Path(Position::First) => f.write_str("first path segment"),
            Slot::Path(Position::Last) => f.write_str("last path segment"),
            Slot::Path(Position::FromLeft(n)) => write!(f, "path segment {}", n + 1),
            Slot::Path(Position::FromRight(n)) => write!(f, "path segment {} from the right", n + 1),
            Slot::Path(Position::After(p)) => write!(f, "path segment after {p}"),
            Slot::Path(Position::Any) => f.write_str("path segment"),
            Slot::Matrix { name, nth } => write!(f, ";{name}={}", Nth(*nth)),
            Slot::Query { name, nth } => write!(f, "?{name}={}", Nth(*nth)),
            Slot::QueryName => f.write_str("name of a parameter"),
            Slot::MatrixName => f.write_str("name of a parameter of the path"),
            Slot::Nested { outer, inner } => write!(f, "{inner} inside {outer}"),
        }
    }
}

struct Nth(usize);

impl std::fmt::Display for Nth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 0 {
            Ok(())
        } else {
            write!(f, " (number {})", self.0 + 1)
        }
    }
}
