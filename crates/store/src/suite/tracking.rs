//! What a track begins with.

use super::pages::{
    NOW, answered, begin, keep, keep_all, next_run, nothing, page, redirect, row, seed, url, waiting_urls,
};
use crate::keep::{Keep, LastAnswer};
use crate::runs::RunKind;
use crate::store::Store;
use crate::tracking::Beginning;
use gleaner_model::{LinkKind, Reason, ResourceId, State};

pub(super) async fn documents_come_in_the_order_of_their_numbers(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2", "/3"]).await;
    keep_all(store, of).await;
    let known = store.known_documents(of.project, None).await.unwrap();
    let urls: Vec<&str> = known.iter().map(|document| document.url.path()).collect();
    assert_eq!(urls, ["/1", "/2", "/3"]);
    let after = Some(known[1].document);
    let behind = store.known_documents(of.project, after).await.unwrap();
    assert_eq!(behind.len(), 1);
    let after = Some(behind[0].document);
    assert!(store.known_documents(of.project, after).await.unwrap().is_empty());
}

pub(super) async fn documents_are_asked_listed_or_out(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/ask", "/list", "/out"]).await;
    keep_all(store, of).await;
    let of = next_run(store, of, RunKind::Track).await;
    for _ in 0..2 {
        let known = store.known_documents(of.project, None).await.unwrap();
        let documents = known.into_iter().map(|document| {
            let beginning = match document.url.path() {
                "/ask" => Beginning::Ask,
                "/list" => Beginning::List,
                _ => Beginning::Out(Reason::UnwantedType),
            };
            (document, beginning)
        });
        let begun = store.begin_documents(of, documents.collect(), Vec::new(), NOW);
        begun.await.unwrap(); // The second time nothing changes.
        assert_eq!(waiting_urls(store, of).await, ["/ask"]);
        assert_eq!(store.counts(of.run).await.unwrap().out, 1);
    }
}

pub(super) async fn links_of_documents_come_with_their_targets(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &["/2"])]).await;
    keep(store, of, vec![page(&row(store, of, "/2").await, "two", &["/1"])]).await;
    let pages = store.link_pages_after(of.project, None).await.unwrap();
    let sources: Vec<ResourceId> = pages.iter().map(|page| page.source).collect();
    assert_eq!(sources, [ResourceId(1), ResourceId(2)]);
    let behind = store
        .link_pages_after(of.project, Some(sources[0]))
        .await
        .unwrap();
    assert_eq!(behind.len(), 1);
    let wanted = vec![sources[1], ResourceId(9), sources[0]];
    let named = store.link_pages(of.project, wanted).await.unwrap();
    let named: Vec<ResourceId> = named.iter().map(|page| page.source).collect();
    assert_eq!(named, [sources[1], sources[0]], "as they were asked for");
}

pub(super) async fn links_that_gave_no_document_are_asked_or_rest(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep(
        store,
        of,
        vec![page(
            &row(store, of, "/1").await,
            "one",
            &["/gone", "/image", "/data"],
        )],
    )
    .await;
    let absent = answered(&row(store, of, "/gone").await, 404, None);
    let mut unwanted = [
        answered(&row(store, of, "/image").await, 200, None),
        answered(&row(store, of, "/data").await, 200, None),
    ];
    unwanted[0].reason = Some(Reason::UnwantedType);
    (unwanted[1].reason, unwanted[1].detail) = (Some(Reason::NoIndex), Some("JSON".to_owned()));
    keep(store, of, unwanted.into_iter().chain([absent]).collect()).await;
    let of = next_run(store, of, RunKind::Track).await;
    let pages = store.link_pages_after(of.project, None).await.unwrap();
    let wanted = pages[0].targets().map(|(target, kind)| (target, (1, kind)));
    let wanted: Vec<_> = wanted.chain([(ResourceId(99), (1, LinkKind::Anchor))]).collect();
    for _ in 0..2 {
        let mut links = store.known_links(of, wanted.clone()).await.unwrap();
        let last: Vec<_> = links.iter().map(|link| link.last).collect();
        assert_eq!(
            last,
            [None, Some(LastAnswer::Unwanted), Some(LastAnswer::Unwanted)]
        );
        let rest = links.split_off(1);
        store.begin_links(of, links).await.unwrap();
        store.rest_links(of, rest, NOW).await.unwrap();
        assert_eq!(waiting_urls(store, of).await, ["/gone"]);
    }
    let visit = store
        .folder_visit(of, url("/image"))
        .await
        .unwrap()
        .expect("it was taken up");
    assert_eq!(visit.reason, Some(Reason::AsBefore));
}

pub(super) async fn what_a_run_took_up_otherwise_does_not_rest(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let first = row(store, of, "/1").await;
    keep(store, of, vec![nothing(&first)]).await;
    let wanted = vec![(first.resource, (0, LinkKind::Anchor))];
    let links = store.known_links(of, wanted).await.unwrap();
    store.rest_links(of, links, NOW).await.unwrap();
    let visit = store
        .folder_visit(of, url("/1"))
        .await
        .unwrap()
        .expect("it was asked");
    assert_eq!(visit.reason, Some(Reason::ConnectTimeout), "what it found stays");
}

pub(super) async fn others_of_the_last_run_are_what_is_no_document_and_no_trap(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let links = ["/moved", "/failed", "/page", "/trap"];
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &links)]).await;
    let trap = Keep {
        reason: Some(Reason::TrapDepth),
        state: None,
        ..nothing(&row(store, of, "/trap").await)
    };
    let batch = vec![
        redirect(&row(store, of, "/moved").await, "/page"),
        Keep {
            state: None,
            ..nothing(&row(store, of, "/failed").await)
        },
        page(&row(store, of, "/page").await, "page", &[]),
        trap,
    ];
    keep(store, of, batch).await;
    assert!(
        store.others_of_last_run(of).await.unwrap().found.is_empty(),
        "there was none before"
    );
    let of = next_run(store, of, RunKind::Track).await;
    let others = store.others_of_last_run(of).await.unwrap().found;
    assert_eq!(
        others,
        [(ResourceId(2), ResourceId(1)), (ResourceId(3), ResourceId(1))]
    );
}

pub(super) async fn a_list_of_links_ends_with_the_run_that_finds_another(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &["/2"])]).await;
    keep(store, of, vec![page(&row(store, of, "/2").await, "two", &[])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1", "/2"]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "else", &[])]).await;
    assert!(store.link_pages_after(of.project, None).await.unwrap().is_empty());
    let same = page(&row(store, of, "/2").await, "two", &[]);
    assert_eq!(same.state, Some(State::Sam));
    keep(store, of, vec![same]).await;
    assert_eq!(
        store.mark_orphans(of, vec![ResourceId(1)], 0).await.unwrap(),
        1,
        "nothing leads there"
    );
}

pub(super) async fn two_runs_may_take_turns_at_the_links_of_one_page(store: &dyn Store) {
    let one = begin(store, "p").await;
    let other = begin(store, "other").await;
    for turn in 0..6 {
        let of = [one, other][turn % 2];
        let again = crate::keep::Enqueue {
            again: true,
            ..crate::keep::Enqueue::page(0, 0)
        };
        store
            .enqueue_starts(of, vec![(url("/1"), again)], NOW)
            .await
            .unwrap();
        let links = [["/a"], ["/b"]][turn % 2];
        let body = format!("turn {turn}");
        keep(store, of, vec![page(&row(store, of, "/1").await, &body, &links)]).await;
    }
    let pages = store.link_pages_after(one.project, None).await.unwrap();
    assert_eq!(pages[0].targets().count(), 1);
}
