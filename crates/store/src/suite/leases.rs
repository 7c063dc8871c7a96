//! Who works on which host.

use super::pages::{
    NOW, begin, keep, later, next_run, outlinks, page, row, seed, url, waiting, waiting_urls,
};
use crate::keep::{Enqueue, Keep};
use crate::leases::{Fence, FencedHost, HostLease, HostsWanted};
use crate::runs::{RunKind, RunRef};
use crate::store::Store;
use crate::work::{Ending, Queued, priority_behind};
use gleaner_model::defaults::HOST_LEASE;
use gleaner_model::{HostId, HostState, Leg, LinkKind, Reason, Timestamp};

pub(super) fn wanted(worker: &str, most: usize) -> HostsWanted {
    HostsWanted {
        worker: worker.to_owned(),
        most,
        priority_below: None,
        best_first: false,
    }
}

async fn lease(store: &dyn Store, of: RunRef, worker: &str, now: Timestamp) -> Vec<HostLease> {
    store.lease_hosts(of, wanted(worker, 9), now).await.unwrap()
}

fn hosts(leases: &[HostLease]) -> Vec<HostId> {
    leases.iter().map(|lease| lease.host).collect()
}

/// The row of an address as the holder of its host loads it.
async fn row_under(store: &dyn Store, of: RunRef, text: &str, fence: Fence) -> Queued {
    Queued {
        fence,
        ..row(store, of, text).await
    }
}

fn lapse() -> Timestamp {
    NOW.after(HOST_LEASE)
}

pub(super) async fn a_host_that_somebody_has_is_given_to_nobody_else(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2", "http://b.test/", "http://c.test/"]).await;
    let one = store.lease_hosts(of, wanted("one", 2), NOW).await.unwrap();
    assert_eq!(
        hosts(&one),
        hosts_of(store, of).await[..2],
        "in the order of their numbers"
    );
    assert!(
        one.iter()
            .all(|lease| lease.fence == Fence(1) && lease.until == lapse())
    );
    assert!(
        one.iter()
            .all(|lease| lease.state == HostState::default() && lease.lapsed_at.is_none())
    );
    let two = lease(store, of, "two", later(1)).await;
    assert_eq!(hosts(&two), hosts_of(store, of).await[2..]);
    assert!(lease(store, of, "one", later(2)).await.is_empty());
}

async fn hosts_of(store: &dyn Store, of: RunRef) -> Vec<HostId> {
    store.hosts_waiting(of).await.unwrap()
}

pub(super) async fn a_lease_that_lapsed_is_given_to_who_asks_next(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await;
    let before = later(HOST_LEASE.as_millis() as i64 - 1);
    assert!(lease(store, of, "two", before).await.is_empty());
    let two = lease(store, of, "two", lapse()).await;
    assert_eq!(hosts(&two), hosts(&one));
    assert_eq!(two[0].fence, Fence(one[0].fence.0 + 1));
    assert_eq!(
        two[0].lapsed_at,
        Some(lapse()),
        "it may have been asked until then"
    );
    let lost = store.renew_leases(of, vec![one[0].fenced(), two[0].fenced()], lapse());
    assert_eq!(lost.await.unwrap(), [one[0].fenced()]);
}

pub(super) async fn a_lease_that_is_renewed_lives_on(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await;
    let renew = |now| store.renew_leases(of, vec![one[0].fenced()], now);
    assert!(renew(later(1000)).await.unwrap().is_empty());
    assert!(lease(store, of, "two", lapse()).await.is_empty());
    // Its time is up, and nobody asked meanwhile.
    let late = lapse().after(HOST_LEASE);
    assert!(renew(late).await.unwrap().is_empty());
    assert!(lease(store, of, "two", late).await.is_empty());
    assert_eq!(
        lease(store, of, "two", late.after(HOST_LEASE)).await[0].fence,
        Fence(2)
    );
}

pub(super) async fn a_host_that_was_released_is_given_at_once_as_it_was_left(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await;
    let left = HostState {
        has_served: true,
        documents: 7,
        ..HostState::default()
    };
    let release = |state: &HostState| store.release_hosts(of, vec![(one[0].fenced(), state.clone())]);
    release(&left).await.unwrap();
    let lost = store.renew_leases(of, vec![one[0].fenced()], NOW).await.unwrap();
    assert_eq!(lost, [one[0].fenced()], "it is not held any more");
    let two = lease(store, of, "two", later(1)).await;
    assert_eq!(two[0].fence, Fence(2));
    assert_eq!((&two[0].state, two[0].lapsed_at), (&left, None));
    // Who lost it does not say how it stands.
    release(&HostState::default()).await.unwrap();
    let three = lease(store, of, "three", lapse().after(HOST_LEASE)).await;
    assert_eq!(three[0].state, left);
}

