//! Calls that change something, each with what it was answered.

use super::leases::fenced;
use super::pages;
use super::player::{HOUR_MS, Player, below, one_in, pick};
use crate::keep::{Cut, Enqueue, Found, KeepWith, Refused};
use crate::runs::RunRef;
use crate::store::Store;
use crate::suite::pages::{all_of, later, project, url};
use crate::tracking::Beginning;
use crate::work::{Ending, Load, Purpose, Queued, Rescored, StoredRobots};
use gleaner_model::chance::SplitMix;
use gleaner_model::{HostId, Leg, LinkKind, Reason, ResourceId, State};

const ADDRESSES: [&str; 17] = [
    "/",
    "/1",
    "/2",
    "/3",
    "/4",
    "/d/",
    "/d/1",
    "/1?s=2",
    "/map",
    "http://sub.a.test/",
    "http://sub.a.test/1",
    "http://b.test/",
    "http://b.test/map",
    "ftp://f.test/d/",
    "ftp://f.test/d/1",
    "ftp://f.test/d/2",
    "ftp://f.test/d/",
];

pub(super) fn address(chance: &SplitMix) -> &'static str {
    pick(chance, &ADDRESSES)
}

pub(super) fn pick_reason(chance: &SplitMix) -> Reason {
    const REASONS: [Reason; 6] = [
        Reason::UnwantedType,
        Reason::NoIndex,
        Reason::ScriptLink,
        Reason::TrapDepth,
        Reason::AsBefore,
        Reason::Moved,
    ];
    pick(chance, &REASONS)
}

/// Any way to queue an address; with steps in a project that has some.
pub(super) fn entry(player: &Player, chance: &SplitMix, of: RunRef) -> Enqueue {
    let depth = below(chance, 3) as u32;
    let mut entry = Enqueue::page(i64::from(depth), depth);
    entry.score = score(chance);
    if player.has_steps(of) && !one_in(chance, 8) {
        for step in 0..3 {
            if one_in(chance, 2) {
                let depth = below(chance, 3) as u32;
                entry.legs.push(Leg { step, depth });
            }
        }
        entry.request = one_in(chance, 4).then(|| "{}".to_owned());
        return entry;
    }
    entry.purpose = pick(
        chance,
        &[
            Purpose::Page,
            Purpose::Page,
            Purpose::Page,
            Purpose::Guess,
            Purpose::Sitemap,
            Purpose::GuessedSitemap,
            Purpose::FoundSitemap,
        ],
    );
    if one_in(chance, 6) {
        entry.chain.push(url("/from").as_str().to_owned());
    }
    entry
}

pub(super) async fn seeds(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let starts = (0..=below(chance, 3)).map(|_| (url(address(chance)), entry(player, chance, of)));
    let starts = starts.collect();
    let now = player.now();
    let kept = store.enqueue_starts(of, starts, now).await.unwrap();
    player.tell("seeds", kept);
}

/// Some of the rows that wait for one host.
async fn some_rows(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) -> Vec<Queued> {
    let hosts = store.hosts_waiting(of).await.unwrap();
    if hosts.is_empty() {
        return Vec::new();
    }
    let limit = 1 + below(chance, 6);
    let of_host = fenced(player, chance, of, pick(chance, &hosts));
    let load = Load {
        limit,
        fence: of_host.fence,
        ..all_of(of_host.host)
    };
    let loaded = store.load(of, load, true).await.unwrap();
    player.tell("loaded", &loaded);
    loaded.rows
}

pub(super) async fn fetch(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    for _ in 0..=below(chance, 3) {
        let rows = some_rows(player, store, chance, of).await;
        keep(player, store, chance, of, &rows).await;
    }
}

pub(super) async fn take_along(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let rows = some_rows(player, store, chance, of).await;
    player.taken.extend(rows.into_iter().map(|row| (of, row)));
}

pub(super) async fn keep_taken(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let is_of = |taken: &mut (RunRef, Queued)| taken.0 == of;
    let taken: Vec<_> = player.taken.extract_if(.., is_of).collect();
    let rows: Vec<Queued> = taken.into_iter().map(|(_, row)| row).collect();
    keep(player, store, chance, of, &rows).await;
}

