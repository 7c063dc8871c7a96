//! What readers are promised.

use super::pages::{
    NOW, answered, begin, facts, keep, keep_all, next_run, page, redirect, row, seed, short, url, waiting,
};
use crate::Ledger;
use crate::ledger::{Absence, DocumentFilter, Extract, LinkEnd, ListPlace, OneState};
use crate::runs::{RunKind, RunRef};
use crate::settling::Move;
use crate::store::Store;
use gleaner_model::{DocumentId, Reason, ResourceId, State, Url, VersionId};

/// A run that has kept these pages.
async fn kept(store: &dyn Store, pages: &[&str]) -> RunRef {
    let of = begin(store, "p").await;
    seed(store, of, pages).await;
    keep_all(store, of).await;
    of
}

fn urls(ledger: &dyn Ledger) -> Vec<String> {
    let all = DocumentFilter::default();
    let rows = ledger.all_documents(&all);
    let rows: Result<Vec<_>, _> = rows.collect();
    let parsed = |url: &str| Url::parse(url).unwrap();
    rows.unwrap().iter().map(|row| short(&parsed(&row.url))).collect()
}

pub(super) async fn a_ledger_sees_what_was_kept_before_it_was_opened(store: &dyn Store) {
    let of = kept(store, &["/1"]).await;
    let ledger = store.reader().unwrap();
    assert_eq!(urls(&*ledger), ["/1"]);
    seed(store, of, &["/2"]).await;
    keep_all(store, of).await;
    assert_eq!(urls(&*ledger.opener().ledger().unwrap()), ["/1", "/2"]);
}

pub(super) async fn held_answers_come_from_one_state(store: &dyn Store) {
    let of = kept(store, &["/1"]).await;
    let ledger = store.reader().unwrap();
    let held = OneState::of(&*ledger).unwrap();
    assert_eq!(urls(&*ledger), ["/1"]);
    seed(store, of, &["/2"]).await;
    keep_all(store, of).await;
    assert_eq!(urls(&*ledger), ["/1"]);
    // Whatever needs one state for itself has that of its caller.
    ledger.content(DocumentId(1), None).unwrap();
    drop(held);
    assert_eq!(urls(&*ledger), ["/1", "/2"]);
}

pub(super) async fn changes_come_in_pages_in_the_order_they_were_found(store: &dyn Store) {
    let of = begin(store, "p").await;
    let other = begin(store, "other").await;
    for path in ["/3", "/1", "/2"] {
        for run in [of, other] {
            seed(store, run, &[path]).await;
            keep_all(store, run).await;
        }
    }
    let ledger = store.reader().unwrap();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = ledger.changes(of.run, None, after, 2).unwrap();
        let Some(last) = page.last() else { break };
        after = Some(last.change);
        found.extend(page);
    }
    let paths: Vec<String> = found
        .iter()
        .map(|row| short(&Url::parse(&row.url).unwrap()))
        .collect();
    assert_eq!(paths, ["/3", "/1", "/2"]);
    assert!(
        found
            .iter()
            .all(|row| row.state == State::New && row.kept().is_some())
    );
    assert_eq!(ledger.changes(of.run, Some(State::Mis), None, 9).unwrap(), []);
}

pub(super) async fn documents_say_whether_they_are_there(store: &dyn Store) {
    let of = kept(store, &["/1", "/2"]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1"]).await;
    let gone = answered(&row(store, of, "/1").await, 404, Some(State::Mis));
    keep(store, of, vec![gone]).await;
    let ledger = store.reader().unwrap();
    let absent = DocumentFilter {
        only_absent: true,
        ..DocumentFilter::default()
    };
    let found = ledger.documents(&absent, None, 9).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].absence, Some(Absence::Gone(of.run)));
    let typed = DocumentFilter {
        media_type: Some("text".to_owned()),
        ..DocumentFilter::default()
    };
    assert_eq!(ledger.documents(&typed, None, 9).unwrap().len(), 2);
    assert_eq!(ledger.documents(&typed, Some(found[0].id), 9).unwrap().len(), 1);
    let before = ledger.before(of.run).unwrap().expect("it is a track");
    assert_eq!((before.missing, before.documents()), (1, 1));
}

