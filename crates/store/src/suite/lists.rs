//! What sites' lists say of pages, and how far they are believed (B2).

use super::pages::{
    all_of, answered, begin, keep, keep_all, later, link, next_run, nothing, page, row, seed, url,
    waiting_urls,
};
use crate::Outlinks;
use crate::keep::{Enqueue, Keep, Outcome};
use crate::runs::{RunKind, RunRef};
use crate::settling::DatedDocument;
use crate::store::Store;
use crate::tracking::Beginning;
use crate::work::{Load, StoredRobots};
use gleaner_model::{HostId, LinkKind, Modified, Reason, State, Timestamp, defaults};

fn robots() -> StoredRobots {
    StoredRobots {
        status: Some(200),
        reason: None,
        body: b"Sitemap: /map".to_vec(),
        at: later(0),
    }
}

/// A list that dates these addresses, as the page of a row.
fn list(row: &crate::work::Queued, dated: &[(&str, Timestamp)]) -> Keep {
    let mut outlinks = Outlinks::default();
    for (to, at) in dated {
        outlinks.push(&link(to, LinkKind::Sitemap), None, Some(Enqueue::page(1, 1)));
        outlinks.date_last(Modified { at: *at, until: *at });
    }
    Keep {
        outlinks,
        ..answered(row, 200, None)
    }
}

/// A track of pages that an earlier run fetched, whose host's list `/map` is queued before them.
async fn track(store: &dyn Store, pages: &[&str]) -> (RunRef, HostId) {
    let of = begin(store, "p").await;
    seed(store, of, pages).await;
    keep_all(store, of).await;
    begin_track(store, of).await
}

async fn begin_track(store: &dyn Store, of: RunRef) -> (RunRef, HostId) {
    let of = next_run(store, of, RunKind::Track).await;
    let known = store.known_documents(of.project, None).await.unwrap();
    let ask = known
        .into_iter()
        .map(|document| (document, Beginning::Ask))
        .collect();
    store
        .begin_documents(of, ask, Vec::new(), later(0))
        .await
        .unwrap();
    let host = store.hosts_waiting(of).await.unwrap()[0];
    store.note_dates(of).await.unwrap();
    let mut entry = Enqueue::sitemap(0);
    entry.priority = crate::work::AWAITED;
    let sitemaps = vec![(url("/map"), entry)];
    store
        .keep_robots(of, host, robots(), sitemaps, true)
        .await
        .unwrap();
    (of, host)
}

async fn dated(store: &dyn Store, of: RunRef, host: HostId) -> Vec<DatedDocument> {
    store.dated_documents(of, host, None).await.unwrap()
}

pub(super) async fn robots_are_given_back_as_read_and_their_sitemaps_queued(store: &dyn Store) {
    let (of, host) = track(store, &["/1"]).await;
    let found = store.robots(host).await.unwrap().expect("they were read");
    assert_eq!(
        (found.status, found.body, found.at),
        (Some(200), b"Sitemap: /map".to_vec(), later(0))
    );
    assert_eq!(waiting_urls(store, of).await, ["/map", "/1"]);
    let only_lists = Load {
        lists_only: true,
        ..all_of(host)
    };
    let lists = store.load(of, only_lists, true).await.unwrap();
    assert_eq!(lists.rows.len(), 1, "the list that pages wait for");
}

pub(super) async fn a_guessed_sitemap_that_was_not_there_is_not_asked_for_again(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/map"]).await;
    let absent = answered(&row(store, of, "/map").await, 404, None);
    keep(store, of, vec![absent]).await;
    let of = next_run(store, of, RunKind::Crawl).await;
    let mut entry = Enqueue::sitemap(0);
    entry.purpose = crate::work::Purpose::GuessedSitemap;
    let kept = store.keep_robots(of, HostId(1), robots(), vec![(url("/map"), entry)], true);
    assert!(kept.await.unwrap().queued.is_empty());
}

pub(super) async fn a_guessed_sitemap_that_was_there_is_a_guess_no_more(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/map"]).await;
    let there = answered(&row(store, of, "/map").await, 200, None);
    keep(store, of, vec![there]).await;
    let of = next_run(store, of, RunKind::Crawl).await;
    let guessed = |path: &str| {
        let mut entry = Enqueue::sitemap(0);
        entry.purpose = crate::work::Purpose::GuessedSitemap;
        (url(path), entry)
    };
    let sitemaps = vec![guessed("/map"), guessed("/other")];
    store
        .keep_robots(of, HostId(1), robots(), sitemaps, true)
        .await
        .unwrap();
    let purpose = async |path: &str| row(store, of, path).await.purpose;
    assert_eq!(purpose("/map").await, crate::work::Purpose::FoundSitemap);
    assert_eq!(purpose("/other").await, crate::work::Purpose::GuessedSitemap);
}

pub(super) async fn pages_wait_for_a_list_until_it_is_read(store: &dyn Store) {
    let (of, host) = track(store, &["/1"]).await;
    let map = row(store, of, "/map").await;
    assert_eq!(store.open_list(of, host).await.unwrap(), Some(map.resource));
    keep(store, of, vec![list(&map, &[("/1", later(0))])]).await;
    assert_eq!(store.open_list(of, host).await.unwrap(), None);
}

pub(super) async fn nobody_waits_for_the_second_try_of_a_list(store: &dyn Store) {
    let (of, host) = track(store, &["/1"]).await;
    let map = row(store, of, "/map").await;
    let again = Keep {
        outcome: Outcome::Again {
            tries: 1,
            due_at: later(5),
        },
        ..nothing(&map)
    };
    keep(store, of, vec![again]).await;
    assert_eq!(store.open_list(of, host).await.unwrap(), None);
}

