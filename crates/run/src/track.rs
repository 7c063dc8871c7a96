//! A track begins with everything the project had, and with what its settings say about that today.

use crate::error::RunError;
use crate::stages::follow::Deciding;
use gleaner_frontier::revisit::Turns;
use gleaner_model::{Leg, LinkKind, Project, Reason, ResourceId, RunId, Timestamp, Url};
use gleaner_store::Keeper;
use gleaner_store::keep::LastAnswer;

/// Queues what the project had before; harmless to repeat when a run is resumed. How rarely what gave no document before is
/// asked for; none where it is asked for at once, because the settings changed.
pub(crate) fn begin(
    keeper: &mut Keeper,
    project: &Project,
    deciding: &Deciding,
    now: Timestamp,
) -> Result<Option<Turns>, RunError> {
    let is_other = keeper
        .last_settings()?
        .is_some_and(|last| !collects_the_same(&last, project));
    let run = keeper.run();
    // Links that no run followed are followed now only if other settings decide about them. Steps find theirs themselves:
    // their pages are read whole in every run.
    let (others, turns) = if is_other {
        (None, None)
    } else {
        let others = keeper.others_of_last_run()?;
        let turns = Turns::of(others.count(), keeper.documents_count()?);
        (Some(others), Some(turns))
    };
    let mut decide =
        |url: &Url, kind: Option<LinkKind>, depth: u32, last: Option<(ResourceId, LastAnswer)>| {
            if let (Some(turns), Some((resource, last))) = (turns, last)
                && rests(resource, last, run, turns)
            {
                return Some(Reason::AsBefore);
            }
            let is_guess = kind.is_some_and(LinkKind::is_guess);
            if kind == Some(LinkKind::InScript) && !deciding.script_links {
                return Some(Reason::ScriptLink);
            }
            let kind = kind.unwrap_or(if url.is_web() {
                LinkKind::Anchor
            } else {
                LinkKind::Entry
            });
            let refused = match &deciding.way {
                Some(way) => way.refuses_document(deciding, url, kind),
                None => deciding.refuses(url, kind, depth),
            };
            refused.or_else(|| (is_guess && !deciding.takes_guess(url)).then_some(Reason::ScriptLink))
        };
    let is_listed = |url: &Url| deciding.listed_schemes.contains(&url.scheme());
    let legs: Vec<Leg> = (deciding.way.iter())
        .map(|way| Leg {
            step: way.last(),
            depth: 0,
        })
        .collect();
    keeper.enqueue_known(others.as_ref(), &legs, &mut decide, &is_listed, now)?;
    Ok(turns)
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
        && last.depth_max == now.depth_max
        && last.obey_robots == now.obey_robots
        && last.script_links == now.script_links
}
