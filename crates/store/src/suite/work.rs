//! The frontier, and the pages that come of it.

use super::pages::{
    NOW, all_of, answered, begin, keep, later, next_run, nothing, outlinks, page, redirect, row, seed, url,
    waiting, waiting_urls,
};
use crate::keep::{Away, Cut, Enqueue, Keep, KeepWith, LastAnswer, Outcome, Refused, Validators};
use crate::runs::RunKind;
use crate::store::Store;
use crate::work::{Ending, Load, Purpose};
use gleaner_model::{LinkKind, Reason, ResourceId, State};

pub(super) async fn what_a_run_begins_with_waits_once(store: &dyn Store) {
    let of = begin(store, "p").await;
    let kept = seed(store, of, &["/1", "/2", "/1"]).await;
    assert_eq!(kept.queued.values().sum::<u64>(), 2);
    assert!(
        seed(store, of, &["/2", "/1"]).await.queued.is_empty(),
        "harmless to repeat"
    );
    assert_eq!(waiting_urls(store, of).await, ["/1", "/2"]);
}

pub(super) async fn rows_come_by_priority_and_then_by_discovery(store: &dyn Store) {
    let of = begin(store, "p").await;
    let starts = [("/late", 5), ("/first", 0), ("/second", 0), ("/mid", 3)];
    let starts = starts.map(|(path, priority)| (url(path), Enqueue::page(priority, 0)));
    store.enqueue_starts(of, starts.into(), NOW).await.unwrap();
    assert_eq!(
        waiting_urls(store, of).await,
        ["/first", "/second", "/mid", "/late"]
    );
}

pub(super) async fn a_load_gives_what_lies_behind_below_and_is_not_held(store: &dyn Store) {
    let of = begin(store, "p").await;
    let starts = [("/a", 0), ("/b", 1), ("/c", 2)].map(|(path, at)| (url(path), Enqueue::page(at, 0)));
    store.enqueue_starts(of, starts.into(), NOW).await.unwrap();
    let rows = waiting(store, of).await;
    let host = store.hosts_waiting(of).await.unwrap()[0];
    let paths = async |load: Load| {
        let loaded = store.load(of, load, false).await.unwrap();
        let paths: Vec<String> = loaded.rows.iter().map(|row| row.url.path().to_owned()).collect();
        (paths.join(" "), loaded.is_all)
    };
    let all = || all_of(host);
    let behind = Load {
        after: Some(rows[0].place()),
        ..all()
    };
    assert_eq!(paths(behind).await, ("/b /c".to_owned(), true));
    let held = [rows[0].resource, rows[1].resource].into();
    assert_eq!(paths(Load { held, ..all() }).await, ("/c".to_owned(), true));
    let below = Some(2);
    let below = Load {
        priority_below: below,
        ..all()
    };
    assert_eq!(paths(below).await, ("/a /b".to_owned(), true));
    assert_eq!(
        paths(Load { limit: 2, ..all() }).await,
        ("/a /b".to_owned(), false)
    );
    let lists = Load {
        lists_only: true,
        ..all()
    };
    assert_eq!(paths(lists).await, (String::new(), true));
}

pub(super) async fn a_page_is_kept_with_its_links_and_its_row_goes(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let first = row(store, of, "/1").await;
    let kept = keep(
        store,
        of,
        vec![page(&first, "one", &["/2", "http://b.test/", "/1"])],
    )
    .await;
    assert_eq!(kept.queued.values().copied().collect::<Vec<_>>(), [1, 1]);
    assert_eq!(waiting_urls(store, of).await, ["/2", "http://b.test/"]);
    let links = store.link_pages(of.project, vec![first.resource]).await.unwrap();
    let targets: Vec<_> = links[0].targets().collect();
    let anchor = |id| (ResourceId(id), LinkKind::Anchor);
    assert_eq!(targets, [anchor(2), anchor(3), anchor(1)]);
    assert_eq!(
        store.first_found_on(ResourceId(2)).await.unwrap(),
        Some(first.resource)
    );
    assert_eq!(
        store.first_found_on(first.resource).await.unwrap(),
        None,
        "a seed"
    );
    assert_eq!(
        store.first_found_on(ResourceId(99)).await.unwrap(),
        None,
        "nobody knows it"
    );
    assert_eq!(store.documents_by_host(of).await.unwrap(), [(first.host, 1)]);
}

