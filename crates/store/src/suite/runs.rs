//! Projects and runs.

use super::pages::{NOW, begin, keep, later, next_run, nothing, page, project, row, seed};
use crate::StoreError;
use crate::keep::KeepWith;
use crate::runs::{Counts, Removed, RunKind, RunStatus};
use crate::store::Store;
use gleaner_model::{ProjectId, RunId, State};

pub(super) async fn a_project_is_made_once_and_has_the_newest_settings(store: &dyn Store) {
    let id = store.project(project("p"), NOW).await.unwrap();
    let mut other = project("p");
    other.user_agent = "another".to_owned();
    assert_eq!(store.project(other.clone(), NOW).await.unwrap(), id);
    let found = store.find_project("p".to_owned()).await.unwrap();
    assert_eq!(found, Some((id, other)));
    assert_eq!(store.find_project("q".to_owned()).await.unwrap(), None);
    let added = store.add_project(project("p"), NOW).await;
    assert!(matches!(added, Err(StoreError::NameTaken { .. })));
    assert_ne!(store.add_project(project("q"), NOW).await.unwrap(), id);
}

pub(super) async fn a_new_name_holds_for_the_project_and_its_unfinished_run(store: &dyn Store) {
    let first = begin(store, "old").await;
    let of = next_run(store, first, RunKind::Track).await;
    begin(store, "other").await;
    let rename = |name: &str, new: &str| store.rename_project(name.to_owned(), new.to_owned());
    assert!(matches!(
        rename("old", "other").await,
        Err(StoreError::NameTaken { .. })
    ));
    assert!(matches!(
        rename("none", "new").await,
        Err(StoreError::NotFound { .. })
    ));
    rename("old", "new").await.unwrap();
    assert_eq!(store.run_row(of.run).await.unwrap().project_name, "new");
    assert_eq!(store.run_settings(of.run).await.unwrap().1.name, "new");
    assert_eq!(store.run_settings(first.run).await.unwrap().1.name, "old");
    let (found, settings) = store
        .find_project("new".to_owned())
        .await
        .unwrap()
        .expect("renamed");
    assert_eq!((found, settings.name.as_str()), (of.project, "new"));
}

pub(super) async fn a_project_that_never_ran_goes_and_one_that_ran_is_archived(store: &dyn Store) {
    let idle = store.add_project(project("idle"), NOW).await.unwrap();
    let used = begin(store, "used").await;
    assert_eq!(store.remove_project(idle, NOW).await.unwrap(), Removed::Whole);
    assert_eq!(
        store.remove_project(used.project, NOW).await.unwrap(),
        Removed::Archived
    );
    assert_eq!(store.find_project("idle".to_owned()).await.unwrap(), None);
    assert_eq!(
        store.unfinished_run(None).await.unwrap(),
        None,
        "nobody resumes it by accident"
    );
    let named = store.unfinished_run(Some(used.project)).await.unwrap();
    assert_eq!(named, Some(used.run));
    store.project(project("used"), NOW).await.unwrap();
    assert_eq!(
        store.unfinished_run(None).await.unwrap(),
        Some(used.run),
        "brought back"
    );
}

pub(super) async fn no_run_starts_without_its_project(store: &dyn Store) {
    let started = store
        .start_run(ProjectId(7), project("p"), RunKind::Crawl, NOW)
        .await;
    assert!(matches!(started, Err(StoreError::NotFound { .. })));
}

pub(super) async fn a_run_that_is_not_there_is_named_as_such(store: &dyn Store) {
    let run = RunId(7);
    let is_missing = |error: Option<StoreError>| matches!(error, Some(StoreError::NotFound { .. }));
    assert!(is_missing(store.run_row(run).await.err()));
    assert!(is_missing(store.run_settings(run).await.err()));
    assert!(is_missing(store.cookies(run).await.err()));
    assert_eq!(store.counts(run).await.unwrap(), Counts::default());
}

pub(super) async fn the_newest_run_that_is_not_finished_is_found(store: &dyn Store) {
    let of = begin(store, "p").await;
    let other = begin(store, "other").await;
    assert_eq!(store.unfinished_run(None).await.unwrap(), Some(other.run));
    assert_eq!(
        store.unfinished_run(Some(of.project)).await.unwrap(),
        Some(of.run)
    );
    store
        .end_run(other.run, RunStatus::Finished, NOW, None)
        .await
        .unwrap();
    assert_eq!(store.unfinished_run(None).await.unwrap(), Some(of.run));
    store
        .end_run(of.run, RunStatus::Stopped, NOW, None)
        .await
        .unwrap();
    assert_eq!(
        store.unfinished_run(None).await.unwrap(),
        Some(of.run),
        "stopped is not finished"
    );
}

