//! Work, watched: a live line on a terminal, a plain line now and then elsewhere.

use crate::output::{Output, is_terminal};
use gleaner_model::Project;
use gleaner_run::Progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TERMINAL_EVERY: Duration = Duration::from_millis(200);
const PLAIN_EVERY: Duration = Duration::from_secs(5);

/// Shows progress until dropped.
pub(crate) struct Display {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    pub(crate) fn start(progress: Arc<Progress>, project: &Project, output: Output) -> Display {
        let (stop, stopped) = channel();
        let pages_max = project.pages_max;
        let show = move || {
            let bar = is_terminal().then(|| {
                let bar = ProgressBar::new_spinner();
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
                    bar.set_style(style);
                }
                bar
            });
            let every = if bar.is_some() {
                TERMINAL_EVERY
            } else {
                PLAIN_EVERY
            };
            let mut line = Line::new(pages_max);
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if let Some(message) = progress.take_message() {
                    match &bar {
                        Some(bar) => bar.println(format!("gleaner: {message}")),
                        None => output.say(&message),
                    }
                }
                let text = line.text(&progress);
                match &bar {
                    Some(bar) => {
                        bar.set_message(text);
                        bar.tick();
                    }
                    None => output.say(&text),
                }
            }
            if let Some(message) = progress.take_message() {
                output.say(&message);
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        };
        Display {
            stop: Some(stop),
            // Where there is no room for a thread the run goes on unwatched.
            thread: std::thread::Builder::new().spawn(show).ok(),
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _it_only_prints = thread.join();
        }
    }
}

struct Line {
    since: Instant,
    fetched_before: u64,
    /// Pages a second, smoothed.
    rate: Option<f64>,
    pages_max: Option<u64>,
}

impl Line {
    fn new(pages_max: Option<u64>) -> Line {
        Line {
            since: Instant::now(),
            fetched_before: 0,
            rate: None,
            pages_max,
        }
    }

    fn text(&mut self, progress: &Progress) -> String {
        let fetched = Progress::read(&progress.fetched);
        let seconds = self.since.elapsed().as_secs_f64().max(0.001);
        let now = (fetched - self.fetched_before) as f64 / seconds;
        let rate = self.rate.map_or(now, |before| before * 0.7 + now * 0.3);
        (self.since, self.fetched_before, self.rate) = (Instant::now(), fetched, Some(rate));
        let (kept, queued) = (Progress::read(&progress.kept), Progress::read(&progress.queued));
        let mut text = format!(
            "{kept} kept, {rate:.1} pages/s, {queued} queued, {} in flight, {} hosts, {} errors, {}",
            Progress::read(&progress.in_flight),
            Progress::read(&progress.hosts),
            Progress::read(&progress.errors),
            gleaner_publish::time::size(Progress::read(&progress.bytes)),
        );
        let left = self
            .pages_max
            .map_or(queued, |max| queued.min(max.saturating_sub(kept)));
        if rate > 0.1 && left > 0 {
            text.push_str(", about ");
            text.push_str(&gleaner_publish::time::span(left as f64 / rate));
            text.push_str(" for these");
        }
        text
    }
}

/// How many documents are done: a bar on a terminal, a line now and then elsewhere.
pub(crate) struct Counted {
    bar: Option<ProgressBar>,
    said: Instant,
    output: Output,
}

impl Counted {
    pub(crate) fn new(output: Output) -> Counted {
        let bar = is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} documents") {
                bar.set_style(style);
            }
            bar
        });
        Counted {
            bar,
            said: Instant::now(),
            output,
        }
    }

    pub(crate) fn show(&mut self, done: u64, all: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(all);
            bar.set_position(done);
        } else if self.said.elapsed() >= PLAIN_EVERY {
            self.said = Instant::now();
            self.output.say(&format!("{done} of {all} documents"));
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