async fn keep(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef, rows: &[Queued]) {
    if rows.is_empty() {
        return;
    }
    let mut batch: Vec<_> = rows
        .iter()
        .map(|row| pages::any(player, chance, of, row))
        .collect();
    let mut with = KeepWith {
        active_ms: player.now as u64,
        cookies: one_in(chance, 3).then(|| b"sealed".to_vec()),
        refused: Refused::new(),
    };
    if !one_in(chance, 4) {
        let (met, found) = store.meet(of, batch).await.unwrap();
        batch = met;
        player.tell("met", &found);
        let refused = found.iter().filter(|_| one_in(chance, 4));
        with.refused = refused
            .map(|Found { key, .. }| (*key, pick_reason(chance)))
            .collect();
    }
    match store.keep(of, batch, with).await {
        Ok((_, kept)) => player.tell("kept", kept),
        Err(not_kept) => panic!("{}", not_kept.error),
    }
}

pub(super) async fn give_up(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let hosts = store.hosts_waiting(of).await.unwrap();
    let host =
        (!hosts.is_empty() && !one_in(chance, 6)).then(|| fenced(player, chance, of, pick(chance, &hosts)));
    let why = Ending {
        reason: pick(chance, &[Reason::HostPaused, Reason::AsBefore]),
        detail: one_in(chance, 2).then(|| "enough".to_owned()),
        state: pick(chance, &[None, Some(State::Err), Some(State::Out)]),
    };
    let now = player.now();
    let count = store.give_up(of, host, why, now).await.unwrap();
    player.tell("given up", count);
}

fn score(chance: &SplitMix) -> u16 {
    pick(chance, &[0, 0, 0, 1, 7, u16::MAX])
}

pub(super) async fn rescore(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let hosts = store.hosts_waiting(of).await.unwrap();
    if hosts.is_empty() {
        return;
    }
    let host = fenced(player, chance, of, pick(chance, &hosts));
    let loaded = store.load(of, all_of(host.host), false).await.unwrap();
    let some = loaded.rows.iter().filter(|_| !one_in(chance, 3));
    let rescored = some.map(|row| Rescored {
        resource: row.resource,
        priority: row.priority + i64::from(one_in(chance, 8)),
        score: score(chance),
    });
    let rescored = rescored.collect();
    let count = store.rescore(of, host, rescored).await.unwrap();
    player.tell("rescored", count);
}

pub(super) async fn robots(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let host = HostId(1 + below(chance, 3) as i64);
    robots_of(player, store, chance, of, host).await;
}

async fn robots_of(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef, host: HostId) {
    if !one_in(chance, 4) {
        store.note_dates(of).await.unwrap();
    }
    let robots = StoredRobots {
        status: Some(200),
        reason: one_in(chance, 3).then(|| "late".to_owned()),
        body: b"User-agent: *".to_vec(),
        at: player.now(),
    };
    let purposes = [Purpose::Sitemap, Purpose::GuessedSitemap];
    let sitemaps = (0..=below(chance, 2)).map(|_| {
        let mut entry = Enqueue::sitemap(0);
        entry.purpose = pick(chance, &purposes);
        entry.priority = -1;
        (
            url(pick(chance, &["/map", "/map", "http://b.test/map", "/1"])),
            entry,
        )
    });
    let sitemaps = sitemaps.collect();
    let kept = store.keep_robots(of, host, robots, sitemaps, !one_in(chance, 4));
    let kept = kept.await.unwrap();
    player.tell("robots", kept);
    let until = later(player.now + below(chance, 20 * HOUR_MS as usize) as i64);
    store.hold_hosts(vec![(host, until)]).await.unwrap();
}

pub(super) async fn track(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let known = store.known_documents(of.project, None).await.unwrap();
    player.tell("known", &known);
    let (now, has_steps) = (player.now(), player.has_steps(of));
    let begin = known.into_iter().filter(|_| !one_in(chance, 6)).map(|document| {
        let ask = if has_steps {
            Beginning::AskForSteps
        } else {
            Beginning::Ask
        };
        let beginning = match below(chance, 6) {
            0 => Beginning::Out(Reason::UnwantedType),
            1 => Beginning::List,
            _ => ask,
        };
        (document, beginning)
    });
    let legs = vec![Leg { step: 3, depth: 0 }];
    let documents = begin.collect();
    store.begin_documents(of, documents, legs, now).await.unwrap();
}

