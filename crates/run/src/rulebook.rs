//! What the project says about addresses, compiled once for a run. Nothing in it changes while the run works, but that the
//! scope grows by the hosts that seeds lead to.

use crate::error::RunError;
use crate::forms::SecretLookup;
use crate::scope::GrowingScope;
use crate::stages::follow::expected_group;
use crate::way::Way;
use crate::witness::Witness;
use gleaner_frontier::{Bond, FileNames, Holder, Limits, Rules, Scope, Taking, Wanted};
use gleaner_model::project::RuleAction;
use gleaner_model::{LinkKind, Project, Reason, Url};
use gleaner_parse::group_of_extension;
use std::sync::Arc;

#[expect(clippy::struct_excessive_bools, reason = "switches of the project")]
pub struct Rulebook {
    pub scope: GrowingScope,
    pub rules: Rules,
    /// For addresses that no rule speaks about; none: the scope decides.
    pub rules_default: Option<RuleAction>,
    /// The project's steps; none where everything in scope is taken.
    pub way: Option<Way>,
    pub witness: Option<Arc<Witness>>,
    pub wanted: Wanted,
    /// File names that are kept.
    pub names: FileNames,
    /// Parts of pages are taken with them, from other hosts too.
    pub requisites: bool,
    pub limits: Limits,
    pub obey_robots: bool,
    /// The project has a login: what visitors without it are shown proves little about the links of the run.
    pub logs_in: bool,
    /// What units list, by scheme.
    pub listed_schemes: Vec<&'static str>,
    /// Of so many documents that a listing shows unchanged one is fetched all the same; 0: none.
    pub sample_of_listed: u32,
    /// Addresses in scripts and comments are asked for too.
    pub script_links: bool,
}

impl Rulebook {
    /// `led_to`: where the seeds redirected to in the runs before.
    pub fn of(
        project: &Project,
        seeds: &[Url],
        led_to: &[Url],
        listed_schemes: Vec<&'static str>,
        secrets: &SecretLookup,
        witness: Option<&Arc<Witness>>,
    ) -> Result<Rulebook, RunError> {
        let scope = GrowingScope::new(Scope::new(project.scope, seeds));
        for url in led_to {
            scope.admit(url);
        }
        Ok(Rulebook {
            scope,
            rules: Rules::compile(&project.rules).map_err(RunError::Rules)?,
            rules_default: project.rules_default,
            way: Way::of(project, secrets, witness)?,
            witness: witness.cloned(),
            wanted: Wanted::of(project),
            names: FileNames::of(project)?,
            requisites: project.requisites,
            limits: Limits::of(project),
            obey_robots: project.obey_robots,
            logs_in: project.login.is_some(),
            listed_schemes,
            sample_of_listed: project.verify_content.sample(),
            script_links: project.script_links,
        })
    }

    /// Whether `url`, found `depth` links from a seed, may be taken up.
    pub fn refuses(&self, url: &Url, kind: LinkKind, depth: u32) -> Option<Reason> {
        self.refuses_in(url, kind, depth, None, Bond::Leads)
    }

    /// The same in a step, whose own rules are asked first.
    pub fn refuses_in(
        &self,
        url: &Url,
        kind: LinkKind,
        depth: u32,
        first: Option<&Rules>,
        bond: Bond,
    ) -> Option<Reason> {
        // Where a server lists what it has, nothing else leads there.
        let is_entry = matches!(kind, LinkKind::Entry | LinkKind::Redirect);
        let is_listed = is_entry && self.listed_schemes.contains(&url.scheme());
        if !url.is_web() && !is_listed {
            return Some(Reason::OutOfScope);
        }
        self.asking(first, |taking| {
            taking.refuses(url, expected_group(url, kind), depth, bond)
        })
    }

    fn asking<T>(&self, first: Option<&Rules>, ask: impl FnOnce(&Taking<'_>) -> T) -> T {
        self.scope.ask(|scope| {
            ask(&Taking {
                scope,
                step: first,
                rules: &self.rules,
                default: self.rules_default,
                limits: &self.limits,
                wanted: self.wanted,
                names: &self.names,
                requisites: self.requisites,
            })
        })
    }

    /// The types that are kept of what lies at `url`.
    pub fn wanted_at(&self, url: &Url) -> Wanted {
        self.asking(None, |taking| taking.wanted_at(url))
    }

    /// Who names the links of what lies at `url`.
    pub fn holder(&self, url: &Url, media_type: &str) -> Holder {
        if !self.requisites || self.asking(None, |taking| taking.is_inside(url)) {
            Holder::Page
        } else if media_type == "text/css" {
            Holder::Style
        } else {
            Holder::Stranger
        }
    }

    /// What lies at `url` is to some page that is not known here; `from` leads there, if it is a redirect.
    pub fn guess(&self, url: &Url, from: Option<&Url>) -> Bond {
        if !self.requisites {
            return Bond::Leads;
        }
        let of = |url: &Url| {
            let is_inside = self.asking(None, |taking| taking.is_inside(url));
            Bond::guess(is_inside, group_of_extension(url.path()))
        };
        match from {
            None => of(url),
            // What a page leads to is no part, wherever it lies.
            Some(from) if of(from) == Bond::Part => Bond::Part,
            Some(_) => Bond::guess(true, group_of_extension(url.path())),
        }
    }
}
