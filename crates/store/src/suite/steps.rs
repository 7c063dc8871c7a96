//! Steps that meet at one page (A2).

use super::pages::{NOW, begin, keep, next_run, page, row, seed, url, waiting};
use crate::Outlinks;
use crate::keep::{Enqueue, KeepWith, Refused};
use crate::runs::{RunKind, RunRef};
use crate::store::Store;
use crate::tracking::Beginning;
use crate::work::{Load, priority_behind};
use gleaner_model::{Leg, LinkKind, Reason};

fn legs(of: &[(u32, u32)]) -> Vec<Leg> {
    of.iter().map(|&(step, depth)| Leg { step, depth }).collect()
}

fn for_steps(of: &[(u32, u32)]) -> Enqueue {
    Enqueue {
        legs: legs(of),
        ..Enqueue::page(0, 1)
    }
}

async fn begin_at(store: &dyn Store, of: RunRef, path: &str, steps: &[(u32, u32)]) -> u64 {
    let starts = vec![(url(path), for_steps(steps))];
    let kept = store.enqueue_starts(of, starts, NOW).await.unwrap();
    kept.queued.values().sum()
}

pub(super) async fn a2_a_page_waits_for_all_steps_of_one_turn_in_one_row(store: &dyn Store) {
    let of = begin(store, "p").await;
    assert_eq!(begin_at(store, of, "/1", &[(0, 1)]).await, 1);
    assert_eq!(
        begin_at(store, of, "/1", &[(0, 2), (1, 0)]).await,
        0,
        "the row takes it along"
    );
    let rows = waiting(store, of).await;
    assert_eq!((rows.len(), &rows[0].legs), (1, &legs(&[(0, 1), (1, 0)])));
    assert_eq!(
        begin_at(store, of, "/1", &[(0, 1), (1, 3)]).await,
        0,
        "each step comes once"
    );
}

pub(super) async fn a2_a_page_that_an_earlier_step_wants_moves_to_the_front(store: &dyn Store) {
    let of = begin(store, "p").await;
    begin_at(store, of, "/1", &[(1, 0)]).await;
    assert_eq!(begin_at(store, of, "/1", &[(0, 1)]).await, 1);
    let rows = waiting(store, of).await;
    assert_eq!((rows.len(), &rows[0].legs), (1, &legs(&[(1, 0), (0, 1)])));
    let first = Load {
        priority_below: Some(priority_behind(0)),
        ..super::pages::all_of(rows[0].host)
    };
    assert_eq!(store.load(of, first, false).await.unwrap().rows.len(), 1);
}

pub(super) async fn a2_a_step_that_came_while_a_page_was_on_its_way_gets_a_look_of_its_own(
    store: &dyn Store,
) {
    let of = begin(store, "p").await;
    begin_at(store, of, "/1", &[(0, 0)]).await;
    let asked = row(store, of, "/1").await;
    begin_at(store, of, "/1", &[(1, 0)]).await;
    let kept = keep(store, of, vec![page(&asked, "one", &[])]).await;
    assert_eq!(kept.queued.values().sum::<u64>(), 1);
    let again = row(store, of, "/1").await;
    assert_eq!(again.legs, legs(&[(1, 0)]));
    keep(store, of, vec![page(&again, "another", &[])]).await;
    assert_eq!(store.counts(of.run).await.unwrap().new, 1, "it is told once");
    assert!(waiting(store, of).await.is_empty());
}

pub(super) async fn a2_an_answer_for_a_row_that_moved_queues_nothing(store: &dyn Store) {
    let of = begin(store, "p").await;
    begin_at(store, of, "/1", &[(1, 0)]).await;
    let asked = row(store, of, "/1").await;
    begin_at(store, of, "/1", &[(0, 0)]).await;
    let kept = keep(store, of, vec![page(&asked, "one", &[])]).await;
    assert!(kept.queued.is_empty(), "the row in front waits already");
    assert_eq!(waiting(store, of).await.len(), 1);
}

pub(super) async fn a2_what_a_step_names_is_never_asked_about(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/"]).await;
    let mut root = page(&row(store, of, "/").await, "root", &[]);
    root.outlinks = super::pages::outlinks([
        ("/named", LinkKind::Anchor, Some(for_steps(&[(0, 0)]))),
        ("/further", LinkKind::Anchor, Some(for_steps(&[(0, 1)]))),
    ]);
    let (batch, found) = store.meet(of, vec![root]).await.unwrap();
    assert_eq!(
        found.iter().map(|found| found.url.path()).collect::<Vec<_>>(),
        ["/further"]
    );
    let refused = ["/named", "/further"].map(|path| (url(path).key(), Reason::TrapCopies));
    let with = KeepWith {
        refused: refused.into(),
        ..KeepWith::default()
    };
    assert!(store.keep(of, batch, with).await.is_ok());
    let rows = waiting(store, of).await;
    assert_eq!((rows.len(), rows[0].url.path()), (1, "/named"));
}

pub(super) async fn a2_a_refusal_holds_for_the_key_that_was_asked_about(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/"]).await;
    let mut root = page(&row(store, of, "/").await, "root", &[]);
    let (link, key) = (
        super::pages::link("/1?session=7", LinkKind::Anchor),
        url("/1").key(),
    );
    root.outlinks = Outlinks::default();
    root.outlinks
        .push_as(&link, key, None, Some(for_steps(&[(0, 1)])));
    let (batch, found) = store.meet(of, vec![root]).await.unwrap();
    let refused: Refused = found
        .iter()
        .map(|found| (found.key, Reason::TrapCopies))
        .collect();
    let with = KeepWith {
        refused,
        ..KeepWith::default()
    };
    assert!(store.keep(of, batch, with).await.is_ok());
    assert!(waiting(store, of).await.is_empty());
}

pub(super) async fn a2_documents_are_looked_at_where_the_steps_come_in(store: &dyn Store) {
    let of = begin(store, "p").await;
    begin_at(store, of, "/1", &[(0, 0)]).await;
    keep(store, of, vec![page(&row(store, of, "/1").await, "one", &[])]).await;
    let of = next_run(store, of, RunKind::Track).await;
    let known = store.known_documents(of.project, None).await.unwrap();
    let ask = known
        .into_iter()
        .map(|document| (document, Beginning::AskForSteps))
        .collect();
    store
        .begin_documents(of, ask, legs(&[(2, 0)]), NOW)
        .await
        .unwrap();
    assert_eq!(row(store, of, "/1").await.legs, legs(&[(2, 0)]));
}

pub(super) async fn a2_a_link_of_a_step_counts_also_where_the_page_was_asked_for_without_steps(
    store: &dyn Store,
) {
    let of = begin(store, "p").await;
    seed(store, of, &["/", "/1"]).await;
    let mut root = page(&row(store, of, "/").await, "root", &[]);
    let entry = Enqueue {
        priority: 1,
        ..for_steps(&[(0, 1)])
    };
    let link = ("/1", LinkKind::Anchor, Some(entry));
    root.outlinks = super::pages::outlinks([link]);
    keep(store, of, vec![root]).await;
    let rows = waiting(store, of).await;
    assert!(rows.iter().any(|row| row.legs == legs(&[(0, 1)])), "{rows:?}");
}