pub(super) async fn a_project_is_told_as_it_was_at_the_end_of_a_run(store: &dyn Store) {
    let first = kept(store, &["/old", "/gone"]).await;
    let second = next_run(store, first, RunKind::Track).await;
    seed(store, second, &["/old", "/new", "/gone"]).await;
    let gone = |row| answered(&row, 404, Some(State::Mis));
    let batch = vec![
        gone(row(store, second, "/old").await),
        gone(row(store, second, "/gone").await),
        page(&row(store, second, "/new").await, "/old", &[]),
    ];
    keep(store, second, batch).await;
    let found = async |state| store.candidates(second, state, None).await.unwrap();
    let (old, new) = (
        found(State::Mis).await.remove(0),
        found(State::New).await.remove(0),
    );
    let moved = Move {
        old: old.clone(),
        new,
        state: State::Sam,
        same_as: Some(old.version),
        detail: "moved".to_owned(),
    };
    store.keep_move(second, moved).await.unwrap();

    let ledger = store.reader().unwrap();
    let then = |of: RunRef| ledger.documents_then(of.project, of.run).unwrap();
    let at = |of: RunRef| -> Vec<String> {
        then(of)
            .iter()
            .map(|one| short(&Url::parse(&one.url).unwrap()))
            .collect()
    };
    assert_eq!(at(first), ["/old", "/gone"]);
    assert_eq!(at(second), ["/new"]);
    assert_eq!(then(first)[0].document, then(second)[0].document);
    let held = ledger.holdings(second.project, second.run).unwrap();
    let told: Vec<_> = held.iter().map(|one| (one.state, one.gone_run)).collect();
    assert_eq!(told, [(State::Sam, None), (State::Mis, Some(second.run))]);
    let detours = ledger.detours_then(second.project, second.run).unwrap();
    assert_eq!(detours.get(&url("/old").key()), Some(&url("/new").key()));
    // Its old address still leads to it.
    assert_eq!(ledger.document_named(url("/old").as_str()).unwrap(), old.document);
    let versions = ledger.versions(old.document).unwrap();
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[0].url.as_deref(), Some(url("/old").as_str()));
}

pub(super) async fn links_are_those_of_now_or_of_then(store: &dyn Store) {
    let first = begin(store, "p").await;
    seed(store, first, &["/"]).await;
    let home = page(&row(store, first, "/").await, "home", &["/1", "/2"]);
    keep(store, first, vec![home]).await;
    let second = next_run(store, first, RunKind::Track).await;
    seed(store, second, &["/"]).await;
    let home = page(&row(store, second, "/").await, "other", &["/2"]);
    keep(store, second, vec![home]).await;

    let ledger = store.reader().unwrap();
    let at = |path: &str| ledger.resource_of(&url(path)).unwrap().expect("it is known");
    let (home, one, two) = (at("/"), at("/1"), at("/2"));
    let targets = |run| -> Vec<ResourceId> {
        let lists = ledger.link_lists(run, ListPlace::default(), 9).unwrap();
        let links = lists
            .iter()
            .flat_map(|(page, links)| links.map(move |link| (page, link)));
        links
            .map(|(page, link)| (assert_eq!(page, home), link.target).1)
            .collect()
    };
    assert_eq!(targets(None), [two]);
    assert_eq!(targets(Some(first.run)), [one, two]);
    assert_eq!(targets(Some(second.run)), [two]);
    assert_eq!(ledger.pages_that_name(two).unwrap(), [home]);
    assert_eq!(ledger.pages_that_name(one).unwrap(), []);
    let links = ledger.links(two, LinkEnd::In).unwrap();
    assert_eq!(links.len(), 1);
    assert_eq!(links[0].url, url("/").as_str());
    let approaches = ledger.approaches(home, second.run).unwrap();
    assert_eq!(approaches.len(), 1);
    assert_eq!(approaches[0].kind, None);
}

pub(super) async fn an_address_leads_to_where_its_redirect_led_then(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/a"]).await;
    let moved = redirect(&row(store, of, "/a").await, "/b");
    keep(store, of, vec![moved]).await;
    keep_all(store, of).await;
    let ledger = store.reader().unwrap();
    let detours = ledger.detours_then(of.project, of.run).unwrap();
    assert_eq!(detours.get(&url("/a").key()), Some(&url("/b").key()));
    let visit = ledger
        .last_visit(ledger.resource_of(&url("/a")).unwrap().expect("it is known"))
        .unwrap()
        .expect("it was asked");
    assert_eq!((visit.run, visit.status), (of.run, Some(301)));
}