pub(super) async fn a_run_tells_how_it_ended_until_it_goes_on(store: &dyn Store) {
    let of = begin(store, "p").await;
    let ended = store.end_run(of.run, RunStatus::Stopped, later(5), Some("by hand".to_owned()));
    ended.await.unwrap();
    let row = store.run_row(of.run).await.unwrap();
    assert_eq!((row.status, row.ended_at), (RunStatus::Stopped, Some(later(5))));
    assert_eq!((row.kind, row.note.as_deref()), (RunKind::Crawl, Some("by hand")));
    store
        .fail_run(of.run, later(6), "too late".to_owned())
        .await
        .unwrap();
    assert_eq!(
        store.run_row(of.run).await.unwrap().status,
        RunStatus::Stopped,
        "its end stays"
    );
    store.set_running(of.run).await.unwrap();
    let row = store.run_row(of.run).await.unwrap();
    assert_eq!(
        (row.status, row.ended_at, row.note),
        (RunStatus::Running, None, None)
    );
    store
        .fail_run(of.run, later(7), "it broke".to_owned())
        .await
        .unwrap();
    let row = store.run_row(of.run).await.unwrap();
    assert_eq!(
        (row.status, row.note.as_deref()),
        (RunStatus::Failed, Some("it broke"))
    );
}

pub(super) async fn settings_of_a_run_are_its_own(store: &dyn Store) {
    let of = begin(store, "p").await;
    let mut other = project("p");
    other.user_agent = "another".to_owned();
    store.set_run_settings(of.run, other.clone()).await.unwrap();
    assert_eq!(
        store.run_settings(of.run).await.unwrap(),
        (of.project, other.clone())
    );
    assert_eq!(store.last_settings(of).await.unwrap(), None);
    let next = next_run(store, of, RunKind::Track).await;
    assert_eq!(store.last_settings(next).await.unwrap(), Some(other));
}

pub(super) async fn cookies_and_time_come_with_a_batch_and_cookies_go_with_the_run(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1"]).await;
    let batch = vec![page(&row(store, of, "/1").await, "one", &[])];
    let with = KeepWith {
        active_ms: 70,
        cookies: Some(b"sealed".to_vec()),
        ..KeepWith::default()
    };
    assert!(store.keep(of, batch, with).await.is_ok());
    keep(store, of, Vec::new()).await;
    assert_eq!(
        store.cookies(of.run).await.unwrap(),
        Some(b"sealed".to_vec()),
        "they did not change"
    );
    let row = store.run_row(of.run).await.unwrap();
    assert_eq!(
        (row.active_ms, row.wire_bytes),
        (70, 3),
        "the longest time that a worker told, the bytes of all"
    );
    store
        .end_run(of.run, RunStatus::Finished, NOW, None)
        .await
        .unwrap();
    assert_eq!(store.cookies(of.run).await.unwrap(), None);
}

pub(super) async fn the_time_of_a_run_comes_also_where_nothing_was_kept(store: &dyn Store) {
    let of = begin(store, "p").await;
    for active_ms in [70, 9_000] {
        let with = KeepWith {
            active_ms,
            ..KeepWith::default()
        };
        assert!(store.keep(of, Vec::new(), with).await.is_ok());
        let row = store.run_row(of.run).await.unwrap();
        assert_eq!((row.active_ms, row.wire_bytes), (active_ms, 0));
    }
}

pub(super) async fn a_run_is_counted_from_its_rows(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2", "/3", "/4", "/5"]).await;
    let mut batch = vec![page(&row(store, of, "/1").await, "one", &["/more"])];
    batch.push(super::pages::redirect(&row(store, of, "/2").await, "/1"));
    batch.push(super::pages::answered(&row(store, of, "/3").await, 404, None));
    batch.push(nothing(&row(store, of, "/4").await));
    keep(store, of, batch).await;
    let counts = store.counts(of.run).await.unwrap();
    let expected = Counts {
        fetched: 3,
        new: 1,
        errors: 1,
        dead_links: 1,
        redirects: 1,
        queued: 2,
        ..Counts::default()
    };
    assert_eq!(counts, expected);
}

pub(super) async fn a_track_that_was_cut_off_counts_what_it_has_not_asked_for(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &["/1", "/2"]).await;
    super::pages::keep_all(store, of).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &["/1", "/2", "/new"]).await;
    let same = page(&row(store, of, "/1").await, "/1", &[]);
    assert_eq!(same.state, Some(State::Sam));
    keep(store, of, vec![same]).await;
    assert_eq!(store.counts(of.run).await.unwrap().errors, 0);
    store
        .end_run(of.run, RunStatus::Stopped, NOW, None)
        .await
        .unwrap();
    let counts = store.counts(of.run).await.unwrap();
    assert_eq!((counts.errors, counts.same, counts.before), (1, 1, 2));
}

pub(super) async fn a_store_that_was_tidied_goes_on(store: &dyn Store) {
    let of = begin(store, "p").await;
    store.tidy().await.unwrap();
    seed(store, of, &["/1"]).await;
    store.tidy().await.unwrap();
    assert_eq!(store.counts(of.run).await.unwrap().queued, 1);
}
