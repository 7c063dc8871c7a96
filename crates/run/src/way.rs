//! Where does a project's way lead from a page? Its steps, arranged for that question (A2).
//!
//! A page belongs to the steps that reached it, each at its own depth ([`Leg`]). Behind the last step comes one more,
//! which only looks at what the project had before and no step reached: so nothing is called gone that nobody asked for.

use crate::error::RunError;
use crate::forms::{Filler, SecretLookup, Sent, posted};
use crate::rulebook::Rulebook;
use crate::witness::{RuleAt, Sight, Witness, tell};
use gleaner_frontier::taking::DEPTH_OF_PARTS;
use gleaner_frontier::{Bond, Rules};
use gleaner_model::steps::{Start, Step};
use gleaner_model::{Leg, LinkKind, Project, Reason, Url, UrlKey};
use gleaner_parse::Selector;
use gleaner_store::keep::Enqueue;
use gleaner_units::Posted;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub struct Way {
    stations: Vec<Station>,
    witness: Option<Arc<Witness>>,
    /// Forms with secrets in them, by the address of their answer: they are written down nowhere, so a run that was killed
    /// between such a form and its answer does not know it any more.
    sealed: Mutex<HashMap<UrlKey, (Url, Arc<Posted>)>>,
}

struct Station {
    step: Step,
    rules: Rules,
    goes: Option<Onward>,
    /// How often it found where to begin.
    begun: AtomicU64,
    /// Why it did not, the last time.
    missed: Mutex<String>,
}

/// What a step does with a page of the one before.
pub enum Onward {
    /// Goes on to the links that a selector finds.
    Links(Selector),
    /// Fills a form.
    Form(Filler),
}

impl Way {
    /// None for a project without steps.
    pub fn of(
        project: &Project,
        secrets: &SecretLookup,
        witness: Option<&Arc<Witness>>,
    ) -> Result<Option<Way>, RunError> {
        let stations = project.steps.iter().map(|step| {
            let goes = match &step.start {
                Start::Urls(_) => None,
                Start::Form(filling) => Some(Onward::Form(Filler::of(filling, &step.name, secrets)?)),
                Start::Links(text) => {
                    let selector = Selector::check(text).map_err(|e| RunError::Step {
                        step: step.name.clone(),
                        why: e.to_string(),
                    })?;
                    Some(Onward::Links(selector))
                }
            };
            Ok(Station {
                step: step.clone(),
                rules: Rules::compile(&step.rules).map_err(RunError::Rules)?,
                goes,
                begun: AtomicU64::new(0),
                missed: Mutex::default(),
            })
        });
        let stations = stations.collect::<Result<Vec<_>, RunError>>()?;
        let witness = witness.cloned();
        let sealed = Mutex::default();
        Ok((!stations.is_empty()).then_some(Way {
            stations,
            witness,
            sealed,
        }))
    }

    /// The number behind all steps.
    pub fn last(&self) -> u32 {
        self.stations.len() as u32
    }

    /// Whether a page is a document, or only on the way to others. What no step reached is looked at as what it was.
    pub fn keeps(&self, legs: &[Leg]) -> bool {
        let mut reached = legs.iter().filter_map(|leg| self.station(leg.step)).peekable();
        reached.peek().is_none() || reached.any(|station| station.step.keep)
    }

    /// The legs on which a link of a page is followed, and why the others are not.
    pub fn legs_of_link(
        &self,
        rules: &Rulebook,
        legs: &[Leg],
        url: &Url,
        kind: LinkKind,
        bond: Bond,
    ) -> (Vec<Leg>, Option<Reason>) {
        let (mut taken, mut refused) = (Vec::new(), None);
        for leg in legs {
            let depth = leg.depth + u32::from(kind != LinkKind::Refresh && kind != LinkKind::Redirect);
            let Some(station) = self.station(leg.step) else {
                if kind == LinkKind::Redirect {
                    taken.push(*leg); // A document that lies elsewhere now.
                }
                continue;
            };
            let more = match bond {
                Bond::Part if rules.requisites => DEPTH_OF_PARTS,
                _ => 0,
            };
            if depth > station.step.depth.saturating_add(more) {
                continue; // Not a cut: so far and no further was what was asked for.
            }
            match rules.refuses_in(url, kind, depth, Some(&station.rules), bond) {
                None => taken.push(Leg {
                    step: leg.step,
                    depth,
                }),
                reason => refused = reason,
            }
        }
        (taken, refused)
    }

    /// Whether `url`, where step `step` is to begin, may be asked for.
    pub fn refuses_start(&self, rules: &Rulebook, step: u32, url: &Url) -> Option<Reason> {
        let own = self.station(step).map(|station| &station.rules);
        rules.refuses_in(url, LinkKind::Anchor, 0, own, Bond::Leads)
    }

    /// The rule of a page's steps that speaks about `url`.
    pub fn rule_for(&self, legs: &[Leg], url: &Url) -> Option<RuleAt> {
        legs.iter().find_map(|leg| {
            let (_, index) = self.station(leg.step)?.rules.decide(url)?;
            let step = Some(leg.step);
            Some(RuleAt { step, index })
        })
    }

