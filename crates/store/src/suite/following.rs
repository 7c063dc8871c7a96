//! What followers are promised.

use super::pages::{NOW, begin, keep_all, next_run, seed};
use crate::ledger::{FollowPosition, FollowedChange};
use crate::runs::{RunKind, RunRef, RunStatus};
use crate::store::Store;
use gleaner_model::State;

fn behind(store: &dyn Store, position: FollowPosition) -> Vec<FollowedChange> {
    let ledger = store.reader().unwrap();
    let (mut found, mut position) = (Vec::new(), position);
    loop {
        let page = ledger.changes_after(position, 2).unwrap();
        let Some(last) = page.last() else { return found };
        position = last.position;
        found.extend(page);
    }
}

async fn finish(store: &dyn Store, of: RunRef) {
    let end = store.end_run(of.run, RunStatus::Finished, NOW, None);
    end.await.unwrap();
}

pub(super) async fn changes_are_told_run_by_run_once_they_are_final(store: &dyn Store) {
    let (one, two) = (begin(store, "one").await, begin(store, "two").await);
    for path in ["/1", "/2", "/3"] {
        for of in [one, two] {
            seed(store, of, &[path]).await;
            keep_all(store, of).await;
        }
    }
    assert_eq!(behind(store, FollowPosition::default()), []);
    finish(store, two).await;
    let first = behind(store, FollowPosition::default());
    assert!(
        first
            .iter()
            .all(|told| told.run == two.run && told.project == two.project)
    );
    assert_eq!(first.len(), 3);
    finish(store, one).await;
    let second = behind(store, first[2].position);
    assert!(
        second
            .iter()
            .all(|told| told.run == one.run && told.state == State::New)
    );
    assert_eq!(second.len(), 3);
    assert_eq!(behind(store, second[0].position), second[1..]);
    assert_eq!(behind(store, FollowPosition::default()), [first, second].concat());
}

pub(super) async fn what_was_taken_back_before_the_end_is_never_told(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    keep_all(store, of).await;
    let found = store.candidates(of, State::New, None).await.unwrap();
    store.drop_new(of, vec![found[1].clone()]).await.unwrap();
    finish(store, of).await;
    let told = behind(store, FollowPosition::default());
    assert_eq!(told.len(), 1);
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/3"]).await;
    keep_all(store, of).await;
    finish(store, of).await;
    let more = behind(store, told[0].position);
    assert_eq!(more.len(), 1);
    assert!(
        more[0].change.0 > told[0].change.0 + 1,
        "the number of the one that left"
    );
}

pub(super) async fn a_run_that_goes_on_after_its_end_is_told_again(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    keep_all(store, of).await;
    finish(store, of).await;
    let told = behind(store, FollowPosition::default());
    store.set_running(of.run).await.unwrap();
    seed(store, of, &["/2"]).await;
    keep_all(store, of).await;
    assert_eq!(behind(store, FollowPosition::default()), []);
    finish(store, of).await;
    assert_eq!(behind(store, told[0].position).len(), 2);
    let ledger = store.reader().unwrap();
    assert_eq!(ledger.changes(of.run, None, None, 9).unwrap().len(), 2);
}

pub(super) async fn a_follower_goes_on_where_it_was(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    keep_all(store, of).await;
    finish(store, of).await;
    let at = |name: &str| store.reader().unwrap().position(name).unwrap();
    assert_eq!(at("index"), FollowPosition::default());
    let told = behind(store, at("index"));
    store.advance("index".to_owned(), told[1].position).await.unwrap();
    assert_eq!(behind(store, at("index")), []);
    assert_eq!(behind(store, at("feed")).len(), 2);
    store.advance("index".to_owned(), told[0].position).await.unwrap();
    assert_eq!(at("index"), told[1].position, "it never goes back");
    store.forget_follower("index".to_owned()).await.unwrap();
    assert_eq!(at("index"), FollowPosition::default());
}
