//! Keep the page: judged pages in, what is safe told to the scheduler. A task that gathers pages and commits them.
//!
//! ```text
//!  judged ──► gathered ──► commit: trap rules hear ──► meet ──► trap rules decide ──► keep ──► told
//!                ▲ goes on while a commit is under way
//! ```
//! Pages gather for a short while, because a commit costs two syncs whatever its size. When the scheduler has nothing left to
//! fetch it says so, and whatever has gathered is committed at once: the links in it are what it waits for.
//!
//! One commit at a time: what `meet` says of a batch is right only until another one is kept. New rules of a site's addresses
//! wait their turn between two commits, because they give addresses other keys, by which a commit finds what is there.
//! Nothing else that is asked of the store waits for commits ([`crate::requests`]).

pub(crate) mod commit;
pub mod gathered;
pub(crate) mod traps;

use self::commit::{Committer, LearnedRules};
use self::gathered::{CommitPace, Gathered};
use crate::error::RunError;
use crate::news::News;
use crate::stages::pieces::Hold;
use gleaner_frontier::traps::PageTraits;
use gleaner_model::Url;
use gleaner_store::StoreError;
use gleaner_store::keep::Keep;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::error;

/// How often what the trap rules learned is written down: a kill forgets no more than this.
const REMEMBER_EVERY: Duration = Duration::from_secs(10);
/// Pages behind the first of a commit are taken in so often, not one by one: thousands come in a second, and to be woken for
/// each would cost the thread of the network more than all else that is done here.
const TAKE_IN: Duration = Duration::from_millis(4);

/// A page with its outcome.
pub struct Judged {
    pub keep: Keep,
    /// Its address as the trap rules see it: without ids; none for an address that cannot be read.
    pub url: Option<Url>,
    /// What the trap rules want to know of its content.
    pub seen: Option<Box<PageTraits>>,
    /// Of a piece of a listing.
    pub hold: Option<Hold>,
}

impl Judged {
    /// A page of which nothing is to be told to the trap rules but its address.
    pub(crate) fn plain(keep: Keep, url: Url) -> Judged {
        Judged {
            keep,
            url: Some(url),
            seen: None,
            hold: None,
        }
    }
}

/// What the stage is given.
pub(crate) enum ToKeep {
    Page(Box<Judged>),
    Rules(LearnedRules),
}

pub(crate) struct KeepStage {
    pub(crate) committer: Arc<Committer>,
    pub(crate) input: Receiver<ToKeep>,
    pub(crate) pace: watch::Receiver<CommitPace>,
    pub(crate) concurrency: usize,
}

/// What is being written now.
type UnderWay = Pin<Box<dyn Future<Output = Result<(), StoreError>> + Send>>;

impl KeepStage {
    /// Works until nobody sends pages any more. The scheduler is told of a failure, so that it does not wait for pages that
    /// nobody keeps; what failed is for the caller of this.
    pub(crate) async fn work(self) -> Result<(), StoreError> {
        let news = self.committer.news.clone();
        let done = self.gather_and_commit().await;
        if let Err(error) = &done {
            error!(%error, "the store failed");
            let failed = News::Failed(RunError::StageGone { stage: "keep" });
            let _the_run_may_be_over = news.send(failed).await;
        }
        done
    }

    async fn gather_and_commit(mut self) -> Result<(), StoreError> {
        let mut gathered = Gathered::default();
        let mut rules: VecDeque<LearnedRules> = VecDeque::new();
        let mut under_way: Option<UnderWay> = None;
        let mut remembered = Instant::now();
        let (mut has_input, mut has_pace) = (true, true);
        loop {
            // All that waits goes into one commit: it is never more than a kill may cost, and each commit costs two syncs.
            while has_input {
                match self.input.try_recv() {
                    Ok(input) => take(input, &mut gathered, &mut rules),
                    Err(TryRecvError::Empty) => break,
                    Err(TryRecvError::Disconnected) => has_input = false,
                }
            }
            let now = Instant::now();
            if under_way.is_none() {
                let pace = *self.pace.borrow_and_update();
                let committer = Arc::clone(&self.committer);
                if let Some(rules) = rules.pop_front() {
                    under_way = Some(Box::pin(committer.keep_rules(rules)));
                } else if now - remembered > REMEMBER_EVERY && committer.is_changed.swap(false, Relaxed) {
                    remembered = now;
                    under_way = Some(Box::pin(committer.remember()));
                } else if gathered.is_due(pace, self.concurrency, now) || !has_input && !gathered.is_empty() {
                    under_way = Some(Box::pin(committer.commit(gathered.take())));
                } else if !has_input {
                    committer.note_time().await?;
                    return committer.remember().await;
                }
            }
            let is_idle = under_way.is_none();
            let awaits_first = is_idle && gathered.is_empty();
            let next_look = gathered.due_at().filter(|_| is_idle);
            let next_look = next_look.map_or(now + TAKE_IN, |due| due.min(now + TAKE_IN));
            tokio::select! {
                biased;
                done = finish(&mut under_way), if !is_idle => {
                    under_way = None;
                    done?;
                }
                input = self.input.recv(), if awaits_first => match input {
                    Some(input) => take(input, &mut gathered, &mut rules),
                    None => has_input = false,
                },
                changed = self.pace.changed(), if is_idle && has_pace => has_pace = changed.is_ok(),
                () = tokio::time::sleep_until(next_look), if !awaits_first => {}
            }
        }
    }
}

fn take(input: ToKeep, gathered: &mut Gathered, rules: &mut VecDeque<LearnedRules>) {
    match input {
        ToKeep::Page(page) => gathered.add(*page, Instant::now()),
        ToKeep::Rules(learned) => rules.push_back(learned),
    }
}

async fn finish(under_way: &mut Option<UnderWay>) -> Result<(), StoreError> {
    match under_way {
        Some(work) => work.await,
        None => Ok(()),
    }
}
