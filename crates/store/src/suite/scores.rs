//! Scores of rows: which comes first, and how that is changed.

use super::leases::wanted;
use super::pages::{NOW, all_of, begin, keep, later, page, row, seed, short, url, waiting, waiting_urls};
use crate::keep::Enqueue;
use crate::leases::{FencedHost, HostsWanted};
use crate::runs::RunRef;
use crate::store::Store;
use crate::work::{Load, Queued, Rescored, priority_behind};
use gleaner_model::Leg;
use gleaner_model::defaults::HOST_LEASE;

fn scored(score: u16, priority: i64) -> Enqueue {
    Enqueue {
        score,
        ..Enqueue::page(priority, 0)
    }
}

fn of_step(step: u32, score: u16) -> Enqueue {
    Enqueue {
        legs: vec![Leg { step, depth: 0 }],
        ..scored(score, 0)
    }
}

async fn start(store: &dyn Store, of: RunRef, starts: &[(&str, Enqueue)]) {
    let starts = starts.iter().map(|(text, entry)| (url(text), entry.clone()));
    store.enqueue_starts(of, starts.collect(), NOW).await.unwrap();
}

/// A run with such rows, and the host that most of them are of.
async fn begin_with(store: &dyn Store, starts: &[(&str, Enqueue)]) -> (RunRef, FencedHost) {
    let of = begin(store, "p").await;
    start(store, of, starts).await;
    let host = waiting(store, of).await[0].fenced_host();
    (of, host)
}

fn rescored(row: &Queued, score: u16) -> Rescored {
    Rescored {
        resource: row.resource,
        priority: row.priority,
        score,
    }
}

pub(super) async fn a11_rows_come_by_step_and_then_by_score(store: &dyn Store) {
    let starts = [
        ("/later-step", of_step(1, 900)),
        ("/plain", of_step(0, 0)),
        ("/good", of_step(0, 7)),
        ("/best", of_step(0, u16::MAX)),
        ("/good-too", of_step(0, 7)),
        ("/later-plain", of_step(1, 0)),
    ];
    let (of, host) = begin_with(store, &starts).await;
    let first = ["/best", "/good", "/good-too", "/plain"];
    let all = [&first[..], &["/later-step", "/later-plain"]].concat();
    assert_eq!(waiting_urls(store, of).await, all);
    let load = Load {
        priority_below: Some(priority_behind(0)),
        ..all_of(host.host)
    };
    let rows = store.load(of, load, false).await.unwrap().rows;
    assert_eq!(rows.iter().map(|row| short(&row.url)).collect::<Vec<_>>(), first);
    assert_eq!(rows[1].score, 7);
}

pub(super) async fn a11_a_load_goes_on_behind_rows_with_and_without_a_score(store: &dyn Store) {
    let paths: Vec<String> = (0..24).map(|number| format!("/{number}")).collect();
    let starts: Vec<(&str, Enqueue)> = (0u32..)
        .zip(&paths)
        .map(|(number, path)| {
            let score = [0, 5, 0, 9, 1, 5][number as usize % 6];
            (path.as_str(), of_step(number / 8, score))
        })
        .collect();
    let (of, host) = begin_with(store, &starts).await;
    let whole = waiting_urls(store, of).await;
    for limit in [1, 2, 3, 5, 7, 30] {
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let load = Load {
                after,
                limit,
                ..all_of(host.host)
            };
            let loaded = store.load(of, load, false).await.unwrap();
            found.extend(loaded.rows.iter().map(|row| short(&row.url)));
            after = loaded.rows.last().map(Queued::place).or(after);
            if loaded.is_all {
                break;
            }
        }
        assert_eq!(found, whole, "{limit} at a time");
    }
}

