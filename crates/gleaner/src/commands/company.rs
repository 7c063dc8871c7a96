//! The runs of this process that go on at the same time, and what they share.

use super::engine::listen_for_stop;
use crate::output::Output;
use gleaner_model::Clock;
use gleaner_model::clock::SystemClock;
use gleaner_readers::Pool;
use gleaner_run::Paces;
use std::sync::Arc;
use tokio::sync::watch;

/// Shared by all of them; cheap to clone.
#[derive(Clone)]
pub(super) struct Company {
    /// How many there are.
    pub(super) at_once: usize,
    /// One run follows another, and whoever starts them listens for Ctrl-C, also between them.
    pub(super) is_in_turn: bool,
    pub(super) clock: Arc<dyn Clock>,
    /// One pace per host and address.
    pub(super) paces: Paces,
    /// The processes that read documents.
    pub(super) readers: Arc<Pool>,
    /// Says true when all are to finish what is in flight and end.
    pub(super) stop: Arc<watch::Sender<bool>>,
}

impl Company {
    pub(super) fn of(at_once: usize) -> Company {
        Company {
            at_once: at_once.max(1),
            is_in_turn: false,
            clock: Arc::new(SystemClock::default()),
            paces: Paces::default(),
            readers: super::convert::pool_for_runs(),
            stop: Arc::new(watch::channel(false).0),
        }
    }

    /// Runs one after the other.
    pub(super) fn in_turn() -> Company {
        Company {
            is_in_turn: true,
            ..Company::of(1)
        }
    }

    pub(super) fn is_alone(&self) -> bool {
        self.at_once == 1
    }

    /// Ctrl-C is for all of them: heard on a thread that lasts as long as the process.
    pub(super) fn listen(&self, output: Output) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let stop = Arc::clone(&self.stop);
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(listen_for_stop(stop, output)))?;
        Ok(())
    }
}
