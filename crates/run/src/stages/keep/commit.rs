//! One commit: what the trap rules hear and decide, what the store keeps, what the scheduler is told.

use super::Judged;
use super::traps::{BatchTraps, Pages, taken_apart};
use crate::disk::FullDisk;
use crate::fresh::Comparing;
use crate::news::{Done, End, News};
use crate::processor::Processor;
use crate::progress::{Progress, Told};
use crate::run_store::RunStore;
use crate::stages::fetch::Fetched;
use crate::stages::pieces::Hold;
use gleaner_history::noise::keys_under;
use gleaner_judge::identity::UrlRules;
use gleaner_model::{Clock, HostId, State};
use gleaner_store::StoreError;
use gleaner_store::keep::{Cut, Keep, KeepWith, Kept, NotKept, Outcome};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::Sender;
use tokio::time::Instant;
use tracing::{Instrument, debug, debug_span};

/// The cookie jar as bytes, when it changed since the last call.
pub(crate) type Cookies = Mutex<Box<dyn Fn() -> Option<Vec<u8>> + Send>>;

/// What was learned about a site's URLs, and the page that waits for it.
pub(crate) struct LearnedRules {
    pub(crate) host: HostId,
    pub(crate) rules: Box<UrlRules>,
    pub(crate) fetched: Box<Fetched>,
}

/// What every commit of a run needs.
pub(crate) struct Committer {
    pub(crate) store: RunStore,
    pub(crate) disk: FullDisk,
    pub(crate) processor: Processor,
    pub(crate) news: Sender<News>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) traps: BatchTraps,
    pub(crate) comparing: Arc<Comparing>,
    /// Active time of earlier parts of a resumed run.
    pub(crate) active_ms_before: u64,
    /// When this part of the run began, by the clock that counts from any moment.
    pub(crate) begun_at: gleaner_model::Instant,
    pub(crate) cookies: Cookies,
    /// What was kept since the trap rules were written down.
    pub(crate) is_changed: AtomicBool,
}

/// What came of a batch, for the scheduler.
struct Outcomes {
    done: Vec<Done>,
    /// Documents that a listing shows to be as they were.
    unchanged: u64,
}

impl Committer {
    pub(super) async fn commit(self: Arc<Self>, mut batch: Vec<Judged>) -> Result<(), StoreError> {
        let span = debug_span!("commit", pages = batch.len());
        let work = async move {
            let holds: Vec<Hold> = batch.iter_mut().filter_map(|judged| judged.hold.take()).collect();
            let this = Arc::clone(&self);
            let told = move || {
                let (keeps, mut pages) = taken_apart(batch);
                this.traps.tell_pages(&keeps, &mut pages);
                let cookies = this.cookies.lock().unwrap_or_else(PoisonError::into_inner)();
                (keeps, pages, cookies)
            };
            let (keeps, pages, cookies) = self.processor.run(told).await;
            let RunStore { store, of } = &self.store;
            let (keeps, met) = store.meet(*of, keeps).await?;
            let this = Arc::clone(&self);
            let now = self.clock.wall();
            let decide = move || {
                let refused = this.traps.refused(&met, &pages, now);
                (pages, refused)
            };
            let (pages, refused) = self.processor.run(decide).await;
            let with = KeepWith {
                active_ms: self.active_ms(),
                cookies,
                refused,
            };
            let (keeps, kept, took) = self.keep(keeps, &with).await?;
            let queued = kept.queued.clone();
            let this = Arc::clone(&self);
            // Large values are freed on that thread, too.
            let tell = move || this.outcomes(&keeps, &kept, &pages, took);
            let Outcomes { done, unchanged } = self.processor.run(tell).await;
            drop(holds); // Before the news: the scheduler then looks whether all pieces are kept.
            self.is_changed.store(true, Relaxed);
            let kept = News::Kept {
                queued,
                done,
                unchanged,
            };
            let _the_run_may_be_over = self.news.send(kept).await;
            Ok(())
        };
        work.instrument(span).await
    }

    /// Keeps a batch, however long the disk is full; also says how long it took.
    async fn keep(
        &self,
        mut batch: Vec<Keep>,
        with: &KeepWith,
    ) -> Result<(Vec<Keep>, Kept, Duration), StoreError> {
        let RunStore { store, of } = &self.store;
        loop {
            let begun = Instant::now();
            match store.keep(*of, batch, with.clone()).await {
                Ok((keeps, kept)) => {
                    self.disk.has_room();
                    return Ok((keeps, kept, begun.elapsed()));
                }
                Err(NotKept { batch: back, error }) => {
                    batch = back;
                    self.disk.wait_after(error).await?;
                }
            }
        }
    }

    /// A run that got no answer has kept nothing, and its time counts all the same.
    pub(super) async fn note_time(&self) -> Result<(), StoreError> {
        let with = KeepWith {
            active_ms: self.active_ms(),
            ..KeepWith::default()
        };
        self.keep(Vec::new(), &with).await.map(|_| ())
    }

