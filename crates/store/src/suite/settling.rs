//! The last stage of a run.

use super::pages::{
    NOW, answered, begin, keep, keep_all, later, link, next_run, nothing, page, redirect, row, seed, url,
};
use crate::Outlinks;
use crate::keep::Keep;
use crate::runs::{RunKind, RunRef};
use crate::settling::{Move, SettlingTurn, TakenBack};
use crate::store::Store;
use gleaner_model::defaults::HOST_LEASE;
use gleaner_model::{LinkKind, Reason, ResourceId, State};

/// A second run of a project with these pages, which wait.
async fn second(store: &dyn Store, pages: &[&str]) -> RunRef {
    let of = begin(store, "p").await;
    seed(store, of, pages).await;
    keep_all(store, of).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, pages).await;
    of
}

pub(super) async fn candidates_come_in_the_order_they_were_found(store: &dyn Store) {
    let of = second(store, &["/1", "/2"]).await;
    let gone = async |path: &str, reason: Option<Reason>| {
        let gone = Keep {
            reason,
            ..answered(&row(store, of, path).await, 404, Some(State::Mis))
        };
        keep(store, of, vec![gone]).await;
    };
    gone("/2", Some(Reason::Soft404)).await;
    gone("/1", None).await;
    let found = store.candidates(of, State::Mis, None).await.unwrap();
    let urls: Vec<&str> = found.iter().map(|found| found.url.as_str()).collect();
    assert_eq!(urls, ["http://a.test/2", "http://a.test/1"]);
    let soft = store
        .candidates(of, State::Mis, Some(Reason::Soft404))
        .await
        .unwrap();
    assert_eq!(soft.len(), 1);
    let (at, state) = store
        .found_at(of, found[1].resource)
        .await
        .unwrap()
        .expect("it was found gone");
    assert_eq!((at.document, at.size, state), (found[1].document, 2, State::Mis));
    assert!(store.found_at(of, ResourceId(99)).await.unwrap().is_none());
}

pub(super) async fn a_document_that_moved_keeps_its_number_at_its_new_address(store: &dyn Store) {
    let of = second(store, &["/old"]).await;
    seed(store, of, &["/new"]).await;
    let gone = answered(&row(store, of, "/old").await, 404, Some(State::Mis));
    keep(
        store,
        of,
        vec![gone, page(&row(store, of, "/new").await, "/old", &[])],
    )
    .await;
    let old = store.candidates(of, State::Mis, None).await.unwrap().remove(0);
    let new = store.candidates(of, State::New, None).await.unwrap().remove(0);
    assert_eq!(old.digest, new.digest);
    let moved = Move {
        same_as: Some(old.version),
        state: State::Sam,
        detail: "it moved".to_owned(),
        old: old.clone(),
        new: new.clone(),
    };
    store.keep_move(of, moved).await.unwrap();
    let known = store.known_documents(of.project, None).await.unwrap();
    let at: Vec<_> = known
        .iter()
        .map(|known| (known.document, known.url.path()))
        .collect();
    assert_eq!(at, [(old.document, "/new")]);
    let found = store
        .candidates(of, State::Sam, Some(Reason::Moved))
        .await
        .unwrap();
    assert_eq!((found[0].document, found[0].version), (old.document, new.version));
    assert!(store.candidates(of, State::New, None).await.unwrap().is_empty());

    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/new", "/old"]).await;
    let known = row(store, of, "/new").await.known.expect("it is known");
    assert_eq!((known.document, known.base), (old.document, old.version));
    assert!(row(store, of, "/old").await.known.is_none());
}

pub(super) async fn a_document_that_is_elsewhere_too_is_the_same(store: &dyn Store) {
    let of = second(store, &["/1", "/2"]).await;
    let old = row(store, of, "/1").await;
    let failed = Keep {
        state: Some(State::Err),
        ..redirect(&old, "/2")
    };
    keep(store, of, vec![failed]).await;
    let end = store.end_of_redirects(old.resource).await.unwrap();
    assert_eq!(end, Some(row(store, of, "/2").await.resource));
    let document = old.known.expect("it is known").document;
    let detail = "the same at another address".to_owned();
    store.keep_same_elsewhere(of, document, detail).await.unwrap();
    assert_eq!(store.counts(of.run).await.unwrap().same, 1);
}

