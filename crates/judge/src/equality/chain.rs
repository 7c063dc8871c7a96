//! A project's equality: several small ones, asked in order.
//!
//! ```text
//! decider ── same ──────────────────────────────► SAM
//!    └─ differences ── each excused by someone? ──► SAM, with what was ignored
//!                          └─ no: next decider, at the end UPD with the last one's reason
//! ```

use super::kinds::{self, region::Region};
use super::options::{self, EqualityOptions};
use super::verdict::told;
use super::{Equality, EqualityOutcome, Ground, Ignored, Role, Side, Verdict};

/// What may be wrong with a chain's text.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ChainError {
    #[error("equality without a name, near: {near}")]
    NoName { near: String },
    #[error("no equality of this name (there are {known}): {name}")]
    Unknown { name: String, known: String },
    #[error("equality {name} needs options as key=value, found: {option}")]
    NoValue { name: String, option: String },
    #[error("equality {name} has a quote that is not closed")]
    OpenQuote { name: String },
    #[error("equality {name} has something after its closing quote: {near}")]
    AfterQuote { name: String, near: String },
    #[error("equality {name} has no option (it knows {known}): {option}")]
    UnknownOption {
        name: &'static str,
        known: String,
        option: String,
    },
    #[error("equality {name} needs the option: {option}")]
    Missing {
        name: &'static str,
        option: &'static str,
    },
    #[error("equality {name} has an option out of range, {why}: {value}")]
    BadValue {
        name: &'static str,
        why: String,
        value: String,
    },
    #[error(
        "a chain needs an equality that decides (main, visible, exact …), not only ones that excuse: {0}"
    )]
    NobodyDecides(String),
}

/// With more differences than this none of them is excused.
const EXCUSED_MAX: usize = 20_000;

/// Equalities in the order in which they are asked.
#[derive(Debug)]
pub struct Chain {
    links: Vec<(Box<dyn Equality>, EqualityOptions)>,
}

impl Default for Chain {
    fn default() -> Self {
        Chain::parse(Chain::DEFAULT).expect("the default chain is well-formed, a test reads it")
    }
}

impl Chain {
    /// Main text, and what was learned to be noise.
    pub const DEFAULT: &str = "main,learned";

    /// Reads a chain as flags and project files write it (see [`EqualityOptions`] for the form).
    pub fn parse(text: &str) -> Result<Chain, ChainError> {
        let mut links = Vec::new();
        for (name, options) in options::read(text)? {
            let entry = kinds::find(&name).ok_or_else(|| ChainError::Unknown {
                name,
                known: kinds::names(),
            })?;
            let unknown = options
                .pairs
                .iter()
                .find(|pair| !entry.options.contains(&pair.0.as_str()));
            if let Some((option, _)) = unknown {
                return Err(ChainError::UnknownOption {
                    name: entry.name,
                    known: if entry.options.is_empty() {
                        "none".to_owned()
                    } else {
                        entry.options.join(", ")
                    },
                    option: option.clone(),
                });
            }
            links.push(((entry.make)(&options)?, options));
        }
        if !links.iter().any(|(one, _)| one.role() == Role::Decides) {
            return Err(ChainError::NobodyDecides(text.to_owned()));
        }
        Ok(Chain { links })
    }

    /// The region's selectors, include and exclude, for `parse` to cut out; `None` where the chain has no region.
    pub fn region(&self) -> Option<(String, Option<String>)> {
        let (_, options) = self.links.iter().find(|(one, _)| one.name() == Region::NAME)?;
        Some((
            options.first("select")?.to_owned(),
            options.first("exclude").map(str::to_owned),
        ))
    }

    /// Selectors of what `parse` leaves out before anything is compared.
    pub fn ignored_selectors(&self) -> Vec<String> {
        let ignores = self.links.iter().filter(|(one, _)| one.role() == Role::Excuses);
        ignores
            .flat_map(|(_, options)| options.all("select").map(str::to_owned))
            .collect()
    }

    /// Whether what was learned counts; if not, learning fetches are wasted.
    pub fn learns(&self) -> bool {
        self.links
            .iter()
            .any(|(one, _)| one.name() == kinds::learned::NAME)
    }

    pub fn judge(&self, before: &Side, now: &Side) -> Verdict {
        let mut last = Verdict::same();
        for (decider, _) in self.links.iter().filter(|(one, _)| one.role() == Role::Decides) {
            let found = decider.same(before, now);
            if found.is_same() {
                return found;
            }
            last = self.excuse(before, now, found, decider.name());
            if last.is_same() {
                break;
            }
        }
        last
    }

    /// Asks the excusing equalities about every difference.
    fn excuse(&self, before: &Side, now: &Side, mut found: Verdict, decider: &'static str) -> Verdict {
        let ground = match (found.is_region, before.region(), now.region()) {
            (true, Some(before), Some(region)) => Ground {
                before,
                now: region,
                noise: None, // Nothing that a user chose is learned away.
                made: None,
                is_region: true,
                edition: None,
            },
            _ => Ground::page(before, now, &found.differences),
        };
        let excusers = || {
            self.links
                .iter()
                .map(|(one, _)| one)
                .filter(|one| one.role() == Role::Excuses)
        };
        let mut ignored: Vec<Ignored> = Vec::new();
        // Where so much differs nothing that is learned explains all of it, and asking takes longer than comparing (HC087).
        let can_be_excused = !found.differences.is_empty();
        if found.differences.len() > EXCUSED_MAX {
            found.outcome = EqualityOutcome::Different {
                why: format!("{decider}: {}", told(&found.differences)),
            };
            return found;
        }
        found.differences.retain(|difference| {
            let why = excusers().find_map(|one| one.excuses(&ground, difference));
            match why {
                Some(why) => {
                    ignored.push(ground.ignored(difference, why));
                    false
                }
                None => true,
            }
        });
        if can_be_excused && found.differences.is_empty() {
            found.outcome = EqualityOutcome::Same;
        } else if can_be_excused {
            found.outcome = EqualityOutcome::Different {
                why: format!("{decider}: {}", told(&found.differences)),
            };
        }
        found.ignored = ignored;
        found.remarks = excusers().filter_map(|one| one.remark(&ground)).collect();
        found
    }
}

/// The text that makes this chain again.
impl std::fmt::Display for Chain {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (one, options)) in self.links.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(out, "{comma}{}{options}", one.name())?;
        }
        Ok(())
    }
}
