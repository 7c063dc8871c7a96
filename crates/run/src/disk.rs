//! What if the disk of the store is full? Then nothing was written, and it is tried again until there is room (HC118), or until
//! the run is told to stop.

use crate::progress::Progress;
use gleaner_store::StoreError;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::watch;
use tracing::{info, warn};

/// How often a full disk is tried again.
const DISK_WAIT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct FullDisk {
    pub(crate) progress: Arc<Progress>,
    /// Becomes true when nothing is waited for any more.
    pub(crate) abandon: watch::Receiver<bool>,
}

impl FullDisk {
    /// Does what writes, again and again while the disk is full.
    pub(crate) async fn wait_out<T, F>(&self, mut act: impl FnMut() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>>,
    {
        loop {
            match act().await {
                Ok(done) => {
                    self.has_room();
                    return Ok(done);
                }
                Err(error) => self.wait_after(error).await?,
            }
        }
    }

    /// Writing failed. Waits if that is for want of space; gives any other error back.
    pub(crate) async fn wait_after(&self, error: StoreError) -> Result<(), StoreError> {
        let mut abandon = self.abandon.clone();
        if !error.is_disk_full() || *abandon.borrow_and_update() {
            self.progress.is_waiting_for_disk.store(false, Ordering::Relaxed);
            return Err(error);
        }
        if !self.progress.is_waiting_for_disk.swap(true, Ordering::Relaxed) {
            warn!(%error, "waiting for space");
            self.progress.say(format!("{error}; waiting for space"));
        }
        tokio::select! {
            () = tokio::time::sleep(DISK_WAIT) => {}
            Ok(_) = abandon.wait_for(|is_over| *is_over) => {} // Once more, and then no more.
        }
        Ok(())
    }

    /// Writing succeeded.
    pub(crate) fn has_room(&self) {
        if self.progress.is_waiting_for_disk.swap(false, Ordering::Relaxed) {
            info!("there is space again; continuing");
            self.progress.say("there is space again; continuing".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> StoreError {
        StoreError::DiskFull { path: "x".into() }
    }

    #[test]
    fn hc118_a_full_disk_is_waited_out_and_a_run_that_stops_does_not_wait() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build();
        runtime.expect("a runtime").block_on(async {
            let (over, abandon) = watch::channel(false);
            let disk = FullDisk {
                progress: Arc::default(),
                abandon,
            };
            let mut tries = 0;
            let begun = tokio::time::Instant::now();
            let done = disk
                .wait_out(|| {
                    tries += 1;
                    let is_full = tries < 4;
                    async move { if is_full { Err(full()) } else { Ok(7) } }
                })
                .await;
            assert_eq!((done.ok(), begun.elapsed()), (Some(7), 3 * DISK_WAIT));
            assert!(
                disk.progress
                    .take_message()
                    .is_some_and(|text| text.contains("again"))
            );
            over.send(true).expect("somebody listens");
            assert!(disk.wait_out(|| async { Err::<(), _>(full()) }).await.is_err());
        });
    }
}
