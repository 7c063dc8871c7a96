//! How a run ends: everything that works is let end, and what can only be said now is said.

use crate::assemble::Stages;
use crate::begin::Begun;
use crate::crawl::CrawlEnd;
use crate::error::RunError;
use crate::scheduler::Scheduler;
use crate::settle::settle;
use crate::way::Way;
use gleaner_model::{HostId, HostState, Timestamp, defaults};
use gleaner_store::StoreError;
use gleaner_store::keep::Cut;
use gleaner_store::leases::FencedHost;
use gleaner_store::runs::RunStatus;
use gleaner_store::settling::SettlingTurn;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tracing::warn;

/// What the scheduler leaves for the store.
pub(crate) struct Left {
    cuts: Vec<Cut>,
    /// Hosts that are not to be asked yet.
    held: Vec<(HostId, Timestamp)>,
    /// Hosts of this worker, for whoever goes on with the run.
    hosts: Vec<(FencedHost, HostState)>,
}

/// Lets everything end, in the order of the line: who gets nothing more ends by itself.
pub(crate) async fn put_away(
    mut scheduler: Scheduler,
    stages: Stages,
    is_broken: bool,
) -> Result<Left, RunError> {
    if is_broken {
        stages.abandon.send_replace(true);
    }
    let (now, wall) = (scheduler.clock.monotonic(), scheduler.clock.wall());
    let waits = scheduler.reserve.waits(now).into_iter();
    let left = Left {
        cuts: std::mem::take(&mut scheduler.cuts),
        held: waits.map(|(host, wait)| (host, wall.after(wait))).collect(),
        hosts: scheduler.leave_hosts(),
    };
    // Fetches that are still under way keep the channel to those who read open: they are stopped, so that these end.
    scheduler.line.tasks.shutdown().await;
    drop(scheduler);
    let kept = ended(stages.keep).await;
    let asked = ended(stages.requests).await;
    stages.readers.join();
    // The error of the stage says more than what the scheduler was told of it.
    kept.and(asked)?;
    Ok(left)
}

/// What a stage says at its end.
async fn ended(stage: JoinHandle<Result<(), StoreError>>) -> Result<(), RunError> {
    match stage.await {
        Ok(done) => Ok(done?),
        Err(_) => Err(RunError::StageGone { stage: "keep" }),
    }
}

/// How soon a worker looks again whether another one has settled the run.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Settles the run, or waits until another worker has.
async fn settle_once(begun: Begun) -> Result<(), RunError> {
    let (run, clock, processor) = (begun.run.clone(), Arc::clone(&begun.clock), begun.processor);
    let worker = begun.worker.clone();
    let take = || run.store.take_settling(run.of, worker.clone(), clock.wall());
    loop {
        match take().await? {
            SettlingTurn::Done => return Ok(()),
            SettlingTurn::Ours => break,
            SettlingTurn::Anothers => tokio::time::sleep(LOOK_AGAIN).await,
        }
    }
    let settling = processor.run(move || {
        let (project, comparing) = (&begun.project, &begun.comparing);
        let now = begun.clock.wall();
        settle(&begun.run, project, comparing, &begun.rules.listed_schemes, now)
    });
    let mut settling = pin!(settling);
    loop {
        tokio::select! {
            biased;
            settled = &mut settling => return settled,
            () = tokio::time::sleep(defaults::HOST_LEASE / 3) => {
                if take().await? != SettlingTurn::Ours {
                    warn!("another worker began to settle the run: this one was not heard of for too long");
                }
            }
        }
    }
}

/// Writes down what is left, and settles a track that is finished.
pub(crate) async fn end(
    begun: Begun,
    left: Left,
    status: RunStatus,
    note: Option<String>,
) -> Result<CrawlEnd, RunError> {
    let Begun { run, row, .. } = &begun;
    // A run that goes on does not know what its steps found before.
    let idle = match &begun.rules.way {
        Some(way) if row.active_ms == 0 => Way::idle(way),
        _ => Vec::new(),
    };
    run.store.keep_cuts(run.of, left.cuts).await?;
    run.store.hold_hosts(left.held).await?;
    if status != RunStatus::Finished {
        run.store.release_hosts(run.of, left.hosts).await?;
    }
    let (had_nothing_to_ask, measured) = (begun.counts.queued == 0, begun.progress.metrics.read());
    if status == RunStatus::Finished && begun.is_track() {
        settle_once(begun).await?;
    }
    Ok(CrawlEnd {
        status,
        note: note.or_else(|| idle.into_iter().next()),
        had_nothing_to_ask,
        measured,
    })
}