pub(super) async fn a_second_answer_for_one_row_changes_nothing(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let first = row(store, of, "/1").await;
    keep(store, of, vec![page(&first, "one", &[])]).await;
    let kept = keep(store, of, vec![page(&first, "another", &["/2"])]).await;
    assert!(kept.queued.is_empty());
    assert_eq!(waiting_urls(store, of).await, Vec::<String>::new());
    assert_eq!(store.counts(of.run).await.unwrap().new, 1);
    let found = store.candidates(of, State::New, None).await.unwrap();
    assert_eq!(found[0].title.as_deref(), Some("about one"));
    let row = store.run_row(of.run).await.unwrap();
    assert_eq!(row.wire_bytes, 3, "of the first answer");
}

pub(super) async fn equal_payloads_are_copies_within_a_batch_and_of_earlier_ones(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2", "/3", "/4"]).await;
    let rows = waiting(store, of).await;
    let kept = keep(
        store,
        of,
        vec![page(&rows[0], "same", &[]), page(&rows[1], "same", &[])],
    )
    .await;
    assert_eq!(kept.copies, [rows[1].resource].into());
    let kept = keep(
        store,
        of,
        vec![page(&rows[2], "other", &[]), page(&rows[3], "same", &[])],
    )
    .await;
    assert_eq!(kept.copies, [rows[3].resource].into());
    assert_eq!(
        store.counts(of.run).await.unwrap().new,
        4,
        "each is a document all the same"
    );
}

pub(super) async fn what_is_to_be_asked_again_keeps_its_place_and_says_when(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let again = Keep {
        outcome: Outcome::Again {
            tries: 2,
            due_at: later(9),
        },
        ..nothing(&row(store, of, "/1").await)
    };
    keep(store, of, vec![again]).await;
    let row = row(store, of, "/1").await;
    assert_eq!((row.tries, row.due_at), (2, later(9)));
    assert_eq!(store.counts(of.run).await.unwrap().errors, 0);
}

pub(super) async fn an_address_is_met_once_by_a_run_but_for_redirects_back(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let first = row(store, of, "/1").await;
    let again = Enqueue {
        again: true,
        ..Enqueue::page(0, 0)
    };
    let back = Keep {
        outlinks: outlinks([("/1", LinkKind::Redirect, Some(again))]),
        ..answered(&first, 302, None)
    };
    keep(store, of, vec![back]).await;
    assert_eq!(waiting_urls(store, of).await, ["/1"]);
}

pub(super) async fn what_a_batch_would_take_up_is_told_before_it_is_kept(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    let rows = waiting(store, of).await;
    let batch = vec![
        page(&rows[1], "two", &["/a", "/b"]),
        page(&rows[0], "one", &["/2", "/a"]),
    ];
    let (batch, found) = store.meet(of, batch).await.unwrap();
    let told: Vec<_> = found.iter().map(|found| (found.url.path(), found.from)).collect();
    assert_eq!(
        told,
        [("/a", rows[0].resource), ("/b", rows[1].resource)],
        "in the order of discovery"
    );
    assert_eq!(found[0].resource, None);
    let (batch, again) = store.meet(of, batch).await.unwrap();
    assert_eq!(again, found, "asking changes nothing");

    let refused: Refused = [(url("/a").key(), Reason::TrapDepth)].into();
    let with = KeepWith {
        refused,
        ..KeepWith::default()
    };
    assert!(store.keep(of, batch, with).await.is_ok());
    assert_eq!(waiting_urls(store, of).await, ["/b"]);
    let visit = store
        .folder_visit(of, url("/a"))
        .await
        .unwrap()
        .expect("it was taken up");
    assert_eq!((visit.was_asked, visit.reason), (true, Some(Reason::TrapDepth)));
}

