//! What runs learn about sites.

use super::pages::{NOW, begin, later, next_run, seed, url, waiting};
use crate::runs::RunKind;
use crate::store::Store;
use gleaner_model::ResourceId;

pub(super) async fn addresses_of_a_domain_are_those_of_its_hosts(store: &dyn Store) {
    let of = begin(store, "p").await;
    let urls = [
        "/1",
        "http://www.a.test/",
        "http://nota.test/",
        "http://a.test.b.test/",
        "/2",
    ];
    seed(store, of, &urls).await;
    let found = store
        .addresses_of_domain("a.test".to_owned(), None)
        .await
        .unwrap();
    let urls: Vec<&str> = found.iter().map(|(_, url)| url.as_str()).collect();
    assert_eq!(urls, ["http://a.test/1", "http://www.a.test/", "http://a.test/2"]);
    let after = Some(found[1].0);
    let behind = store
        .addresses_of_domain("a.test".to_owned(), after)
        .await
        .unwrap();
    assert_eq!(behind.len(), 1);
}

pub(super) async fn an_underscore_in_a_domain_is_only_that(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["http://x.a_b.test/", "http://x.aXb.test/"]).await;
    let found = store
        .addresses_of_domain("a_b.test".to_owned(), None)
        .await
        .unwrap();
    assert_eq!(found.len(), 1);
}

pub(super) async fn rules_are_learned_unless_a_person_pinned_them(store: &dyn Store) {
    let of = begin(store, "p").await;
    let learn = async |rules: &str| {
        let learned = store.keep_rules(
            of.project,
            "a.test".to_owned(),
            rules.to_owned(),
            later(3),
            Vec::new(),
        );
        learned.await.unwrap();
        let found = store.site_rules(of.project).await.unwrap().remove(0);
        (found.rules, found.probed_at, found.is_pinned, found.is_settled)
    };
    assert_eq!(learn("1").await, ("1".to_owned(), Some(later(3)), false, true));
    assert_eq!(learn("2").await, ("2".to_owned(), Some(later(3)), false, true));
    let pinned = store.set_rules(of.project, "a.test".to_owned(), "3".to_owned(), true, Vec::new());
    pinned.await.unwrap();
    assert_eq!(learn("4").await, ("3".to_owned(), Some(later(3)), true, true));
}

pub(super) async fn addresses_that_turn_out_to_be_one_stay_apart_under_the_first_key(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1?s=1", "/1?s=2"]).await;
    let rows = waiting(store, of).await;
    let key = url("/1").key();
    let keys = rows.iter().map(|row| (row.resource, key)).collect();
    let kept = store.keep_rules(of.project, "a.test".to_owned(), "[]".to_owned(), NOW, keys);
    kept.await.unwrap();
    let urls = vec![url("/1"), url("/1?s=1"), url("/1?s=2")];
    let found = store.resources_of(urls).await.unwrap();
    assert_eq!(
        found,
        [ResourceId(1), ResourceId(2)],
        "the old key of the first is free"
    );
    assert!(
        seed(store, of, &["/1"]).await.queued.is_empty(),
        "it is met under its new key"
    );
}

pub(super) async fn noises_and_trap_memories_are_what_was_kept_last(store: &dyn Store) {
    let of = begin(store, "p").await;
    let noise = |site: &str, memory: &str| (site.to_owned(), memory.to_owned());
    for memory in ["1", "2"] {
        let noises = vec![noise("b.test", memory), noise("a.test", memory)];
        store.keep_noises(of.project, noises).await.unwrap();
        store
            .keep_traps(of.run, memory.as_bytes().to_vec(), Vec::new())
            .await
            .unwrap();
    }
    let noises = store.noises(of.project).await.unwrap();
    assert_eq!(noises, [noise("a.test", "2"), noise("b.test", "2")]);
    assert_eq!(store.traps(of.run).await.unwrap(), Some(b"2".to_vec()));
    assert_eq!(store.traps_before(of).await.unwrap(), None);
    let other = begin(store, "other").await;
    store.keep_traps(other.run, vec![9], Vec::new()).await.unwrap();
    let next = next_run(store, of, RunKind::Track).await;
    assert_eq!(
        store.traps_before(next).await.unwrap(),
        Some(b"2".to_vec()),
        "its own project's"
    );
}