pub(super) async fn who_waits_for_an_index_waits_for_the_lists_it_names(store: &dyn Store) {
    let (of, host) = track(store, &["/1"]).await;
    let map = row(store, of, "/map").await;
    let mut outlinks = Outlinks::default();
    let entry = Enqueue::sitemap(0);
    outlinks.push(&link("/map2", LinkKind::Sitemap), None, Some(entry));
    let index = Keep {
        outlinks,
        ..answered(&map, 200, None)
    };
    keep(store, of, vec![index]).await;
    let next = row(store, of, "/map2").await;
    assert_eq!(store.open_list(of, host).await.unwrap(), Some(next.resource));
}

pub(super) async fn pages_that_a_list_dates_are_given_with_their_last_look(store: &dyn Store) {
    let (of, host) = track(store, &["/1", "/2", "/3"]).await;
    let map = row(store, of, "/map").await;
    keep(
        store,
        of,
        vec![list(
            &map,
            &[("/1", later(-9)), ("/3", later(7)), ("/new", later(7))],
        )],
    )
    .await;
    let found = dated(store, of, host).await;
    let of_each: Vec<_> = found
        .iter()
        .map(|page| (page.url.as_str(), page.modified.at, page.looked))
        .collect();
    assert_eq!(
        of_each,
        [
            ("http://a.test/1", later(-9), later(0)),
            ("http://a.test/3", later(7), later(0))
        ],
        "what no list names and what is new are asked for"
    );
    let behind = store
        .dated_documents(of, host, found.first().cloned())
        .await
        .unwrap();
    assert_eq!(behind.len(), 1);
    let behind = store
        .dated_documents(of, host, found.last().cloned())
        .await
        .unwrap();
    assert!(behind.is_empty());
}

pub(super) async fn a_page_behind_another_is_found_also_when_another_host_was_asked_between(
    store: &dyn Store,
) {
    let (of, host) = track(store, &["/1", "/2"]).await;
    let map = row(store, of, "/map").await;
    keep(store, of, vec![list(&map, &[("/1", later(0)), ("/2", later(0))])]).await;
    let first = dated(store, of, host).await.remove(0);
    assert!(dated(store, of, HostId(host.0 + 1)).await.is_empty());
    let behind = store.dated_documents(of, host, Some(first)).await.unwrap();
    assert_eq!(behind.len(), 1);
}

pub(super) async fn a_page_that_its_site_vouches_for_is_done_with_unasked(store: &dyn Store) {
    let (of, host) = track(store, &["/1", "/2"]).await;
    let map = row(store, of, "/map").await;
    keep(store, of, vec![list(&map, &[("/1", later(-9))])]).await;
    let found = dated(store, of, host).await;
    let settled = store
        .settle_unasked(of, host, found.clone(), later(5))
        .await
        .unwrap();
    assert_eq!(settled, 1);
    let again = store.settle_unasked(of, host, found, later(6)).await.unwrap();
    assert_eq!(again, 0, "harmless to repeat");
    assert_eq!(waiting_urls(store, of).await, ["/2"]);
    let same = store
        .candidates(of, State::Sam, Some(Reason::NotAsked))
        .await
        .unwrap();
    assert_eq!(same.len(), 1);

    // It was no look: the next run is told when the last one was.
    let (of, host) = begin_track(store, of).await;
    let map = row(store, of, "/map").await;
    keep(store, of, vec![list(&map, &[("/1", later(-9))])]).await;
    assert_eq!(dated(store, of, host).await[0].looked, later(0));
}

pub(super) async fn a_page_that_failed_last_time_is_asked_whatever_its_list_says(store: &dyn Store) {
    let (of, _) = track(store, &["/1"]).await;
    let failed = nothing(&row(store, of, "/1").await);
    keep(store, of, vec![failed]).await;
    let (of, host) = begin_track(store, of).await;
    let map = row(store, of, "/map").await;
    keep(store, of, vec![list(&map, &[("/1", later(-9))])]).await;
    assert!(dated(store, of, host).await.is_empty());
}

pub(super) async fn lists_that_announce_enough_changes_are_trusted_until_they_deny_one(store: &dyn Store) {
    let pages: Vec<String> = (0..defaults::LIST_PROOFS).map(|n| format!("/{n}")).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let (of, host) = track(store, &pages).await;
    let map = row(store, of, "/map").await;
    let announced: Vec<_> = pages.iter().map(|page| (*page, later(1 << 33))).collect();
    keep(store, of, vec![list(&map, &announced)]).await;
    for text in &pages {
        let changed = page(&row(store, of, text).await, &format!("{text} is new"), &[]);
        keep(store, of, vec![changed]).await;
    }
    for _ in 0..2 {
        store.weigh_lists(of).await.unwrap(); // The second time there is nothing left to count.
        assert_eq!(store.trusted_lists().await.unwrap(), [host].into());
    }

    let (of, _) = begin_track(store, of).await;
    let map = row(store, of, "/map").await;
    keep(store, of, vec![list(&map, &[("/0", later(-1 << 33))])]).await;
    let changed = page(&row(store, of, "/0").await, "something else", &[]);
    keep(store, of, vec![changed]).await;
    store.weigh_lists(of).await.unwrap();
    assert!(store.trusted_lists().await.unwrap().is_empty());
}

pub(super) async fn rounds_count_the_runs_of_one_project(store: &dyn Store) {
    let of = begin(store, "p").await;
    begin(store, "other").await;
    let next = next_run(store, of, RunKind::Track).await;
    let rounds = (store.round(of).await.unwrap(), store.round(next).await.unwrap());
    assert_eq!(rounds, (1, 2));
}