    /// What the trap rules learned and cut so far, for a run that is resumed and for the report.
    pub(super) async fn remember(self: Arc<Self>) -> Result<(), StoreError> {
        let this = Arc::clone(&self);
        let learned = move || {
            let (saved, cuts) = {
                let traps = this.traps.sites.traps.lock();
                (traps.save(), traps.cuts())
            };
            let cuts: Vec<Cut> = cuts
                .into_iter()
                .map(|cut| Cut {
                    reason: cut.reason,
                    shape: cut.shape,
                    count: cut.count,
                    example: cut.example,
                })
                .collect();
            (saved, cuts, this.comparing.take_changed())
        };
        let (saved, cuts, noises) = self.processor.run(learned).await;
        let RunStore { store, of } = &self.store;
        let keep_noises = || store.keep_noises(of.project, noises.clone());
        self.disk.wait_out(keep_noises).await?;
        let keep_traps = || store.keep_traps(of.run, saved.clone(), cuts.clone());
        self.disk.wait_out(keep_traps).await
    }

    /// The addresses of a site get the keys that follow from what was learned; the page that waits for that may be read then.
    pub(super) async fn keep_rules(self: Arc<Self>, learned: LearnedRules) -> Result<(), StoreError> {
        let LearnedRules { host, rules, fetched } = learned;
        let domain = fetched.page.url.domain().to_owned();
        let (store, of) = (Arc::clone(&self.store.store), self.store.of);
        let look = move || {
            let json = serde_json::to_string(&rules).unwrap_or_default();
            let keys = keys_under(&*store, &domain, &rules);
            (rules, json, keys)
        };
        let (rules, json, keys) = self.processor.run(look).await;
        let (keys, now) = (keys?, self.clock.wall());
        let store = &self.store.store;
        let keep = || store.keep_rules(of.project, rules.site.clone(), json.clone(), now, keys.clone());
        self.disk.wait_out(keep).await?;
        let kept = News::RulesKept { host, rules, fetched };
        let _the_run_may_be_over = self.news.send(kept).await;
        Ok(())
    }

    fn outcomes(&self, keeps: &[Keep], kept: &Kept, pages: &Pages, took: Duration) -> Outcomes {
        self.measure(keeps, kept, took);
        self.traps.tell_guesses(keeps, pages, kept);
        Outcomes {
            done: keeps
                .iter()
                .filter_map(|keep| self.done(keep, kept, pages))
                .collect(),
            unchanged: kept.unchanged,
        }
    }

    fn measure(&self, keeps: &[Keep], kept: &Kept, took: Duration) {
        let metrics = &self.progress.metrics;
        metrics.commit.record_time(took);
        metrics.batch.record(keeps.len() as u64);
        metrics.queue.record(Progress::read(&self.progress.queued));
        metrics
            .links
            .add(keeps.iter().map(|keep| keep.outlinks.len() as u64).sum());
        let queued: u64 = kept.queued.values().sum();
        metrics.queued.add(queued);
        metrics.done(Some(State::Sam), kept.unchanged);
        debug!(
            queued,
            unchanged = kept.unchanged,
            ms = took.as_millis() as u64,
            "kept"
        );
    }

    /// What became of one page, told to whoever watches; none where it is not done with.
    fn done(&self, keep: &Keep, kept: &Kept, pages: &Pages) -> Option<Done> {
        let late = || Done {
            host: keep.host,
            resource: keep.resource,
            end: End::Late,
        };
        if kept.lost.contains(&keep.fenced_host()) {
            return (!matches!(keep.outcome, Outcome::Piece(_))).then(late);
        }
        let end = match keep.outcome {
            Outcome::Document(_) | Outcome::Unchanged(_) => End::Document,
            Outcome::Nothing => End::Other,
            Outcome::Again { .. } => End::Again,
            // The folder is not done with.
            Outcome::Piece(_) => return None,
        };
        self.progress.tell(|| {
            let page = pages.get(&keep.resource)?;
            Some(Told {
                url: page.url.clone(),
                state: keep.state,
                status: keep.status,
                reason: keep.reason,
                detail: keep.detail.clone(),
                bytes: keep.wire_bytes,
                is_again: end == End::Again,
            })
        });
        match end {
            End::Again => self.progress.metrics.again.add(1),
            End::Document | End::Other | End::Late => self.progress.metrics.done(keep.state, 1),
        }
        match (end, keep.state) {
            (End::Again, _) => {}
            (_, Some(State::Err)) => Progress::add(&self.progress.errors, 1),
            (End::Document, _) => Progress::add(&self.progress.kept, 1),
            _ => {}
        }
        Some(Done {
            host: keep.host,
            resource: keep.resource,
            end,
        })
    }

    /// Of the run, its earlier parts included.
    fn active_ms(&self) -> u64 {
        self.active_ms_before + self.clock.monotonic().since(self.begun_at).as_millis() as u64
    }
}
