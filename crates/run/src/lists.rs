//! Whose lists (sitemaps, Atom feeds) are believed in this run? (B2)
//!
//! In a track, those of hosts that have earned it, or of all, or of none, as the project says. Their pages wait until the
//! lists are read; all other hosts are asked as if there were no dates, and only what their lists say is noted.

use crate::error::RunError;
use crate::processor::Processor;
use crate::run_store::RunStore;
use crate::stages::reserve::Waiters;
use gleaner_frontier::RobotsState;
use gleaner_model::project::{Lastmod, VerifyContent};
use gleaner_model::{HostId, Project, ResourceId, Timestamp, Url, defaults};
use gleaner_store::StoreError;
use gleaner_store::runs::RunKind;
use gleaner_store::settling::DatedDocument;
use std::sync::Arc;

/// What came of the question whether a host's lists are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListsRead {
    /// This one is not yet.
    Open(ResourceId),
    /// All are, and so many documents are as they were.
    Done(u64),
}

/// If all lists that the pages of `host` wait for are read: ends those pages that are as they were. Of `sample` such pages one
/// is asked for all the same; none at 0. What robots.txt forbids is not settled by a list either. Harmless to repeat.
pub(crate) async fn settle(
    run: &RunStore,
    host: HostId,
    sample: u32,
    robots: Option<&Arc<RobotsState>>,
    now: Timestamp,
    processor: Processor,
) -> Result<ListsRead, StoreError> {
    if let Some(open) = run.store.open_list(run.of, host).await? {
        return Ok(ListsRead::Open(open));
    }
    let round = run.store.round(run.of).await?;
    let (mut settled, mut last) = (0, None);
    loop {
        let mut dated = run.store.dated_documents(run.of, host, last.clone()).await?;
        let Some(page) = dated.last() else {
            return Ok(ListsRead::Done(settled));
        };
        last = Some(page.clone());
        let robots = robots.cloned();
        let choose = move || {
            dated.retain(|page| is_same(page, sample, round, robots.as_deref()));
            dated
        };
        let same = processor.run(choose).await;
        settled += run.store.settle_unasked(run.of, host, same, now).await?;
    }
}

/// Whether the lists call the page unchanged and it need not be asked for.
fn is_same(page: &DatedDocument, sample: u32, round: i64, robots: Option<&RobotsState>) -> bool {
    let is_sampled = sample > 0 && (page.document.0 + round) % i64::from(sample) == 0;
    let may_ask = |url: &Url| robots.is_none_or(|robots| robots.refuses(url).is_none());
    page.modified.is_before(page.looked)
        && !is_sampled
        && Url::parse(&page.url).is_ok_and(|url| may_ask(&url))
}

pub(crate) struct Believed {
    pub(crate) waiters: Waiters,
    /// Of so many pages that a believed list calls unchanged one is asked for all the same; 0: none.
    pub(crate) sample: u32,
}

pub(crate) async fn begin(
    run: &RunStore,
    project: &Project,
    kind: RunKind,
    reads_sitemaps: bool,
) -> Result<Believed, RunError> {
    // robots.txt names the lists; without it there are none.
    let has_lists = reads_sitemaps && project.obey_robots && project.lastmod != Lastmod::Never;
    let is_track = kind == RunKind::Track;
    if has_lists && is_track {
        run.store.note_dates(run.of).await?;
    }
    let asks_all = !has_lists || !is_track || project.verify_content == VerifyContent::All;
    let waiters = match project.lastmod {
        _ if asks_all => Waiters::None,
        Lastmod::Never => Waiters::None,
        Lastmod::Earned => match run.store.trusted_lists().await? {
            trusted if trusted.is_empty() => Waiters::None,
            trusted => Waiters::These(trusted),
        },
        Lastmod::Always => Waiters::All,
    };
    let sample = match project.lastmod {
        // With `always` the project has decided to believe the lists: they are checked by a sample only if it asks for
        // one.
        Lastmod::Always => project.verify_content.sample(),
        Lastmod::Earned | Lastmod::Never => defaults::LIST_SAMPLE,
    };
    Ok(Believed { waiters, sample })
}
