//! Folders of servers that list what they have.

use super::pages::{
    answered, begin, facts, keep, link, next_run, nothing, page, row, seed, url, waiting_urls,
};
use crate::Outlinks;
use crate::keep::{Enqueue, Keep, Listed, Outcome, Share};
use crate::runs::{RunKind, RunRef};
use crate::store::Store;
use crate::work::Queued;
use gleaner_model::{LinkKind, State};

const FOLDER: &str = "ftp://f.test/d/";

fn entries(of: &[(&str, Option<&str>)]) -> Outlinks {
    let mut outlinks = Outlinks::default();
    for (name, stamp) in of {
        let entry = Enqueue {
            listed: Some(Listed {
                stamp: stamp.map(str::to_owned),
                sample: 0,
            }),
            ..Enqueue::page(1, 1)
        };
        outlinks.push(
            &link(&format!("{FOLDER}{name}"), LinkKind::Entry),
            None,
            Some(entry),
        );
    }
    outlinks
}

fn listing(row: &Queued, of: &[(&str, Option<&str>)]) -> Keep {
    Keep {
        outlinks: entries(of),
        ..answered(row, 200, None)
    }
}

fn piece(row: &Queued, share: Share, of: &[(&str, Option<&str>)]) -> Keep {
    Keep {
        outcome: Outcome::Piece(share),
        outlinks: entries(of),
        links_unchanged: false,
        ..nothing(row)
    }
}

/// A run that knows the file `1` under the stamp `old`, and whose folder waits.
async fn second(store: &dyn Store) -> RunRef {
    let of = begin(store, "p").await;
    seed(store, of, &[FOLDER]).await;
    let folder = row(store, of, FOLDER).await;
    keep(store, of, vec![listing(&folder, &[("1", Some("old"))])]).await;
    let asked = row(store, of, "ftp://f.test/d/1").await;
    assert_eq!(asked.stamp.as_deref(), Some("old"));
    let mut file = page(&asked, "one", &[]);
    facts(&mut file).etag = asked.stamp;
    keep(store, of, vec![file]).await;
    let of = next_run(store, of, RunKind::Track).await;
    seed(store, of, &[FOLDER]).await;
    of
}

pub(super) async fn b2_an_entry_under_its_old_stamp_is_as_it_was(store: &dyn Store) {
    let of = second(store).await;
    let folder = row(store, of, FOLDER).await;
    let kept = keep(
        store,
        of,
        vec![listing(&folder, &[("1", Some("old")), ("2", Some("new"))])],
    )
    .await;
    assert_eq!(kept.unchanged, 1);
    assert_eq!(waiting_urls(store, of).await, ["ftp://f.test/d/2"]);
    assert_eq!(store.candidates(of, State::Sam, None).await.unwrap().len(), 1);
}

pub(super) async fn b2_an_entry_with_another_stamp_or_none_is_asked_for(store: &dyn Store) {
    let mut of = second(store).await;
    for stamp in [Some("new"), None] {
        let folder = row(store, of, FOLDER).await;
        let kept = keep(store, of, vec![listing(&folder, &[("1", stamp)])]).await;
        assert_eq!((kept.unchanged, kept.queued.len()), (0, 1));
        of = next_run(store, of, RunKind::Track).await;
        seed(store, of, &[FOLDER]).await;
    }
}

pub(super) async fn a_folder_that_comes_in_pieces_waits_until_the_last(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &[FOLDER]).await;
    let folder = row(store, of, FOLDER).await;
    let first = keep(store, of, vec![piece(&folder, Share::First, &[("1", None)])]).await;
    assert_eq!(first.queued.len(), 1, "its entries need not wait");
    let visit = store
        .folder_visit(of, url(FOLDER))
        .await
        .unwrap()
        .expect("it was taken up");
    assert!(!visit.was_asked);
    keep(store, of, vec![piece(&folder, Share::Next, &[("2", None)])]).await;
    keep(store, of, vec![listing(&folder, &[("3", None)])]).await;
    let visit = store
        .folder_visit(of, url(FOLDER))
        .await
        .unwrap()
        .expect("it was taken up");
    assert!(visit.was_asked);
    assert_eq!(store.end_of_redirects(folder.resource).await.unwrap(), None);
    assert_eq!(names(store, of, &folder).await, 3, "the list has all pieces");
}

/// How many entries the folder has, once it is a document.
async fn names(store: &dyn Store, of: RunRef, folder: &Queued) -> usize {
    let again = Enqueue {
        again: true,
        ..Enqueue::page(9, 0)
    };
    let starts = vec![(url(FOLDER), again)];
    store.enqueue_starts(of, starts, super::pages::NOW).await.unwrap();
    let asked = row(store, of, FOLDER).await;
    let mut document = page(&asked, "a folder", &[]);
    document.links_unchanged = true;
    keep(store, of, vec![document]).await;
    let pages = store.link_pages(of.project, vec![folder.resource]).await.unwrap();
    pages[0].targets().count()
}

pub(super) async fn a_folder_that_begins_anew_forgets_its_earlier_pieces(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &[FOLDER]).await;
    let folder = row(store, of, FOLDER).await;
    keep(store, of, vec![piece(&folder, Share::First, &[("1", None)])]).await;
    keep(store, of, vec![piece(&folder, Share::First, &[("2", None)])]).await;
    keep(store, of, vec![listing(&folder, &[])]).await;
    assert_eq!(names(store, of, &folder).await, 1);
}

pub(super) async fn what_comes_after_the_end_of_a_folder_is_no_piece_of_it(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &[FOLDER]).await;
    let again = Enqueue {
        again: true,
        ..Enqueue::page(1, 0)
    };
    store
        .enqueue_starts(of, vec![(url(FOLDER), again)], super::pages::NOW)
        .await
        .unwrap();
    let rows = super::pages::waiting(store, of).await;
    assert_eq!(rows.len(), 2, "two looks at one folder");
    let batch = vec![
        piece(&rows[0], Share::First, &[("1", None)]),
        listing(&rows[0], &[("2", None)]),
        listing(&rows[1], &[("3", None)]),
    ];
    keep(store, of, batch).await;
    assert_eq!(
        names(store, of, &rows[0]).await,
        1,
        "only what the second look named"
    );
}

pub(super) async fn files_of_a_folder_are_named_whether_taken_or_not(store: &dyn Store) {
    let of = begin(store, "p").await;
    seed(store, of, &[FOLDER]).await;
    assert!(!store.names_files(of, FOLDER.to_owned()).await.unwrap());
    let folder = row(store, of, FOLDER).await;
    let mut outlinks = Outlinks::default();
    outlinks.push(&link("ftp://f.test/d/within/", LinkKind::Entry), None, None);
    let empty = Keep {
        outlinks,
        ..answered(&folder, 200, None)
    };
    keep(store, of, vec![empty]).await;
    assert!(
        !store.names_files(of, FOLDER.to_owned()).await.unwrap(),
        "a folder is no file"
    );
    seed(store, of, &["ftp://f.test/d/within/"]).await;
    let within = row(store, of, "ftp://f.test/d/within/").await;
    let mut outlinks = Outlinks::default();
    outlinks.push(&link("ftp://f.test/d/within/file", LinkKind::Entry), None, None);
    let named = Keep {
        outlinks,
        ..answered(&within, 200, None)
    };
    keep(store, of, vec![named]).await;
    assert!(store.names_files(of, FOLDER.to_owned()).await.unwrap());
    assert!(!store.names_files(of, "ftp://f.test/e/".to_owned()).await.unwrap());
}
