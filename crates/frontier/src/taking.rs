//! What does the project say about an address? (A2, A3, A5, A6, A12)
//!
//! The rules of the step speak first, then those of the project, then its default, then the scope; depth, type and the
//! looks of the address follow. A run asks here about every link, and [`explain`](crate::explain()) about the one that a
//! person asks about, so the two cannot differ.

use crate::{Limits, Rules, Scope, TypeVerdict, Wanted, traps};
use gleaner_model::project::{RuleAction, TypeGroup};
use gleaner_model::{Reason, Url};

#[derive(Debug, Clone, Copy)]
pub struct Taking<'a> {
    pub scope: &'a Scope,
    /// Of the step that leads there, where there are steps.
    pub step: Option<&'a Rules>,
    pub rules: &'a Rules,
    /// For addresses that no rule speaks about; none: the scope decides.
    pub default: Option<RuleAction>,
    pub limits: &'a Limits,
    pub wanted: Wanted,
}

/// What was said about an address, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ruling {
    pub action: RuleAction,
    pub by: RuledBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuledBy {
    /// Rules by their place, from 0.
    Step(usize),
    Project(usize),
    Default,
}

impl Taking<'_> {
    /// The rule that speaks about `url`; none: the scope decides.
    pub fn ruling(&self, url: &Url) -> Option<Ruling> {
        let of_step = self.step.and_then(|rules| rules.decide(url));
        let by_step = of_step.map(|(action, index)| (action, RuledBy::Step(index)));
        let by_project = || {
            let (action, index) = self.rules.decide(url)?;
            Some((action, RuledBy::Project(index)))
        };
        let by_default = || self.default.map(|action| (action, RuledBy::Default));
        let (action, by) = by_step.or_else(by_project).or_else(by_default)?;
        Some(Ruling { action, by })
    }

    /// Whether a rule takes in what lies outside of the scope. A default is not meant for the whole web.
    pub fn takes_in(ruling: Option<Ruling>) -> bool {
        ruling.is_some_and(|ruling| ruling.action == RuleAction::Allow && ruling.by != RuledBy::Default)
    }

    /// Why `url`, `depth` links from where it began, is left out, if it is. `promised` is the type that the link promises.
    pub fn refuses(&self, url: &Url, promised: Option<TypeGroup>, depth: u32) -> Option<Reason> {
        let ruling = self.ruling(url);
        if ruling.is_some_and(|ruling| ruling.action == RuleAction::Deny) {
            return Some(Reason::RuleDenied);
        }
        if !Taking::takes_in(ruling) && !self.scope.contains(url).is_inside() {
            return Some(Reason::OutOfScope);
        }
        if let Some(reason) = self.limits.too_deep(depth) {
            return Some(reason);
        }
        if self.wanted.by_extension(promised) == TypeVerdict::Refuse {
            return Some(Reason::UnwantedType);
        }
        if url.is_web() { traps::syntax(url) } else { None }
    }
}