pub(super) async fn a11_rows_that_are_scored_anew_come_in_their_new_order(store: &dyn Store) {
    let starts = [("/a", scored(3, 0)), ("/b", scored(0, 1)), ("/c", scored(2, 0))];
    let (of, host) = begin_with(store, &starts).await;
    let rows = waiting(store, of).await;
    let [a, c, b] = &rows[..] else { panic!("{rows:?}") };
    let gone = Rescored {
        priority: 7,
        ..rescored(a, 9)
    };
    let anew = vec![rescored(a, 0), rescored(b, 8), gone];
    assert_eq!(store.rescore(of, host, anew).await.unwrap(), 2);
    assert_eq!(waiting_urls(store, of).await, ["/b", "/c", "/a"]);
    assert_eq!(store.rescore(of, host, vec![rescored(c, 9)]).await.unwrap(), 1);
    assert_eq!(waiting_urls(store, of).await, ["/c", "/b", "/a"]);
    assert_eq!(row(store, of, "/c").await.score, 9);
}

pub(super) async fn a11_a_page_whose_score_changed_meanwhile_is_kept(store: &dyn Store) {
    let (of, host) = begin_with(store, &[("/a", scored(3, 0)), ("/b", scored(0, 0))]).await;
    let taken = row(store, of, "/a").await;
    store.rescore(of, host, vec![rescored(&taken, 1)]).await.unwrap();
    keep(store, of, vec![page(&taken, "a", &[])]).await;
    assert_eq!(waiting_urls(store, of).await, ["/b"]);
}

pub(super) async fn a11_rows_of_a_host_that_was_lost_keep_their_scores(store: &dyn Store) {
    let (of, _) = begin_with(store, &[("/a", scored(3, 0)), ("/b", scored(2, 0))]).await;
    let one = store.lease_hosts(of, wanted("one", 9), NOW).await.unwrap()[0].fenced();
    let b = row(store, of, "/b").await;
    let lapsed = later(HOST_LEASE.as_millis() as i64);
    let two = store.lease_hosts(of, wanted("two", 9), lapsed).await.unwrap()[0].fenced();
    let anew = || vec![rescored(&b, 9)];
    assert_eq!(store.rescore(of, one, anew()).await.unwrap(), 0);
    assert_eq!(waiting_urls(store, of).await, ["/a", "/b"]);
    assert_eq!(store.rescore(of, two, anew()).await.unwrap(), 1);
    assert_eq!(waiting_urls(store, of).await, ["/b", "/a"]);
}

pub(super) async fn a11_hosts_are_given_with_the_score_of_their_best_row(store: &dyn Store) {
    let starts = [
        ("/plain", scored(0, 0)),
        ("http://b.test/", scored(4, 0)),
        ("http://b.test/best", scored(6, 3)),
        ("http://c.test/", scored(5, 0)),
        ("http://d.test/", of_step(1, 900)),
    ];
    let (of, _) = begin_with(store, &starts).await;
    let best = |most, now| {
        let wanted = HostsWanted {
            best_first: true,
            ..wanted("one", most)
        };
        store.lease_hosts(of, wanted, now)
    };
    let given = best(2, NOW).await.unwrap();
    assert_eq!(
        given.iter().map(|lease| lease.best_score).collect::<Vec<_>>(),
        [6, 5]
    );
    let rest = best(9, NOW).await.unwrap();
    assert_eq!(
        rest.iter().map(|lease| lease.best_score).collect::<Vec<_>>(),
        [0, 900]
    );
    // By their numbers they come in the order in which they were found.
    let lapsed = later(HOST_LEASE.as_millis() as i64);
    let all = store.lease_hosts(of, wanted("two", 9), lapsed).await.unwrap();
    assert_eq!(
        all.iter().map(|lease| lease.best_score).collect::<Vec<_>>(),
        [0, 6, 5, 900]
    );
    seed(store, of, &["http://e.test/"]).await;
    assert_eq!(best(9, lapsed).await.unwrap().len(), 1);
}

pub(super) async fn a11_a_step_that_came_later_finds_the_score_of_the_row(store: &dyn Store) {
    let (of, _) = begin_with(store, &[("/1", of_step(0, 7))]).await;
    let asked = row(store, of, "/1").await;
    start(store, of, &[("/1", of_step(1, 0))]).await;
    keep(store, of, vec![page(&asked, "one", &[])]).await;
    assert_eq!(row(store, of, "/1").await.score, 7);
}
