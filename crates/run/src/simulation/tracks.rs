//! A site that is crawled and then tracked while it changes: whatever comes in the way, each run says what is true.

use super::site::ScriptedSite;
use super::worker::Worker;
use super::{WORKERS_MAX, interruptions_of, work_through};
use gleaner_model::chance::SplitMix;
use gleaner_model::{Chance, DocumentId, State};
use gleaner_store::Store as _;
use gleaner_store::ledger::{ChangeRow, Ledger, VersionRow};
use gleaner_store::runs::RunStatus;
use std::collections::BTreeMap;
use std::sync::Arc;

const TRACKS_MAX: u64 = 3;

/// A document as the project has it.
struct Tracked {
    url: String,
    /// The edition of the site in which it was last looked at.
    seen: Arc<ScriptedSite>,
}

/// What the project has, by what its runs said.
#[derive(Default)]
struct History {
    documents: BTreeMap<DocumentId, Tracked>,
}

pub(super) fn tell(seed: u64) {
    let dice = SplitMix::seeded(seed);
    let mut site = Arc::new(ScriptedSite::new(dice.next()));
    let mut worker = Worker::new(Arc::clone(&site), None, dice.next());
    let mut history = History::default();
    work_through(&worker, &dice);
    history.take_run(&worker, &site);
    for _ in 0..=dice.next() % TRACKS_MAX {
        site = Arc::new(site.next_edition());
        worker.begin_track(Arc::clone(&site));
        if dice.next().is_multiple_of(3) {
            let interruptions = interruptions_of(1 + dice.next() % (WORKERS_MAX - 1), &dice);
            let ended = worker.go_together(&interruptions);
            assert!(ended.contains(&RunStatus::Finished), "{ended:?}");
        } else {
            work_through(&worker, &dice);
        }
        assert_eq!(site.forbidden_requests(), Vec::<String>::new(), "robots.txt");
        let too_early = site.too_early(worker.delay());
        assert_eq!(
            too_early,
            Vec::<String>::new(),
            "requests before their host's time"
        );
        history.take_run(&worker, &site);
    }
}

impl History {
    /// What a run found is true, and becomes what the next one begins with.
    fn take_run(&mut self, worker: &Worker, site: &Arc<ScriptedSite>) {
        let ledger = worker.store().reader().expect("a store in memory");
        let changes = ledger.all_changes(worker.of().run, None);
        let changes: Vec<ChangeRow> = changes.map(|change| change.expect("a change")).collect();
        let mut left = std::mem::take(&mut self.documents);
        if let Some(before) = ledger.before(worker.of().run).expect("a run") {
            assert_eq!(
                before.documents(),
                left.len() as u64,
                "old = UPD + SAM + MIS + ERR + OUT"
            );
        }
        let seen: Vec<Arc<ScriptedSite>> = left.values().map(|one| Arc::clone(&one.seen)).collect();
        let others: Vec<&ScriptedSite> = seen.iter().map(|seen| &**seen).collect();
        for change in &changes {
            let Some(document) = change.document else {
                assert_eq!(change.state, State::Err, "{}: no document", change.url);
                continue;
            };
            let before = left.remove(&document);
            let seen = match (&before, change.state) {
                (None, State::New) => {
                    assert!(site.has_page(&change.url), "{} is no page", change.url);
                    site
                }
                (Some(before), state) if state != State::New => {
                    let fates = site.fates(&before.seen, &others, &before.url);
                    assert!(
                        fates.contains(&state),
                        "{} is {state:?} ({:?}, {:?}) and may be {fates:?}",
                        before.url,
                        change.reason,
                        change.detail
                    );
                    match state {
                        State::Sam | State::Upd => site,
                        _ => &before.seen,
                    }
                }
                _ => panic!(
                    "{} is told again, or was never there: {:?}",
                    change.url, change.state
                ),
            };
            if change.state != State::Mis {
                let tracked = Tracked {
                    url: change.url.clone(),
                    seen: Arc::clone(seen),
                };
                let told_before = self.documents.insert(document, tracked);
                assert!(told_before.is_none(), "{} is told twice", change.url);
            }
            assert_versions_differ(&*ledger, &change.url, document);
        }
        let lost: Vec<&str> = left.values().map(|one| one.url.as_str()).collect();
        assert_eq!(lost, Vec::<&str>::new(), "nothing is said of these");
        assert_eq!(worker.counts().queued, 0, "left in the frontier");
    }
}

/// Nothing is kept twice: each run keeps one version of an address at most, and none that is as the one before it. What moved
/// is kept once more at its new address, and has the versions of what was there long ago.
fn assert_versions_differ(ledger: &dyn Ledger, url: &str, document: DocumentId) {
    let versions = ledger.versions(document).expect("a document");
    for (place, now) in versions.iter().enumerate() {
        let is_again = |before: &VersionRow| (before.run, &before.url) == (now.run, &now.url);
        let before = &versions[..place];
        let is_as_before = before.last().is_some_and(|last| last.digest == now.digest);
        assert!(
            !before.iter().any(is_again) && (!is_as_before || now.same_as.is_some()),
            "{url} was kept twice: {versions:?}"
        );
    }
}
