//! Work, watched: a live line on a terminal, a plain line now and then elsewhere.

mod line;

use crate::log;
use crate::output::{Output, is_ascii, is_terminal};
use gleaner_model::Project;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_run::{Progress, Told};
use indicatif::{ProgressBar, ProgressStyle};
use line::{Line, Seen};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const TERMINAL_EVERY: Duration = Duration::from_millis(200);
const PLAIN_EVERY: Duration = Duration::from_secs(5);
/// A line of a terminal that nobody made wider.
const COLUMNS: usize = 80;

/// Shows progress until dropped.
pub(crate) struct Display {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Display {
    /// Of a run that is not alone, its messages are shown and no line of its own.
    pub(crate) fn start(
        progress: Arc<Progress>,
        project: &Project,
        is_alone: bool,
        output: Output,
    ) -> Display {
        let (stop, stopped) = channel();
        let told = output.telling.verbose.then(|| {
            let (to, told) = channel();
            progress.tell_urls(to);
            told
        });
        let watch = Watch {
            bar: (is_alone && has_bar(output)).then(spinner),
            name: (!is_alone).then(|| project.name.clone()),
            line: Line::new(project.pages_max),
            begun: Instant::now(),
            progress,
            told,
            output,
        };
        Display {
            stop: Some(stop),
            // Where there is no room for a thread the run goes on unwatched.
            thread: std::thread::Builder::new()
                .spawn(move || watch.until(&stopped))
                .ok(),
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

/// What the watching thread needs.
struct Watch {
    bar: Option<ProgressBar>,
    /// Of the project, where several are watched.
    name: Option<String>,
    line: Line,
    begun: Instant,
    progress: Arc<Progress>,
    /// URLs as they are done, where each is to be told.
    told: Option<Receiver<Told>>,
    output: Output,
}

impl Watch {
    fn until(mut self, stopped: &Receiver<()>) {
        let every = match (&self.bar, &self.told) {
            (None, None) => PLAIN_EVERY,
            _ => TERMINAL_EVERY,
        };
        let mut said = Instant::now();
        while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            self.tell();
            let text = self
                .line
                .text(self.begun.elapsed(), Seen::of(&self.progress), COLUMNS - 2);
            match &self.bar {
                Some(bar) => {
                    bar.set_message(text);
                    bar.tick();
                }
                // Who sees every URL needs no line now and then.
                None if self.told.is_none() && self.name.is_none() && said.elapsed() >= PLAIN_EVERY => {
                    said = Instant::now();
                    self.output.note(&text);
                }
                None => {}
            }
        }
        self.tell();
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }

    /// Messages and URLs since the last look.
    fn tell(&self) {
        let urls = self
            .told
            .iter()
            .flat_map(Receiver::try_iter)
            .map(|told| of_url(&told));
        let message = self.progress.take_message();
        let message = message.map(|message| match &self.name {
            Some(name) => format!("gleaner: {name}: {message}"),
            None => format!("gleaner: {message}"),
        });
        for text in urls.chain(message) {
            match &self.bar {
                Some(bar) => bar.println(text),
                None => self.output.line(&text),
            }
        }
    }
}

/// A live line is for terminals, and for nobody whose terminal shows a log.
fn has_bar(output: Output) -> bool {
    is_terminal() && !output.telling.quiet && !log::is_on_screen()
}

fn spinner() -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(if is_ascii() {
            style.tick_chars("-\\|/ ")
        } else {
            style
        });
    }
    bar
}

/// `NEW   200   12.3 kB  https://a.test/`
fn of_url(told: &Told) -> String {
    let state = match (told.is_again, told.state) {
        (true, _) => "again",
        (false, Some(state)) => state.as_str(),
        (false, None) => "-",
    };
    let status = told
        .status
        .map_or_else(|| "-".to_owned(), |status| status.to_string());
    let why = match (told.reason, &told.detail) {
        (None, _) => String::new(),
        (Some(reason), None) => format!("  ({reason})"),
        (Some(reason), Some(detail)) => format!("  ({reason}: {})", safe(detail)),
    };
    let bytes = time::size(told.bytes);
    format!(
        "{state:<5} {status:>3} {bytes:>9}  {}{why}",
        safe(told.url.as_str())
    )
}

/// How many documents are done: a bar on a terminal, a line now and then elsewhere.
pub(crate) struct Counted {
    bar: Option<ProgressBar>,
    said: Instant,
    output: Output,
}

impl Counted {
    pub(crate) fn new(output: Output) -> Counted {
        let bar = has_bar(output).then(|| {
            let bar = ProgressBar::new(0);
            if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos} of {len} documents") {
                bar.set_style(if is_ascii() {
                    style.progress_chars("##-")
                } else {
                    style
                });
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
            self.output
                .note(&format!("{done} of {}", time::count(all, "document")));
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