pub(super) async fn hosts_are_counted_where_not_all_is_as_it_was(store: &dyn Store) {
    let of = second(store, &["/1", "/2", "/3", "http://b.test/"]).await;
    let batch = vec![
        page(&row(store, of, "/1").await, "changed", &[]),
        page(&row(store, of, "/2").await, "/2", &[]),
        nothing(&row(store, of, "/3").await),
        page(&row(store, of, "http://b.test/").await, "http://b.test/", &[]),
    ];
    keep(store, of, batch).await;
    let hosts = store.counts_by_host(of).await.unwrap();
    assert_eq!(hosts.len(), 1, "all of b.test is as it was");
    let counts = &hosts[0];
    assert_eq!((counts.origin().as_str(), counts.all), ("http://a.test", 3));
    assert_eq!(
        (counts.changed, counts.same, counts.failed, counts.gone),
        (1, 1, 1, 0)
    );
    assert_eq!(counts.reasons, [(Reason::ConnectTimeout, 1)]);
    let documents = store.host_documents(of, counts.host).await.unwrap();
    let states: Vec<State> = documents.iter().map(|document| document.state).collect();
    assert_eq!(states, [State::Upd, State::Err]);
    assert_eq!(documents[0].ladder.as_deref(), Some(&b"ladder of changed"[..]));
    assert_eq!(documents[0].last, Some((State::New, None)));
}

pub(super) async fn a_version_that_was_none_is_taken_back_with_its_links(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &["/a"])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let asked = row(store, of, "/1").await;
    keep(store, of, vec![page(&asked, "a wall", &["/b"])]).await;
    let host = store.host_documents(of, asked.host).await.unwrap().remove(0);
    let taken = TakenBack {
        document: host.document,
        resource: host.resource,
        version: host.version.expect("it is new"),
        reason: Reason::SameForAll,
    };
    store
        .take_back(of, vec![taken], "a wall".to_owned())
        .await
        .unwrap();
    assert_eq!(store.counts(of.run).await.unwrap().errors, 1);
    let after = store.host_documents(of, asked.host).await.unwrap().remove(0);
    assert_eq!((after.state, after.version), (State::Err, None));
    assert_eq!(after.shown.as_deref(), Some(&b"ladder of a wall"[..]));
    let links = store.link_pages(of.project, vec![asked.resource]).await.unwrap();
    let targets: Vec<ResourceId> = links[0].targets().map(|(target, _)| target).collect();
    assert_eq!(targets, store.resources_of(vec![url("/a")]).await.unwrap());
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let known = row(store, of, "/1").await.known.expect("it is known");
    assert_eq!(known.digest, asked.known.expect("it was").digest);
    assert_eq!(known.instead.as_deref(), Some(&b"ladder of a wall"[..]));
    keep(store, of, vec![nothing(&row(store, of, "/1").await)]).await;
    let shown = store.host_documents(of, asked.host).await.unwrap().remove(0);
    assert_eq!(
        (shown.shown, shown.shown_last),
        (None, Some(b"ladder of a wall".to_vec()))
    );
}

pub(super) async fn documents_of_a_host_that_is_away_are_not_gone(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &["/a"])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let asked = row(store, of, "/1").await;
    let gone = Keep {
        reason: Some(Reason::Soft404),
        ..answered(&asked, 200, Some(State::Mis))
    };
    keep(store, of, vec![gone]).await;
    assert_eq!(store.documents_count(of.project).await.unwrap(), 0);
    let document = asked.known.expect("it is known").document;
    let away = vec![(document, asked.resource)];
    store.withhold(of, away, "away".to_owned()).await.unwrap();
    assert_eq!(store.documents_count(of.project).await.unwrap(), 1);
    let found = store.host_documents(of, asked.host).await.unwrap().remove(0);
    assert_eq!(
        (found.state, found.reason),
        (State::Err, Some(Reason::SameForAll))
    );
    assert_eq!(
        store
            .link_pages(of.project, vec![asked.resource])
            .await
            .unwrap()
            .len(),
        1
    );
}

