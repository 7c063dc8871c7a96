//! A look at everything that a store answers without being changed.

use super::player::{Player, below, one_in};
use super::reads;
use crate::runs::RunRef;
use crate::store::Store;
use crate::suite::pages::{all_of, later, url};
use crate::work::Load;
use gleaner_model::chance::SplitMix;
use gleaner_model::{HostId, LinkKind, ResourceId, State};

/// Hosts and resources that there are or that there are not yet.
const HOSTS: i64 = 6;
const RESOURCES: i64 = 14;

pub(super) async fn look(player: &mut Player, store: &dyn Store, chance: &SplitMix) {
    let Some(of) = player.runs.last().copied() else {
        return;
    };
    for place in 0..player.runs.len() {
        let run = player.runs[place];
        let row = store.run_row(run.run).await.unwrap();
        player.tell("run", row);
        let counts = store.counts(run.run).await.unwrap();
        player.tell("counts", counts);
    }
    let of = if one_in(chance, 3) {
        player.runs[below(chance, player.runs.len())]
    } else {
        of
    };
    of_run(player, store, chance, of).await;
    match below(chance, 4) {
        0 => of_project(player, store, of).await,
        1 => of_addresses(player, store, of).await,
        2 => reads::look(player, store, of),
        _ => of_settling(player, store, of).await,
    }
}

async fn of_run(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let waiting = store.hosts_waiting(of).await.unwrap();
    player.tell("waiting", &waiting);
    for host in waiting {
        let mut load = all_of(host);
        let loaded = store.load(of, load.clone(), true).await.unwrap();
        player.tell("rows", &loaded);
        let Some(first) = loaded.rows.first() else {
            continue;
        };
        load = match below(chance, 4) {
            0 => Load { limit: 1, ..load },
            1 => Load {
                after: Some(first.place()),
                ..load
            },
            2 => Load {
                priority_below: Some(2),
                held: [first.resource].into(),
                ..load
            },
            _ => Load {
                lists_only: true,
                ..load
            },
        };
        let loaded = store.load(of, load, true).await.unwrap();
        player.tell("some rows", loaded);
    }
    let by_host = store.documents_by_host(of).await.unwrap();
    player.tell("documents", by_host);
    let held = store.hosts_held(later(player.now)).await.unwrap();
    player.tell("held", held);
    let cookies = store.cookies(of.run).await.unwrap();
    player.tell("cookies", cookies);
    let round = store.round(of).await.unwrap();
    player.tell("round", round);
    let mut trusted: Vec<HostId> = store.trusted_lists().await.unwrap().into_iter().collect();
    trusted.sort_unstable();
    player.tell("trusted", trusted);
}

async fn of_project(player: &mut Player, store: &dyn Store, of: RunRef) {
    let documents = store.known_documents(of.project, None).await.unwrap();
    player.tell("known", &documents);
    let count = store.documents_count(of.project).await.unwrap();
    let has_any = store.has_documents(of.project).await.unwrap();
    player.tell("count", (count, has_any));
    let links = store.link_pages_after(of.project, None).await.unwrap();
    player.tell("links", &links);
    let sources = links.iter().rev().map(|page| page.source).collect();
    let again = store.link_pages(of.project, sources).await.unwrap();
    player.tell("the same", again);
    let others = store.others_of_last_run(of).await.unwrap();
    player.tell("others", others);
    let rules = store.site_rules(of.project).await.unwrap();
    player.tell("rules", rules);
    let noises = store.noises(of.project).await.unwrap();
    player.tell("noises", noises);
    let traps = store.traps(of.run).await.unwrap();
    let before = store.traps_before(of).await.unwrap();
    player.tell("traps", (traps, before));
}

async fn of_addresses(player: &mut Player, store: &dyn Store, of: RunRef) {
    for domain in ["a.test", "b.test", "f.test", "test"] {
        let found = store.addresses_of_domain(domain.to_owned(), None).await.unwrap();
        player.tell(domain, found);
    }
    for number in 1..=RESOURCES {
        let resource = ResourceId(number);
        let end = store.end_of_redirects(resource).await.unwrap();
        let source = store.first_found_on(resource).await.unwrap();
        let found = store.found_at(of, resource).await.unwrap();
        player.tell("resource", (end, source, found));
    }
    let wanted = (1..=RESOURCES).map(|number| (ResourceId(number), (1, LinkKind::Anchor)));
    let links = store.known_links(of, wanted.collect()).await.unwrap();
    player.tell("links", links);
    for text in ["/", "/d/", "ftp://f.test/d/", "/3"] {
        let visit = store.folder_visit(of, url(text)).await.unwrap();
        let at = store.folder_at(url(text)).await.unwrap();
        let has_files = store.names_files(of, url(text).as_str().to_owned());
        let redirects = store.redirects_of(vec![url(text)]).await.unwrap();
        let found = store.resources_of(vec![url(text)]).await.unwrap();
        let files = has_files.await.unwrap();
        player.tell(text, (visit, at, files, redirects, found));
    }
    for number in 1..=HOSTS {
        let robots = store.robots(HostId(number)).await.unwrap();
        let open = store.open_list(of, HostId(number)).await.unwrap();
        player.tell("host", (robots, open));
    }
}

async fn of_settling(player: &mut Player, store: &dyn Store, of: RunRef) {
    for state in State::ALL {
        let found = store.candidates(of, state, None).await.unwrap();
        player.tell(state.as_str(), found);
    }
    let counts = store.counts_by_host(of).await.unwrap();
    for counts in counts {
        let documents = store.host_documents(of, counts.host).await.unwrap();
        player.tell("host", (counts, documents));
    }
    let unlisted = store.unlisted(of, vec!["ftp", "http"]).await.unwrap();
    player.tell("unlisted", unlisted);
}