pub(super) async fn of_two_states_for_one_lease_the_first_holds(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await[0].fenced();
    let left = |documents| HostState {
        documents,
        ..HostState::default()
    };
    let twice = vec![(one, left(1)), (one, left(2))];
    store.release_hosts(of, twice).await.unwrap();
    assert_eq!(lease(store, of, "two", NOW).await[0].state, left(1));
}

pub(super) async fn hosts_without_rows_are_not_given_until_they_have_some(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await;
    let last = row_under(store, of, "/1", one[0].fence).await;
    keep(store, of, vec![page(&last, "one", &["http://b.test/"])]).await;
    let state = HostState::default();
    store
        .release_hosts(of, vec![(one[0].fenced(), state)])
        .await
        .unwrap();
    let two = lease(store, of, "two", NOW).await;
    assert_eq!(two.len(), 1);
    assert_ne!(two[0].host, one[0].host);
    let back = row_under(store, of, "http://b.test/", two[0].fence).await;
    keep(store, of, vec![page(&back, "two", &["/2", "http://b.test/2"])]).await;
    let three = lease(store, of, "three", NOW).await;
    assert_eq!(hosts(&three), hosts(&one));
    assert_eq!(three[0].fence, Fence(2));
}

pub(super) async fn a2_hosts_of_later_steps_are_given_when_their_turn_has_come(store: &dyn Store) {
    let of = begin(store, "p").await;
    let named = |step| Enqueue {
        legs: vec![Leg { step, depth: 0 }],
        ..Enqueue::page(0, 0)
    };
    let starts = vec![(url("/"), named(1)), (url("http://b.test/"), named(0))];
    store.enqueue_starts(of, starts, NOW).await.unwrap();
    let asks = |step| HostsWanted {
        priority_below: Some(priority_behind(step)),
        ..wanted("one", 9)
    };
    let first = store.lease_hosts(of, asks(0), NOW).await.unwrap();
    assert_eq!(first.len(), 1);
    let back = row_under(store, of, "http://b.test/", first[0].fence).await;
    assert_eq!(back.host, first[0].host);
    keep(store, of, vec![page(&back, "two", &[])]).await;
    let below = Some(priority_behind(0));
    assert!(
        !store.is_finished(of, below, NOW).await.unwrap(),
        "it is still held"
    );
    let released = vec![(first[0].fenced(), HostState::default())];
    store.release_hosts(of, released).await.unwrap();
    assert!(store.is_finished(of, below, NOW).await.unwrap());
    assert!(!store.is_finished(of, None, NOW).await.unwrap());
    assert!(store.lease_hosts(of, asks(0), NOW).await.unwrap().is_empty());
    assert_eq!(store.lease_hosts(of, asks(1), NOW).await.unwrap().len(), 1);
}

pub(super) async fn a_page_of_a_lost_lease_changes_nothing_and_is_told(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "http://b.test/"]).await;
    let one = lease(store, of, "one", NOW).await;
    let late = row_under(store, of, "/1", one[0].fence).await;
    let in_time = row_under(store, of, "http://b.test/", one[1].fence).await;
    let renewed = vec![one[1].fenced()];
    assert!(
        store
            .renew_leases(of, renewed, later(1))
            .await
            .unwrap()
            .is_empty()
    );
    let two = lease(store, of, "two", lapse()).await;
    assert_eq!(hosts(&two), [late.host]);

    let batch = vec![page(&late, "same", &["/2"]), page(&in_time, "other", &[])];
    let kept = keep(store, of, batch).await;
    assert_eq!(kept.lost, [one[0].fenced()].into());
    assert!(kept.queued.is_empty());
    assert_eq!(waiting_urls(store, of).await, ["/1"]);
    assert_eq!(store.counts(of.run).await.unwrap().new, 1);
    assert_eq!(
        store.run_row(of.run).await.unwrap().wire_bytes,
        5,
        "of the other page"
    );

    let again = row_under(store, of, "/1", two[0].fence).await;
    let kept = keep(store, of, vec![page(&again, "same", &[])]).await;
    assert!(
        kept.lost.is_empty() && kept.copies.is_empty(),
        "its bytes were not stored before"
    );
    // Whoever lost the host sees it the same way when the page is done.
    let kept = keep(store, of, vec![page(&late, "same", &["/2"])]).await;
    assert_eq!(kept.lost, [one[0].fenced()].into());
    assert_eq!(waiting_urls(store, of).await, Vec::<String>::new());
}

