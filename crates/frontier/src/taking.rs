//! What does the project say about an address? (A2, A3, A5, A6, A12)
//!
//! The rules of the step speak first, then those of the project, then its default, then the scope; depth, type and the
//! looks of the address follow. A run asks here about every link, and [`explain`](crate::explain()) about the one that a
//! person asks about, so the two cannot differ.

use crate::{FileNames, Limits, Rules, Scope, TypeVerdict, Wanted, traps};
use gleaner_model::project::{RuleAction, TypeGroup};
use gleaner_model::{LinkKind, Reason, Url};

/// Links that parts of a page may lie beyond the depth limit: a style sheet, one that it imports, an image of that.
pub const DEPTH_OF_PARTS: u32 = 3;

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
    pub names: &'a FileNames,
    /// Parts of pages are taken with them, from wherever they come.
    pub requisites: bool,
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

/// What an address is to the page that names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bond {
    /// Another page or document.
    #[default]
    Leads,
    /// A part of it: without it the page looks otherwise.
    Part,
}

/// Who names an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Holder {
    /// A page of the project.
    #[default]
    Page,
    /// A style sheet from outside, taken as a part of some page.
    Style,
    /// Anything else from outside: it has no parts of its own, so that nobody is led on.
    Stranger,
}

impl Bond {
    pub fn of(kind: LinkKind, holder: Holder) -> Bond {
        let is_part = match holder {
            Holder::Page => matches!(
                kind,
                LinkKind::Image | LinkKind::Media | LinkKind::Script | LinkKind::Style
            ),
            Holder::Style => kind == LinkKind::Style,
            Holder::Stranger => false,
        };
        if is_part { Bond::Part } else { Bond::Leads }
    }

    /// Of what is known without the page that names it: a redirect's target, a document of an earlier run. `promised` is
    /// the type that its address promises.
    pub fn guess(is_inside: bool, promised: Option<TypeGroup>) -> Bond {
        match promised {
            Some(TypeGroup::Assets | TypeGroup::Images) => Bond::Part,
            _ if is_inside => Bond::Leads,
            _ => Bond::Part,
        }
    }
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

    /// Whether scope and rules take `url` for a page of the project.
    pub fn is_inside(&self, url: &Url) -> bool {
        self.scope.contains(url).is_inside() || Taking::takes_in(self.ruling(url))
    }

    /// Whether it is taken as a part of some page, wherever it lies.
    pub fn is_part(&self, bond: Bond) -> bool {
        self.requisites && bond == Bond::Part
    }

    /// The types that are kept of what lies at `url`. From outside there come parts of pages and no pages.
    pub fn wanted_at(&self, url: &Url) -> Wanted {
        if !self.names.keeps(url) {
            return Wanted::new(&[]);
        }
        if self.requisites && !self.is_inside(url) {
            return self.wanted.parts();
        }
        self.wanted
    }

    pub fn too_deep(&self, depth: u32, bond: Bond) -> Option<Reason> {
        let more = if self.is_part(bond) { DEPTH_OF_PARTS } else { 0 };
        self.limits.too_deep(depth.saturating_sub(more))
    }

    /// Why `url`, `depth` links from where it began, is left out, if it is. `promised` is the type that the link promises.
    pub fn refuses(&self, url: &Url, promised: Option<TypeGroup>, depth: u32, bond: Bond) -> Option<Reason> {
        let ruling = self.ruling(url);
        if ruling.is_some_and(|ruling| ruling.action == RuleAction::Deny) {
            return Some(Reason::RuleDenied);
        }
        let is_inside = || Taking::takes_in(ruling) || self.scope.contains(url).is_inside();
        if !self.is_part(bond) && !is_inside() {
            return Some(Reason::OutOfScope);
        }
        if let Some(reason) = self.too_deep(depth, bond) {
            return Some(reason);
        }
        if self.wanted_at(url).by_extension(promised) == TypeVerdict::Refuse {
            return Some(Reason::UnwantedType);
        }
        if url.is_web() { traps::syntax(url) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::{Project, ScopeKind};

    #[test]
    fn a5_requisites_come_from_everywhere_and_lead_nowhere() {
        let project = Project {
            requisites: true,
            depth_max: Some(1),
            reject: vec!["*.gif".to_owned()],
            ..Project::new("a", Vec::new())
        };
        let scope = Scope::new(ScopeKind::Host, &[Url::parse("http://a.test/").unwrap()]);
        let (rules, names) = (Rules::default(), FileNames::of(&project).unwrap());
        let taking = Taking {
            scope: &scope,
            step: None,
            rules: &rules,
            default: None,
            limits: &Limits::of(&project),
            wanted: Wanted::of(&project),
            names: &names,
            requisites: true,
        };
        let refuses = |text: &str, kind, holder, promised, depth| {
            let url = Url::parse(text).unwrap();
            taking.refuses(&url, promised, depth, Bond::of(kind, holder))
        };
        let (page, style, stranger) = (Holder::Page, Holder::Style, Holder::Stranger);
        let (assets, images) = (Some(TypeGroup::Assets), Some(TypeGroup::Images));
        for (text, kind, holder, promised, depth, refused) in [
            ("http://cdn.test/a.css", LinkKind::Style, page, assets, 1, None),
            // Beyond the depth of pages, but not without end.
            ("http://cdn.test/a.css", LinkKind::Style, page, assets, 2, None),
            ("http://cdn.test/b.png", LinkKind::Style, style, images, 4, None),
            (
                "http://cdn.test/c.css",
                LinkKind::Style,
                style,
                assets,
                5,
                Some(Reason::TooDeep),
            ),
            ("http://a.test/b.png", LinkKind::Image, page, images, 2, None),
            (
                "http://a.test/page",
                LinkKind::Anchor,
                page,
                None,
                2,
                Some(Reason::TooDeep),
            ),
            // Nobody is led on by what lies outside.
            (
                "http://cdn.test/",
                LinkKind::Anchor,
                page,
                None,
                1,
                Some(Reason::OutOfScope),
            ),
            (
                "http://x.test/b.png",
                LinkKind::Image,
                stranger,
                images,
                1,
                Some(Reason::OutOfScope),
            ),
            (
                "http://cdn.test/b.png",
                LinkKind::Image,
                style,
                images,
                1,
                Some(Reason::OutOfScope),
            ),
            (
                "http://cdn.test/b.gif",
                LinkKind::Image,
                page,
                images,
                1,
                Some(Reason::UnwantedType),
            ),
            (
                "http://cdn.test/b.pdf",
                LinkKind::Image,
                page,
                Some(TypeGroup::Documents),
                1,
                Some(Reason::UnwantedType),
            ),
        ] {
            assert_eq!(
                refuses(text, kind, holder, promised, depth),
                refused,
                "{text} {kind} {depth}"
            );
        }
        let without = Taking {
            requisites: false,
            ..taking
        };
        let style = Url::parse("http://cdn.test/a.css").unwrap();
        let part = Bond::of(LinkKind::Style, page);
        assert_eq!(without.refuses(&style, assets, 1, part), Some(Reason::OutOfScope));
        // A page that answers where an image was expected is read, and not kept.
        assert_eq!(
            taking.wanted_at(&style).decide(TypeGroup::Html),
            TypeVerdict::PassThrough
        );
    }
}
