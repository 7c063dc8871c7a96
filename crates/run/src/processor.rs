//! Where work runs that keeps a processor busy: never on the thread of the network, where everybody else would wait for it.

use std::panic::resume_unwind;
use tracing::Span;

/// Threads for such work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Processor {
    /// Threads of their own.
    #[default]
    Threads,
    /// The caller's own thread, when the other tasks had their turn: for simulations, in which nothing may happen at the same
    /// time.
    Inline,
}

impl Processor {
    /// Does the work and waits for it; other tasks go on meanwhile. Work that is broken off while it is waited for is done
    /// all the same, and nobody hears of it.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> T {
        match self {
            Processor::Inline => {
                tokio::task::yield_now().await;
                #[cfg(test)]
                let _until_done = inline::InlineWork::begin();
                work()
            }
            Processor::Threads => {
                let span = Span::current();
                let done = tokio::task::spawn_blocking(move || span.in_scope(work)).await;
                // Such work fails only when the runtime ends, and this task ends with it.
                done.unwrap_or_else(|failed| resume_unwind(failed.into_panic()))
            }
        }
    }
}

/// Whether this thread does such work now: then nothing else happens until it is done, not even time passes.
#[cfg(test)]
pub(crate) mod inline {
    use std::cell::Cell;

    thread_local! {
        static IS_WORKING: Cell<bool> = const { Cell::new(false) };
    }

    pub(crate) fn is_working() -> bool {
        IS_WORKING.get()
    }

    pub(super) struct InlineWork;

    impl InlineWork {
        pub(super) fn begin() -> InlineWork {
            IS_WORKING.set(true);
            InlineWork
        }
    }

    impl Drop for InlineWork {
        fn drop(&mut self) {
            IS_WORKING.set(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_done_wherever_it_runs() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let here = std::thread::current().id();
            let thread = || std::thread::current().id();
            assert_eq!(Processor::Inline.run(thread).await, here);
            assert_ne!(Processor::Threads.run(thread).await, here);
        });
    }
}
