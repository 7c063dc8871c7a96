//! A track begins with everything the project had, and with what its settings say about that today.

use crate::error::RunError;
use crate::rulebook::Rulebook;
use crate::run_store::RunStore;
use gleaner_frontier::revisit::Turns;
use gleaner_frontier::{Bond, Holder};
use gleaner_model::{Leg, LinkKind, Project, Reason, ResourceId, RunId, Timestamp, Url};
use gleaner_store::keep::LastAnswer;
use gleaner_store::tracking::{Beginning, KnownDocument, KnownLink, LinkPage, Others};
use gleaner_store::wait;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Queues what the project had before; harmless to repeat when a run is resumed. How rarely what gave no document before is
/// asked for; none where it is asked for at once, because the settings changed.
pub(crate) fn begin(
    run: &RunStore,
    project: &Project,
    rules: &Rulebook,
    now: Timestamp,
) -> Result<Option<Turns>, RunError> {
    let is_other =
        wait(run.store.last_settings(run.of))?.is_some_and(|last| !collects_the_same(&last, project));
    // Links that no run followed are followed now only if other settings decide about them. Steps find theirs themselves:
    // their pages are read whole in every run.
    let (others, turns) = if is_other {
        (None, None)
    } else {
        let others = wait(run.store.others_of_last_run(run.of))?;
        let turns = Turns::of(
            others.found.len() as u64,
            wait(run.store.documents_count(run.of.project))?,
        );
        (Some(others), Some(turns))
    };
    begin_documents(run, rules, now)?;
    if rules.way.is_none() {
        let mut links = Links {
            run,
            rules,
            turns,
            now,
        };
        links.begin(others.as_ref())?;
    }
    Ok(turns)
}

/// Documents are asked for by themselves, and not only where a page still links to them (B1).
fn begin_documents(run: &RunStore, rules: &Rulebook, now: Timestamp) -> Result<(), RunError> {
    let legs: Vec<Leg> = (rules.way.iter())
        .map(|way| Leg {
            step: way.last(),
            depth: 0,
        })
        .collect();
    let mut last = None;
    loop {
        let documents = wait(run.store.known_documents(run.of.project, last))?;
        let Some(document) = documents.last() else {
            return Ok(());
        };
        last = Some(document.document);
        let decided: Vec<(KnownDocument, Beginning)> = documents
            .into_iter()
            .map(|document| {
                let beginning = beginning_of(&document, rules);
                (document, beginning)
            })
            .collect();
        wait(run.store.begin_documents(run.of, decided, legs.clone(), now))?;
    }
}

fn beginning_of(document: &KnownDocument, rules: &Rulebook) -> Beginning {
    let url = &document.url;
    let kind = if url.is_web() {
        LinkKind::Anchor
    } else {
        LinkKind::Entry
    };
    // How it was found is not known any more.
    let bond = rules.guess(url, None);
    match refusal(rules, url, kind, document.depth, bond) {
        Some(reason) => Beginning::Out(reason),
        None if rules.way.is_some() => Beginning::AskForSteps,
        None if rules.listed_schemes.contains(&url.scheme()) => Beginning::List,
        None => Beginning::Ask,
    }
}

fn refusal(rules: &Rulebook, url: &Url, kind: LinkKind, depth: u32, bond: Bond) -> Option<Reason> {
    match &rules.way {
        Some(way) => way.refuses_document(rules, url, kind),
        None => rules.refuses_in(url, kind, depth, None, bond),
    }
}

/// The targets of stored links that are no documents: nobody else would follow them, because an unchanged page is not read
/// again.
struct Links<'a> {
    run: &'a RunStore,
    rules: &'a Rulebook,
    turns: Option<Turns>,
    now: Timestamp,
}

