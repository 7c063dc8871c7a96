//! What libraries are promised.

use super::pages::{NOW, begin, later};
use crate::ledger::FollowPosition;
use crate::libraries::{
    LibraryChange, LibraryCycle, LibraryDocument, LibrarySite, LibrarySiteState, LibraryStore, LibraryVerdict,
};
use gleaner_model::library::LibrarySettings;
use gleaner_model::{DocumentId, LibraryId, RunId, Timestamp, VersionId};

pub(super) fn site(name: &str, state: LibrarySiteState) -> LibrarySite {
    LibrarySite {
        site: name.to_owned(),
        state,
        starts: vec![format!("{name}/")],
        is_by_hand: false,
        level: 2,
        visits: 3,
        last_visit: Some(NOW),
        next_visit: None,
        why: "named in the file".to_owned(),
        facts: "{\"a\":1}".to_owned(),
    }
}

pub(super) fn judged(document: i64, verdict: LibraryVerdict) -> LibraryDocument {
    LibraryDocument {
        document: DocumentId(document),
        version: VersionId(document + 10),
        url: format!("http://a.test/{document}"),
        site: "http://a.test".to_owned(),
        verdict,
        genre: Some("paper".to_owned()),
        score: 0.75,
        topic: 0.5,
        reasons: vec!["it has an abstract".to_owned(), "“words”".to_owned()],
        is_by_person: false,
        cycle: 1,
        at: NOW,
        media_type: "text/plain".to_owned(),
        size: 7,
        title: None,
        language: Some("en".to_owned()),
        work: None,
        role: None,
    }
}

async fn made(store: &dyn LibraryStore, name: &str) -> LibraryId {
    let of = begin(store, name).await;
    let settings = LibrarySettings::new(name);
    store.library(settings, of.project, NOW).await.unwrap()
}

pub(super) async fn a_library_is_made_once_and_has_the_newest_settings(store: &dyn LibraryStore) {
    let library = made(store, "one").await;
    let of = begin(store, "one").await;
    let mut settings = LibrarySettings::new("one");
    settings.topic = vec!["crawler".to_owned()];
    let again = store
        .library(settings.clone(), of.project, later(5))
        .await
        .unwrap();
    assert_eq!(again, library);
    let ledger = store.reader().unwrap();
    let found = ledger.find_library("one").unwrap().unwrap();
    assert_eq!((found.settings, found.made_at), (settings, NOW));
    assert!(ledger.find_library("two").unwrap().is_none());
    assert_ne!(made(store, "two").await, library);
    assert_eq!(store.reader().unwrap().libraries().unwrap().len(), 2);
}

pub(super) async fn a_change_of_a_library_is_kept_whole_or_not_at_all(store: &dyn LibraryStore) {
    let library = made(store, "one").await;
    let change = LibraryChange {
        sites: vec![
            site("http://b.test", LibrarySiteState::Trial),
            site("http://a.test", LibrarySiteState::Active),
        ],
        documents: vec![
            judged(1, LibraryVerdict::Accepted),
            judged(2, LibraryVerdict::Rejected),
        ],
        cycle: Some(LibraryCycle {
            number: 1,
            run: Some(RunId(1)),
            phase: "chosen".to_owned(),
            began_at: NOW,
            ended_at: None,
            report: "{}".to_owned(),
        }),
        memories: vec![
            ("order".to_owned(), vec![1, 2, 3]),
            ("lessons".to_owned(), b"{}".to_vec()),
        ],
        position: Some((
            "library 1".to_owned(),
            FollowPosition {
                finished: 1,
                change: 2,
            },
        )),
    };
    store.keep_library(library, change.clone()).await.unwrap();
    let nowhere = LibraryId(library.0 + 100);
    assert!(store.keep_library(nowhere, change.clone()).await.is_err());
    let ledger = store.reader().unwrap();
    let sites = ledger.library_sites(library, None, 9).unwrap();
    assert_eq!(
        sites,
        [change.sites[1].clone(), change.sites[0].clone()],
        "by the alphabet"
    );
    assert_eq!(
        ledger.library_sites(library, Some("http://a.test"), 9).unwrap(),
        change.sites[..1]
    );
    assert_eq!(
        ledger.library_documents(library, None, None, 9).unwrap(),
        change.documents
    );
    assert_eq!(ledger.library_cycles(library).unwrap(), [change.cycle.unwrap()]);
    assert_eq!(
        ledger.library_memory(library, "order").unwrap(),
        Some(vec![1, 2, 3])
    );
    assert_eq!(ledger.library_memory(library, "other").unwrap(), None);
    let position = ledger.position("library 1").unwrap();
    assert_eq!(
        position,
        FollowPosition {
            finished: 1,
            change: 2
        }
    );
    assert!(ledger.library_sites(nowhere, None, 9).unwrap().is_empty());
}

pub(super) async fn the_last_verdict_counts_and_the_others_are_remembered(store: &dyn LibraryStore) {
    let library = made(store, "one").await;
    let by_person = LibraryDocument {
        is_by_person: true,
        at: Timestamp(NOW.0 + 1),
        work: Some(DocumentId(1)),
        role: Some("copy".to_owned()),
        ..judged(2, LibraryVerdict::Accepted)
    };
    let first = vec![
        judged(1, LibraryVerdict::Accepted),
        judged(2, LibraryVerdict::Uncertain),
    ];
    for documents in [first, vec![by_person.clone()]] {
        let change = LibraryChange {
            documents,
            ..LibraryChange::default()
        };
        store.keep_library(library, change).await.unwrap();
    }
    let ledger = store.reader().unwrap();
    let accepted = Some(LibraryVerdict::Accepted);
    let found = ledger.library_documents(library, accepted, None, 9).unwrap();
    assert_eq!(found, [judged(1, LibraryVerdict::Accepted), by_person.clone()]);
    assert_eq!(
        ledger
            .library_documents(library, accepted, Some(DocumentId(1)), 9)
            .unwrap(),
        std::slice::from_ref(&by_person)
    );
    assert!(
        ledger
            .library_documents(library, Some(LibraryVerdict::Uncertain), None, 9)
            .unwrap()
            .is_empty()
    );
    let history = ledger.library_verdicts(library, DocumentId(2)).unwrap();
    assert_eq!(history, [judged(2, LibraryVerdict::Uncertain), by_person]);
}

pub(super) async fn what_was_learned_is_replaced_or_forgotten(store: &dyn LibraryStore) {
    let library = made(store, "one").await;
    for (memory, wanted) in [(vec![1], Some(vec![1])), (vec![2], Some(vec![2])), (vec![], None)] {
        let change = LibraryChange {
            memories: vec![("order".to_owned(), memory)],
            ..LibraryChange::default()
        };
        store.keep_library(library, change).await.unwrap();
        assert_eq!(
            store.reader().unwrap().library_memory(library, "order").unwrap(),
            wanted
        );
    }
}