pub(super) async fn what_is_met_says_what_the_last_run_had_of_it(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/old", "/image"]).await;
    let unwanted = Keep {
        reason: Some(Reason::UnwantedType),
        ..answered(&row(store, of, "/image").await, 200, None)
    };
    keep(
        store,
        of,
        vec![redirect(&row(store, of, "/old").await, "/new"), unwanted],
    )
    .await;
    keep(store, of, vec![page(&row(store, of, "/new").await, "new", &[])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/"]).await;
    let root = page(&row(store, of, "/").await, "root", &["/old", "/image", "/new"]);
    let (_, found) = store.meet(of, vec![root]).await.unwrap();
    let last: Vec<_> = found.iter().map(|found| found.last).collect();
    let redirect = LastAnswer::Redirect { is_there: true };
    assert_eq!(last, [Some(redirect), Some(LastAnswer::Unwanted), None]);
}

pub(super) async fn a_known_document_comes_with_its_row(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let mut first = page(&row(store, of, "/1").await, "one", &[]);
    super::pages::facts(&mut first).etag = Some("\"v1\"".to_owned());
    keep(store, of, vec![first]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1", "/2"]).await;
    assert!(row(store, of, "/2").await.known.is_none());
    let known = row(store, of, "/1").await.known.expect("an earlier run kept it");
    assert_eq!((known.size, known.etag.as_deref()), (3, Some("\"v1\"")));
    assert_eq!(
        (known.is_gone, known.was_away, known.base),
        (false, false, known.version)
    );
}

pub(super) async fn a_version_that_repeats_another_is_compared_with_that_one(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &[])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let asked = row(store, of, "/1").await;
    let first = asked.known.clone().expect("it is known");
    let mut same = page(&asked, "one, with another date", &[]);
    same.state = Some(State::Sam);
    let compared = super::pages::facts(&mut same)
        .compared
        .as_mut()
        .expect("it is new");
    compared.is_same = true;
    keep(store, of, vec![same]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let known = row(store, of, "/1").await.known.expect("it is known");
    assert_eq!((known.base, known.base_digest), (first.version, first.digest));
    assert_ne!((known.version, known.digest), (first.version, first.digest));
}

pub(super) async fn a_page_that_is_gone_is_known_as_such_until_it_is_back(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &[])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let gone = answered(&row(store, of, "/1").await, 404, Some(State::Mis));
    keep(store, of, vec![gone]).await;
    assert_eq!(store.documents_count(of.project).await.unwrap(), 0);
    assert!(store.has_documents(of.project).await.unwrap(), "it had one");
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let asked = row(store, of, "/1").await;
    assert!(asked.known.as_ref().is_some_and(|known| known.is_gone));
    keep(store, of, vec![page(&asked, "back", &[])]).await;
    assert_eq!(store.documents_count(of.project).await.unwrap(), 1);
}

pub(super) async fn a_document_that_was_made_meanwhile_is_the_one_at_its_address(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let first = row(store, of, "/1").await;
    let again = Enqueue {
        again: true,
        ..Enqueue::page(1, 0)
    };
    let mut page_one = page(&first, "one", &[]);
    page_one.outlinks = outlinks([("/1", LinkKind::Redirect, Some(again))]);
    let second = {
        keep(store, of, vec![page_one]).await;
        row(store, of, "/1").await
    };
    let mut other = page(&second, "two", &[]);
    super::pages::facts(&mut other).document = None;
    keep(store, of, vec![other]).await;
    assert_eq!(store.documents_count(of.project).await.unwrap(), 1);
}

pub(super) async fn a_document_without_a_record_has_no_version_of_another(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    let bare = Keep {
        packed: None,
        ..page(&row(store, of, "/1").await, "one", &[])
    };
    keep(store, of, vec![bare]).await;
    keep(store, of, vec![page(&row(store, of, "/2").await, "two", &[])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1", "/2"]).await;
    assert!(row(store, of, "/1").await.known.is_none());
    assert!(row(store, of, "/2").await.known.is_some());
}

pub(super) async fn what_came_in_place_of_a_page_is_remembered_until_it_is_back(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &[])]).await;
    let shown = Some(b"a wall".to_vec());
    for (away, was_away, instead) in [
        (Away::Instead(shown.clone()), true, shown),
        (Away::Back, false, None),
    ] {
        let last = store
            .unfinished_run(Some(of.project))
            .await
            .unwrap()
            .expect("a run");
        let last = crate::RunRef { run: last, ..of };
        let run = next_run(store, last, RunKind::Track).await;
        seed(store, run, &["/1"]).await;
        let failed = Keep {
            away,
            ..nothing(&row(store, run, "/1").await)
        };
        keep(store, run, vec![failed]).await;
        let next = next_run(store, run, RunKind::Track).await;
        seed(store, next, &["/1"]).await;
        let known = row(store, next, "/1").await.known.expect("it is known");
        assert_eq!(
            (known.was_away, known.asks_whole, known.instead),
            (was_away, was_away, instead)
        );
    }
}

pub(super) async fn validators_that_lied_are_told_with_the_rows(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let first = Keep {
        validators: Some(Validators::Wrong),
        ..page(&row(store, of, "/1").await, "one", &[])
    };
    keep(store, of, vec![first]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let host = row(store, of, "/1").await.host;
    let loaded = store.load(of, all_of(host), true).await.unwrap();
    assert_eq!((loaded.right, loaded.wrong), (0, 1));
}

pub(super) async fn giving_up_a_host_ends_its_rows_with_the_reason(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2", "http://b.test/"]).await;
    let guess = Enqueue {
        purpose: Purpose::Guess,
        ..Enqueue::page(0, 0)
    };
    store
        .enqueue_starts(of, vec![(url("/guess"), guess)], NOW)
        .await
        .unwrap();
    let host = row(store, of, "/1").await.fenced_host();
    let why = Ending {
        reason: Reason::HostPaused,
        detail: Some("for long".to_owned()),
        state: Some(State::Err),
    };
    let count = store.give_up(of, Some(host), why.clone(), NOW).await.unwrap();
    assert_eq!(count, 2, "nobody promised a guess");
    assert_eq!(waiting_urls(store, of).await, ["http://b.test/"]);
    assert_eq!(store.counts(of.run).await.unwrap().errors, 2);
    let visit = store
        .folder_visit(of, url("/1"))
        .await
        .unwrap()
        .expect("it was taken up");
    assert_eq!(
        (visit.reason, visit.detail.as_deref()),
        (Some(Reason::HostPaused), Some("for long"))
    );
    assert_eq!(store.give_up(of, None, why, NOW).await.unwrap(), 1);
    assert!(store.hosts_waiting(of).await.unwrap().is_empty());
}

pub(super) async fn redirects_of_seeds_are_told_hop_by_hop_within_their_site(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    for (from, to) in [("/1", "/2"), ("/2", "http://b.test/")] {
        keep(store, of, vec![redirect(&row(store, of, from).await, to)]).await;
    }
    let found = store
        .redirects_of(vec![url("/1"), url("/unknown")])
        .await
        .unwrap();
    assert_eq!(found, [url("/2")]);
    let end = store.end_of_redirects(ResourceId(1)).await.unwrap();
    assert_eq!(
        end,
        store
            .resources_of(vec![url("http://b.test/")])
            .await
            .unwrap()
            .first()
            .copied()
    );
    assert_eq!(store.end_of_redirects(ResourceId(3)).await.unwrap(), None);
}

pub(super) async fn hosts_are_held_until_their_time(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "http://b.test/"]).await;
    let hosts = store.hosts_waiting(of).await.unwrap();
    store
        .hold_hosts(vec![(hosts[0], later(9)), (hosts[1], later(4))])
        .await
        .unwrap();
    let held = store.hosts_held(later(4)).await.unwrap();
    assert_eq!(held, [("a.test".to_owned(), later(9))]);
}

pub(super) async fn cuts_are_taken(store: &dyn Store) {
    let of = begin(store, "p").await;
    let cut = Cut {
        reason: Reason::TrapDepth,
        shape: "/*".to_owned(),
        count: 2,
        example: "http://a.test/x".to_owned(),
    };
    store.keep_cuts(of, vec![cut.clone(), cut.clone()]).await.unwrap();
    store.keep_traps(of.run, vec![1], vec![cut]).await.unwrap();
    assert_eq!(store.traps(of.run).await.unwrap(), Some(vec![1]));
}