impl Links<'_> {
    /// Those that the last run took up; all of them where nobody says which these are.
    fn begin(&mut self, others: Option<&Others>) -> Result<(), RunError> {
        let mut open = match others {
            None => None,
            Some(others) => Some(self.begin_where_found(&others.found)?),
        };
        let mut last = None;
        while open.as_ref().is_none_or(|open| !open.is_empty()) {
            let pages = wait(self.run.store.link_pages_after(self.run.of.project, last))?;
            let Some(page) = pages.last() else { break };
            last = Some(page.source);
            let wanted = named_on(&pages, |target| {
                open.as_ref().is_none_or(|open| open.contains(&target))
            });
            for done in self.decide(wanted)? {
                if let Some(open) = &mut open {
                    open.remove(&done);
                }
            }
        }
        Ok(())
    }

    /// Those that still stand on the page that they were found on; gives back the others, which any page may name.
    fn begin_where_found(
        &mut self,
        others: &[(ResourceId, ResourceId)],
    ) -> Result<HashSet<ResourceId>, RunError> {
        let mut open: HashSet<ResourceId> = others.iter().map(|(other, _)| *other).collect();
        let sources: BTreeSet<ResourceId> = others.iter().map(|(_, source)| *source).collect();
        let sources: Vec<ResourceId> = sources.into_iter().collect();
        for sources in sources.chunks(SOURCES) {
            let pages = wait(self.run.store.link_pages(self.run.of.project, sources.to_vec()))?;
            let wanted = named_on(&pages, |target| open.contains(&target));
            for done in self.decide(wanted)? {
                open.remove(&done);
            }
        }
        Ok(open)
    }

    /// Gives back what is decided; what was refused here may be taken where another page names it.
    fn decide(&mut self, wanted: Wanted) -> Result<Vec<ResourceId>, RunError> {
        let run = self.run;
        let (mut asked, mut resting) = (Vec::new(), Vec::new());
        for link in wait(run.store.known_links(run.of, wanted.into_iter().collect()))? {
            let rests = match (self.turns, link.last) {
                (Some(turns), Some(last)) => rests(link.resource, last, run.of.run, turns),
                _ => false,
            };
            let bond = match link.kind {
                LinkKind::Redirect => self.rules.guess(&link.url, None),
                kind => Bond::of(kind, Holder::Page),
            };
            if rests {
                resting.push(link);
            } else if Self::takes_guess(&link)
                && refusal(self.rules, &link.url, link.kind, link.depth, bond).is_none()
            {
                asked.push(link);
            }
        }
        let done = asked.iter().chain(&resting);
        let done = done.map(|link| link.resource).collect();
        wait(run.store.rest_links(run.of, resting, self.now))?;
        wait(run.store.begin_links(run.of, asked))?;
        Ok(done)
    }
}

impl Links<'_> {
    /// False for an address that nobody promised and that gave no document: its page may ask for it again when that is read.
    fn takes_guess(link: &KnownLink) -> bool {
        !link.kind.is_guess()
    }
}

/// Pages whose links are looked at in one go.
const SOURCES: usize = 4000;

/// Links to be taken up, each from the place nearest to the seeds.
type Wanted = BTreeMap<ResourceId, (u32, LinkKind)>;

/// The targets of pages that somebody wants.
fn named_on(pages: &[LinkPage], is_wanted: impl Fn(ResourceId) -> bool) -> Wanted {
    let mut wanted = Wanted::new();
    for page in pages {
        let followed = |kind: LinkKind| kind.is_followed() && kind != LinkKind::Entry;
        for (target, kind) in page
            .targets()
            .filter(|(target, kind)| followed(*kind) && is_wanted(*target))
        {
            let depth = page.depth + u32::from(kind != LinkKind::Refresh);
            let place = wanted.entry(target).or_insert((depth, kind));
            // What a link leads to is no guess, however near the guess is.
            let order = |(depth, kind): (u32, LinkKind)| (kind.is_guess(), depth, kind);
            if order((depth, kind)) < order(*place) {
                *place = (depth, kind);
            }
        }
    }
    wanted
}

/// Whether an address that gave no document the last time is left alone in this run: it led to what is still there, or was
/// of a type that is not taken. Its turn comes.
pub(crate) fn rests(resource: ResourceId, last: LastAnswer, run: RunId, turns: Turns) -> bool {
    last != LastAnswer::Redirect { is_there: false } && !turns.is_due(resource.0, run.0)
}

fn collects_the_same(last: &Project, now: &Project) -> bool {
    last.seeds == now.seeds
        && last.scope == now.scope
        && last.rules == now.rules
        && last.rules_default == now.rules_default
        && last.types == now.types
        && last.requisites == now.requisites
        && last.accept == now.accept
        && last.reject == now.reject
        && last.depth_max == now.depth_max
        && last.obey_robots == now.obey_robots
        && last.script_links == now.script_links
}