pub(super) async fn a_new_document_that_is_none_is_dropped(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    keep_all(store, of).await;
    let found = store.candidates(of, State::New, None).await.unwrap();
    store.drop_new(of, vec![found[1].clone()]).await.unwrap();
    assert_eq!(store.documents_count(of.project).await.unwrap(), 1);
    assert_eq!(store.counts(of.run).await.unwrap().new, 1);
    let visit = store
        .folder_visit(of, url("/2"))
        .await
        .unwrap()
        .expect("it was asked");
    assert_eq!(visit.reason, Some(Reason::SameForAll));
}

pub(super) async fn a_document_that_came_back_and_is_dropped_is_gone_again(store: &dyn Store) {
    let of = second(store, &["/1"]).await;
    let gone = answered(&row(store, of, "/1").await, 404, Some(State::Mis));
    keep(store, of, vec![gone]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let before = row(store, of, "/1").await;
    keep(store, of, vec![page(&before, "back", &[])]).await;
    let found = store.candidates(of, State::New, None).await.unwrap();
    store.drop_new(of, found).await.unwrap();
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let (known, was) = (row(store, of, "/1").await.known, before.known);
    let of_each = [known, was].map(|known| known.map(|known| (known.version, known.is_gone)));
    assert_eq!(of_each[0], of_each[1]);
    assert!(of_each[0].is_some_and(|(_, is_gone)| is_gone));
}

pub(super) async fn b5_documents_that_no_way_leads_to_are_orphans_until_one_does(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/"]).await;
    keep(store, of, vec![page(&row(store, of, "/").await, "root", &["/1"])]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &["/1"])]).await;
    let roots = vec![ResourceId(1)];
    assert_eq!(store.mark_orphans(of, roots.clone(), 0).await.unwrap(), 0);
    for (body, links, orphans) in [("without", &[][..], 1), ("with", &["/1"][..], 0)] {
        let last = store
            .unfinished_run(Some(of.project))
            .await
            .unwrap()
            .expect("a run");
        let of = next_run(store, RunRef { run: last, ..of }, RunKind::Track).await;
        seed(store, of, &["/", "/1"]).await;
        let mut same = page(&row(store, of, "/1").await, "one", &[]);
        same.links_unchanged = true;
        keep(
            store,
            of,
            vec![page(&row(store, of, "/").await, body, links), same],
        )
        .await;
        assert_eq!(
            store.mark_orphans(of, roots.clone(), 0).await.unwrap(),
            orphans,
            "{body}"
        );
    }
}

pub(super) async fn b5_what_a_sitemap_names_is_no_orphan(store: &dyn Store) {
    let of = second(store, &["/", "/1"]).await;
    seed(store, of, &["/map", "/gone"]).await;
    let mut entries = Outlinks::default();
    entries.push(&link("/1", LinkKind::Sitemap), None, None);
    let map = Keep {
        outlinks: entries,
        ..answered(&row(store, of, "/map").await, 200, None)
    };
    let batch = vec![
        page(&row(store, of, "/").await, "/", &[]),
        page(&row(store, of, "/1").await, "/1", &[]),
        answered(&row(store, of, "/gone").await, 404, Some(State::Mis)),
        map,
    ];
    keep(store, of, batch).await;
    assert_eq!(store.mark_orphans(of, vec![ResourceId(1)], 0).await.unwrap(), 0);
}

pub(super) async fn settled_runs_doubt_what_was_learned_but_not_what_a_person_said(store: &dyn Store) {
    let of = begin(store, "p").await;
    let rules = |text: &str| text.to_owned();
    let learned = store.keep_rules(of.project, rules("a.test"), rules("[]"), NOW, Vec::new());
    learned.await.unwrap();
    let pinned = store.set_rules(of.project, rules("b.test"), rules("[]"), true, Vec::new());
    pinned.await.unwrap();
    store
        .seal(of, vec!["all is well".to_owned(); 2], NOW)
        .await
        .unwrap();
    store.doubt_rules(of).await.unwrap();
    let settled: Vec<bool> = store
        .site_rules(of.project)
        .await
        .unwrap()
        .iter()
        .map(|site| site.is_settled)
        .collect();
    assert_eq!(settled, [false, true]);
}