pub(super) async fn content_is_what_was_sent_also_where_it_lay_there_before(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    let rows = waiting(store, of).await;
    let batch = rows.iter().map(|row| page(row, "the same", &[])).collect();
    keep(store, of, batch).await;
    let ledger = store.reader().unwrap();
    for path in ["/1", "/2"] {
        let document = ledger.document_named(url(path).as_str()).unwrap();
        let content = ledger.content(document, None).unwrap();
        assert_eq!(content.url, url(path).as_str());
        assert_eq!(content.body, b"the same");
        let head = String::from_utf8(content.head).unwrap();
        assert!(head.contains(&format!("X-Url: {}", url(path))), "{head}");
    }
    assert!(ledger.content(DocumentId(1), Some(VersionId(2))).is_err());
    assert!(ledger.stored(VersionId(9)).unwrap().is_none());
}

pub(super) async fn an_extract_can_be_read_without_the_rest(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    let rows = waiting(store, of).await;
    let batch = rows.iter().map(|row| page(row, "the same", &[])).collect();
    keep(store, of, batch).await;
    let ledger = store.reader().unwrap();
    let named = |path: &str| ledger.document_named(url(path).as_str()).unwrap();
    let version = |document| ledger.versions(document).unwrap()[0].id;
    let (one, two) = (named("/1"), named("/2"));
    let mut extract = Extract::default();
    let first = extract.records(&*ledger, one, version(one)).unwrap();
    let second = extract.records(&*ledger, two, version(two)).unwrap();
    assert!(!first.is_revisit && second.is_revisit, "{first:?} {second:?}");
    let alone = Extract::default().records(&*ledger, two, version(two)).unwrap();
    assert!(!alone.is_revisit);
    let (record, _) = crate::warc::reader::first_record(&alone.bytes).unwrap();
    assert_eq!(record.http().1, b"the same");
}

pub(super) async fn versions_come_in_the_order_they_were_kept(store: &dyn Store) {
    let first = kept(store, &["/1", "/2"]).await;
    let second = next_run(store, first, RunKind::Track).await;
    seed(store, second, &["/1"]).await;
    let mut changed = page(&row(store, second, "/1").await, "other", &[]);
    facts(&mut changed).asked = Some(url("/1?sid=7").as_str().to_owned());
    keep(store, second, vec![changed]).await;
    let ledger = store.reader().unwrap();
    let behind = ledger.versions_behind(VersionId(1), 1).unwrap();
    assert_eq!(behind.len(), 1);
    let last = ledger.versions_behind(behind[0].version, 9).unwrap();
    assert_eq!(last.len(), 1);
    assert_eq!(last[0].url, url("/1?sid=7").as_str());
    assert_eq!(ledger.count_versions(behind[0].version).unwrap(), (2, 1));
    let newest = ledger.standing(last[0].version).unwrap().expect("it is there");
    assert!(newest.is_newest && !newest.is_absent);
    assert_eq!(newest.state, Some(State::Upd));
    let oldest = ledger.standing(VersionId(1)).unwrap().expect("it is there");
    assert!(!oldest.is_newest);
    let states: Vec<_> = ledger
        .versions(newest.document)
        .unwrap()
        .iter()
        .map(|row| row.state)
        .collect();
    assert_eq!(states, [Some(State::New), Some(State::Upd)]);
}

pub(super) async fn what_is_not_there_is_named_as_such(store: &dyn Store) {
    let of = kept(store, &["/1"]).await;
    let ledger = store.reader().unwrap();
    let said = |error: crate::StoreError| error.to_string();
    assert!(said(ledger.document_named("77").unwrap_err()).contains("no such document"));
    assert!(said(ledger.document_named("http://a.test/9").unwrap_err()).contains("no such document"));
    assert!(said(ledger.resource_named("nonsense").unwrap_err()).contains("no such document"));
    assert!(said(ledger.document(DocumentId(77)).unwrap_err()).contains("no such document"));
    assert!(ledger.run(gleaner_model::RunId(77)).is_err());
    assert_eq!(ledger.before(of.run).unwrap(), None, "it is no track");
    assert_eq!(
        ledger.count_of_reason(of.run, Reason::HttpGone).unwrap(),
        (0, None)
    );
    let began = ledger.run_began(of.run).unwrap();
    assert_eq!(began, Some(NOW));
}