pub(super) async fn what_comes_after_the_time_is_kept_where_nobody_took_the_host(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    let one = lease(store, of, "one", NOW).await;
    let first = row_under(store, of, "/1", one[0].fence).await;
    let fetched = Keep {
        at: lapse().after(HOST_LEASE),
        ..page(&first, "one", &[])
    };
    assert!(keep(store, of, vec![fetched]).await.lost.is_empty());
    assert_eq!(waiting_urls(store, of).await, ["/2"]);
}

pub(super) async fn a_page_that_was_loaded_before_its_host_was_given_away_is_late(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let unheld = row(store, of, "/1").await;
    assert_eq!(unheld.fence, Fence::default());
    lease(store, of, "one", NOW).await;
    let kept = keep(store, of, vec![page(&unheld, "one", &[])]).await;
    assert_eq!(kept.lost, [unheld.fenced_host()].into());
    assert_eq!(waiting(store, of).await.len(), 1);
}

pub(super) async fn a_host_that_was_lost_is_not_given_up(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    let one = lease(store, of, "one", NOW).await[0].fenced();
    let two = lease(store, of, "two", lapse()).await[0].fenced();
    let why = || Ending {
        reason: Reason::HostPaused,
        detail: None,
        state: None,
    };
    assert_eq!(store.give_up(of, Some(one), why(), NOW).await.unwrap(), 0);
    assert_eq!(waiting_urls(store, of).await, ["/1", "/2"]);
    assert_eq!(store.give_up(of, Some(two), why(), NOW).await.unwrap(), 2);
}

pub(super) async fn a_run_is_finished_when_no_row_waits_and_no_lease_lives(store: &dyn Store) {
    let of = begin(store, "p").await;
    assert!(
        store.is_finished(of, None, NOW).await.unwrap(),
        "nothing was ever queued"
    );
    seed(store, of, &["/1"]).await;
    assert!(!store.is_finished(of, None, NOW).await.unwrap());
    let one = lease(store, of, "one", NOW).await;
    let last = row_under(store, of, "/1", one[0].fence).await;
    keep(store, of, vec![page(&last, "one", &[])]).await;
    assert!(
        !store.is_finished(of, None, later(1)).await.unwrap(),
        "its holder may bring more"
    );
    assert!(store.is_finished(of, None, lapse()).await.unwrap());
    let released = vec![(one[0].fenced(), HostState::default())];
    store.release_hosts(of, released).await.unwrap();
    assert!(store.is_finished(of, None, later(1)).await.unwrap());
}

pub(super) async fn each_run_has_leases_of_its_own(store: &dyn Store) {
    let of = begin(store, "p").await;
    let other = begin(store, "q").await;
    seed(store, of, &["/1"]).await;
    seed(store, other, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await;
    let two = lease(store, other, "one", NOW).await;
    assert_eq!(one, two);
    let left = HostState {
        failures: 3,
        ..HostState::default()
    };
    store
        .release_hosts(of, vec![(one[0].fenced(), left)])
        .await
        .unwrap();
    let elsewhere = FencedHost {
        fence: Fence(2),
        ..one[0].fenced()
    };
    let lost = store
        .renew_leases(other, vec![two[0].fenced(), elsewhere], NOW)
        .await
        .unwrap();
    assert_eq!(lost, [elsewhere]);
    // Nobody goes on with a run that is over: the next one begins anew.
    let next = next_run(store, of, RunKind::Track).await;
    seed(store, next, &["/1"]).await;
    let three = lease(store, next, "one", NOW).await;
    assert_eq!(
        (three[0].fence, &three[0].state),
        (Fence(1), &HostState::default())
    );
}

pub(super) async fn pages_that_are_kept_bring_their_hosts_to_be_given(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let one = lease(store, of, "one", NOW).await;
    let first = row_under(store, of, "/1", one[0].fence).await;
    let links: Vec<String> = (0..5).map(|number| format!("http://h{number}.test/")).collect();
    let found = links
        .iter()
        .map(|link| (link.as_str(), LinkKind::Anchor, Some(Enqueue::page(1, 1))));
    let page_one = Keep {
        outlinks: outlinks(found),
        ..page(&first, "one", &[])
    };
    keep(store, of, vec![page_one]).await;
    let two = store.lease_hosts(of, wanted("two", 3), NOW).await.unwrap();
    let three = store.lease_hosts(of, wanted("three", 3), NOW).await.unwrap();
    assert_eq!((two.len(), three.len()), (3, 2));
    assert_eq!([hosts(&two), hosts(&three)].concat(), hosts_of(store, of).await);
}
