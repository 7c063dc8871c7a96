//! A look at what readers are told.

use super::player::Player;
use crate::Ledger;
use crate::ledger::{DocumentFilter, Extent, LinkEnd, ListPlace};
use crate::runs::RunRef;
use crate::store::Store;
use crate::suite::pages::url;
use gleaner_model::{DocumentId, Reason, ResourceId, RunId, State, VersionId};
use std::collections::BTreeMap;

/// Rows of a page: few, so that there are many pages.
const PAGE: usize = 3;
/// Numbers that there are or that there are not yet.
const NUMBERS: i64 = 12;

pub(super) fn look(player: &mut Player, store: &dyn Store, of: RunRef) {
    let ledger = store.reader().unwrap();
    let ledger = &*ledger;
    of_run(player, ledger, of.run);
    of_project(player, ledger, of);
    of_documents(player, ledger);
    of_versions(player, ledger);
    of_followers(player, ledger);
    of_resources(player, ledger, of.run);
}

fn of_run(player: &mut Player, ledger: &dyn Ledger, run: RunId) {
    let mut after = None;
    loop {
        let page = ledger.changes(run, None, after, PAGE).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.change);
        player.tell("changes", &page);
    }
    for state in State::ALL {
        let found: Vec<_> = ledger.all_changes(run, Some(state)).collect();
        player.tell("of a state", found.len());
    }
    player.tell("states", ledger.states(run).unwrap());
    player.tell("before", ledger.before(run).unwrap());
    player.tell("cuts", ledger.cuts(run).unwrap());
    player.tell("notes", ledger.notes(run).unwrap());
    let reason = Reason::ConnectTimeout;
    player.tell("reason", ledger.count_of_reason(run, reason).unwrap());
    let mut after = None;
    loop {
        let page = ledger.sightings(run, after, PAGE).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.resource);
        player.tell("sightings", &page);
    }
    player.tell("judgements", ledger.judgements(run, None, 100).unwrap());
    player.tell("moves", ledger.moves(run).unwrap());
}

fn of_project(player: &mut Player, ledger: &dyn Ledger, of: RunRef) {
    let (project, run) = (of.project, of.run);
    player.tell("runs", ledger.runs().unwrap());
    player.tell("projects", ledger.project_rows().unwrap());
    player.tell("in use", ledger.projects().unwrap());
    player.tell("last run", ledger.last_run_of(project).unwrap());
    player.tell("held", ledger.holdings(project, run).unwrap());
    player.tell("then", ledger.documents_then(project, run).unwrap());
    let pruned: BTreeMap<_, _> = ledger.pruned_then(project, run).unwrap().into_iter().collect();
    player.tell("pruned", pruned);
    let detours = ledger.detours_then(project, run).unwrap();
    let detours: BTreeMap<_, _> = detours.into_iter().map(|(from, to)| (from.0, to.0)).collect();
    player.tell("detours", detours);
    player.tell("with history", ledger.documents_with_history(project).unwrap());
    let extent = Extent {
        projects: vec![project],
        run: Some(run),
    };
    player.tell("looks", ledger.looks(&extent, VersionId(0), 100).unwrap());
}

fn of_documents(player: &mut Player, ledger: &dyn Ledger) {
    let all = DocumentFilter::default();
    let mut after = None;
    loop {
        let page = ledger.documents(&all, after, PAGE).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        player.tell("documents", &page);
    }
    let some = DocumentFilter {
        host: Some("a.test".to_owned()),
        media_type: Some("text".to_owned()),
        only_absent: true,
        ..DocumentFilter::default()
    };
    player.tell("absent", ledger.documents(&some, None, 100).unwrap());
    player.tell("first", ledger.first_versions(DocumentId(1), 100).unwrap());
    for id in (1..=NUMBERS).map(DocumentId) {
        let at = ledger.find_document(id).unwrap();
        let versions = ledger.versions(id).unwrap();
        let pruned = ledger.pruned_versions(id).unwrap();
        let events = ledger.events(id).unwrap();
        player.tell("document", (at, versions, pruned, events));
    }
}

fn of_versions(player: &mut Player, ledger: &dyn Ledger) {
    player.tell("versions", ledger.versions_behind(VersionId(2), 100).unwrap());
    player.tell("counted", ledger.count_versions(VersionId(3)).unwrap());
    for id in (1..=NUMBERS).map(VersionId) {
        let standing = ledger.standing(id).unwrap();
        let stored = ledger.stored(id).unwrap();
        player.tell("stored", stored);
        let Some(standing) = standing else { continue };
        let content = ledger.content(standing.document, Some(id)).unwrap();
        player.tell("standing", (standing, content));
    }
}

fn of_followers(player: &mut Player, ledger: &dyn Ledger) {
    let mut position = ledger.position("follower").unwrap();
    player.tell("at", position);
    loop {
        let page = ledger.changes_after(position, PAGE).unwrap();
        let Some(last) = page.last() else { break };
        position = last.position;
        player.tell("followed", &page);
    }
}

fn of_resources(player: &mut Player, ledger: &dyn Ledger, run: RunId) {
    player.tell("resources", ledger.resources(ResourceId(1), 100).unwrap());
    player.tell("addresses", ledger.addresses(ResourceId(0), 100).unwrap().len());
    for id in (1..=NUMBERS).map(ResourceId) {
        let out = ledger.links(id, LinkEnd::Out).unwrap();
        let leading = ledger.links(id, LinkEnd::In).unwrap();
        let approaches = ledger.approaches(id, run).unwrap();
        let visit = ledger.last_visit(id).unwrap();
        let document = ledger.document_at(id).unwrap();
        player.tell("resource", (out, leading, approaches, visit, document));
    }
    for run in [None, Some(run)] {
        let mut next = Some(ListPlace::default());
        while let Some(place) = next {
            let lists = ledger.link_lists(run, place, PAGE).unwrap();
            player.tell("lists", &lists);
            next = lists.next;
        }
    }
    let robots = ledger.robots_of(&url("/")).unwrap();
    let (sizes, last) = (ledger.sizes().unwrap(), ledger.last_resource().unwrap());
    let sizes = (
        sizes.documents,
        sizes.resources,
        sizes.hosts,
        sizes.list_bytes,
        sizes.host_bytes,
    );
    player.tell("whole", (robots, sizes, last));
}