pub(super) async fn documents_that_no_listing_named_are_judged_once(store: &dyn Store) {
    let files = ["ftp://f.test/1", "ftp://f.test/2", "ftp://f.test/3"];
    let of = second(store, &files).await;
    seed(store, of, &["/web"]).await;
    keep(
        store,
        of,
        vec![page(
            &row(store, of, "ftp://f.test/2").await,
            "ftp://f.test/2",
            &[],
        )],
    )
    .await;
    let unlisted = store.unlisted(of, vec!["ftp", "sftp"]).await.unwrap();
    let urls: Vec<&str> = unlisted.iter().map(|document| document.url.as_str()).collect();
    assert_eq!(urls, ["ftp://f.test/1", "ftp://f.test/3"]);
    assert!(store.unlisted(of, vec!["http"]).await.unwrap().is_empty());
    let states = [(State::Mis, Reason::CutShort), (State::Err, Reason::HostPaused)];
    let judged = unlisted
        .iter()
        .cloned()
        .zip(states)
        .map(|(document, (state, reason))| (document, state, reason));
    store.keep_unlisted(of, judged.collect(), NOW).await.unwrap();
    assert!(store.unlisted(of, vec!["ftp"]).await.unwrap().is_empty());
    let counts = store.counts(of.run).await.unwrap();
    assert_eq!((counts.missing, counts.errors), (1, 1));
    assert_eq!(store.documents_count(of.project).await.unwrap(), 2);
}

pub(super) async fn a_redirect_of_the_root_leads_to_its_folder(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["ftp://f.test/d", "/file"]).await;
    keep(
        store,
        of,
        vec![redirect(
            &row(store, of, "ftp://f.test/d").await,
            "ftp://f.test/d/",
        )],
    )
    .await;
    let at = store.folder_at(url("ftp://f.test/d")).await.unwrap();
    assert_eq!(at.as_deref(), Some("ftp://f.test/d/"));
    assert_eq!(store.folder_at(url("/file")).await.unwrap(), None);
    assert_eq!(store.folder_at(url("/unknown")).await.unwrap(), None);
}

pub(super) async fn numbers_of_what_left_are_never_given_again(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    keep_all(store, of).await;
    let found = store.candidates(of, State::New, None).await.unwrap();
    let left = found[1].clone();
    store.drop_new(of, vec![left.clone()]).await.unwrap();
    seed(store, of, &["/3"]).await;
    keep_all(store, of).await;
    let found = store.candidates(of, State::New, None).await.unwrap();
    assert!(found[1].document > left.document, "{found:?}");
    assert!(found[1].version > left.version, "{found:?}");
    let known = store.known_documents(of.project, None).await.unwrap();
    assert_eq!(known.len(), 2);
}

pub(super) async fn one_worker_settles_a_run_until_it_is_sealed_or_goes_on(store: &dyn Store) {
    let of = begin(store, "p").await;
    let take = |worker: &str, now| store.take_settling(of, worker.to_owned(), now);
    let lapsed = NOW.after(HOST_LEASE);
    assert_eq!(take("one", NOW).await.unwrap(), SettlingTurn::Ours);
    assert_eq!(take("two", NOW).await.unwrap(), SettlingTurn::Anothers);
    assert_eq!(take("one", later(1)).await.unwrap(), SettlingTurn::Ours);
    assert_eq!(
        take("two", lapsed).await.unwrap(),
        SettlingTurn::Anothers,
        "it asked again"
    );
    let lapsed = later(1).after(HOST_LEASE);
    assert_eq!(take("two", lapsed).await.unwrap(), SettlingTurn::Ours);
    store.seal(of, Vec::new(), lapsed).await.unwrap();
    assert_eq!(take("one", lapsed).await.unwrap(), SettlingTurn::Done);
    assert_eq!(take("two", lapsed).await.unwrap(), SettlingTurn::Done);
    store.set_running(of.run).await.unwrap();
    assert_ne!(take("two", lapsed).await.unwrap(), SettlingTurn::Done);
}