pub(super) async fn links(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let pages = store.link_pages_after(of.project, None).await.unwrap();
    let mut wanted: Vec<(ResourceId, (u32, LinkKind))> = Vec::new();
    for page in &pages {
        wanted.extend(
            page.targets()
                .map(|(target, kind)| (target, (page.depth + 1, kind))),
        );
    }
    let others = store.others_of_last_run(of).await.unwrap();
    player.tell("others", &others);
    wanted.extend(others.found.iter().map(|(of, _)| (*of, (1, LinkKind::InScript))));
    let links = store.known_links(of, wanted).await.unwrap();
    player.tell("links", &links);
    let now = player.now();
    let (begin, rest) = links.into_iter().partition(|_| one_in(chance, 2));
    store.begin_links(of, begin).await.unwrap();
    store.rest_links(of, rest, now).await.unwrap();
}

pub(super) async fn lists(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    match below(chance, 4) {
        0 => store.note_dates(of).await.unwrap(),
        1 => store.weigh_lists(of).await.unwrap(),
        _ => {
            let host = HostId(1 + below(chance, 2) as i64);
            track(player, store, chance, of).await;
            robots_of(player, store, chance, of, host).await;
            let load = Load {
                lists_only: true,
                fence: fenced(player, chance, of, host).fence,
                ..all_of(host)
            };
            let lists = store.load(of, load, true).await.unwrap();
            keep(player, store, chance, of, &lists.rows).await;
            let mut dated = store.dated_documents(of, host, None).await.unwrap();
            player.tell("dated", &dated);
            if let Some(first) = dated.first().cloned() {
                let behind = store.dated_documents(of, host, Some(first)).await.unwrap();
                player.tell("behind", behind);
            }
            dated.retain(|_| !one_in(chance, 4));
            let now = player.now();
            let settled = store.settle_unasked(of, host, dated, now).await.unwrap();
            player.tell("settled", settled);
        }
    }
}

pub(super) async fn sites(player: &mut Player, store: &dyn Store, chance: &SplitMix, of: RunRef) {
    let found = store
        .addresses_of_domain("a.test".to_owned(), None)
        .await
        .unwrap();
    let keys = found.iter().filter(|_| one_in(chance, 4)).map(|(id, text)| {
        let short = text.split('?').next().unwrap_or_default();
        (*id, url(short).key())
    });
    let keys = keys.collect();
    let (project, site, now) = (of.project, "a.test".to_owned(), player.now());
    match below(chance, 5) {
        0 => store
            .keep_rules(project, site, "[1]".to_owned(), now, keys)
            .await
            .unwrap(),
        1 => {
            let is_pinned = one_in(chance, 2);
            store
                .set_rules(project, site, "[2]".to_owned(), is_pinned, keys)
                .await
                .unwrap();
        }
        2 => {
            let noises = vec![("b.test".to_owned(), "{}".to_owned()), (site, now.0.to_string())];
            store.keep_noises(project, noises).await.unwrap();
        }
        3 => {
            let cut = Cut {
                reason: Reason::TrapDepth,
                shape: "/x".to_owned(),
                count: 7,
                example: url("/x").as_str().to_owned(),
            };
            store.keep_cuts(of, vec![cut.clone()]).await.unwrap();
            store.keep_traps(of.run, vec![1, 2], vec![cut]).await.unwrap();
        }
        _ => store.doubt_rules(of).await.unwrap(),
    }
}

pub(super) async fn projects(player: &mut Player, store: &dyn Store, chance: &SplitMix) {
    let now = player.now();
    let (name, other) = (
        pick(chance, &["third", "fourth", "plain"]),
        pick(chance, &["third", "fourth"]),
    );
    let told = |result: Result<String, crate::StoreError>| result.map_err(|error| error.to_string());
    match below(chance, 4) {
        0 => {
            let added = store.add_project(project(name), now).await;
            player.tell("added", told(added.map(|id| id.to_string())));
        }
        1 if name != "plain" => {
            let renamed = store.rename_project(name.to_owned(), other.to_owned()).await;
            player.tell("renamed", told(renamed.map(|()| String::new())));
        }
        2 => {
            if let Some((id, _)) = store.find_project(name.to_owned()).await.unwrap() {
                let removed = store.remove_project(id, now).await.unwrap();
                player.tell("removed", removed);
            }
        }
        _ => {
            let found = store.find_project(name.to_owned()).await.unwrap();
            player.tell("found", found);
        }
    }
    let unfinished = store.unfinished_run(None).await.unwrap();
    player.tell("unfinished", unfinished);
}