    /// The steps that go on from a page on these legs.
    pub fn onward<'a>(&'a self, legs: &'a [Leg]) -> impl Iterator<Item = (u32, &'a Onward)> {
        let stations = (0u32..).zip(&self.stations);
        stations.filter_map(|(number, station)| {
            let from = station.step.from.map(|from| from as u32);
            let is_from = legs.iter().any(|leg| from == Some(leg.step));
            is_from.then_some((number, station.goes.as_ref()?))
        })
    }

    /// Whether a page on these legs may lead to others: then "not modified" would not do, for nothing could be read in it.
    pub fn leads_on(&self, legs: &[Leg]) -> bool {
        let is_deeper = |leg: &Leg| {
            self.station(leg.step)
                .is_some_and(|station| leg.depth < station.step.depth)
        };
        legs.iter().any(is_deeper) || self.onward(legs).next().is_some()
    }

    /// A step filled in the form of a page.
    pub fn filled(&self, step: u32, page: &Url, sent: &Sent) {
        self.note(step, Ok(1));
        let request = &sent.request;
        if request.is_secret {
            let media_type = request.content_type.clone().unwrap_or_default();
            let posted = posted(media_type, request.body.clone(), true);
            let mut sealed = self.sealed.lock().unwrap_or_else(PoisonError::into_inner);
            sealed.insert(sent.url.key(), (request.url.clone(), posted));
        }
        tell(self.witness.as_ref(), || Sight::Form {
            step: Some(step),
            page: page.clone(),
            method: sent.request.method,
            action: sent.action.clone(),
            answer: sent.url.clone(),
            fields: sent.fields.clone(),
        });
    }

    /// A form with secrets in it that leads to this address: where it goes and what is sent.
    pub fn sealed(&self, url: &Url) -> Option<(Url, Arc<Posted>)> {
        let sealed = self.sealed.lock().unwrap_or_else(PoisonError::into_inner);
        sealed.get(&url.key()).cloned()
    }

    /// A step found where to begin, or why it did not on this page.
    pub fn note(&self, step: u32, found: Result<u64, String>) {
        let Some(station) = self.station(step) else { return };
        match found {
            Ok(count) => {
                station.begun.fetch_add(count, Ordering::Relaxed);
            }
            Err(why) => *station.missed.lock().unwrap_or_else(PoisonError::into_inner) = why,
        }
    }

    /// Steps that found no place to begin, in one sentence each.
    pub fn idle(&self) -> Vec<String> {
        let idle = self
            .stations
            .iter()
            .filter(|station| station.goes.is_some() && station.begun.load(Ordering::Relaxed) == 0);
        idle.map(|station| {
            let missed = station.missed.lock().unwrap_or_else(PoisonError::into_inner);
            let why = match (&station.goes, missed.is_empty()) {
                (_, false) => missed.clone(),
                (Some(Onward::Links(selector)), true) => {
                    format!("no link was found by {}", selector.as_str())
                }
                _ => "no page led to it".to_owned(),
            };
            format!("step '{}' found no place to begin: {why}", station.step.name)
        })
        .collect()
    }

    /// Whether no step would take a document that the project has.
    pub fn refuses_document(&self, rules: &Rulebook, url: &Url, kind: LinkKind) -> Option<Reason> {
        let bond = rules.guess(url, None);
        let mut refused = None;
        for station in &self.stations {
            refused = rules.refuses_in(url, kind, 0, Some(&station.rules), bond);
            refused?;
        }
        refused
    }

    fn station(&self, step: u32) -> Option<&Station> {
        self.stations.get(step as usize)
    }
}

/// What a run begins with: the sources, or where its steps begin by themselves.
pub fn starts(project: &Project) -> Result<Vec<(Url, Enqueue)>, RunError> {
    let url = |text: &String| Url::parse(text).map_err(|_| RunError::Seed { seed: text.clone() });
    if project.steps.is_empty() {
        let seeds = project.seeds.iter();
        return seeds.map(|seed| Ok((url(seed)?, Enqueue::page(0, 0)))).collect();
    }
    let mut starts = Vec::new();
    for (number, step) in (0u32..).zip(&project.steps) {
        let Start::Urls(urls) = &step.start else { continue };
        for text in urls {
            let leg = Leg {
                step: number,
                depth: 0,
            };
            let entry = Enqueue {
                legs: vec![leg],
                ..Enqueue::page(0, 0)
            };
            starts.push((url(text)?, entry));
        }
    }
    Ok(starts)
}

/// The addresses whose sites are the project's own.
pub fn homes(project: &Project) -> Result<Vec<Url>, RunError> {
    let url = |text: &String| Url::parse(text).map_err(|_| RunError::Seed { seed: text.clone() });
    let mut homes: Vec<Url> = project.seeds.iter().map(url).collect::<Result<_, _>>()?;
    for (start, _) in starts(project)? {
        if !homes.contains(&start) {
            homes.push(start);
        }
    }
    Ok(homes)
}
