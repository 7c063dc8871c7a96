//! The log: what the rooms tell while they work, for people who look for a cause and for programs that watch.
//!
//! Off unless it is asked for. Only Gleaner's own rooms are heard: other libraries know nothing of our secrets, so what they
//! would tell is never written. Our own types show no secret of theirs; beside that, each secret that is read is taken out of
//! every line, as it is and as addresses and JSON spell it.

mod filter;
mod lines;

pub(crate) use filter::Filter;

use crate::arguments::{Log, LogFormat};
use anyhow::Context;
use lines::Lines;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;

/// The target of messages that would go to the error output as plain text.
const SAID: &str = "gleaner::said";

static IS_ON_SCREEN: AtomicBool = AtomicBool::new(false);
static IS_JSON_ON_SCREEN: AtomicBool = AtomicBool::new(false);
static SECRETS: RwLock<Vec<String>> = RwLock::new(Vec::new());

/// Begins to log as the arguments say.
pub(crate) fn start(how: &Log) -> anyhow::Result<()> {
    let filter = match (&how.log, &how.log_file) {
        (Some(filter), _) => filter.clone(),
        (None, Some(_)) => Filter::INFO,
        (None, None) => return Ok(()),
    };
    if filter.is_off() {
        return Ok(());
    }
    let sink = match &how.log_file {
        Some(path) => Sink::File(Arc::new(open(path)?)),
        None => Sink::Screen,
    };
    let is_on_screen = matches!(sink, Sink::Screen);
    let is_json = how.log_format == LogFormat::Json;
    let mut targets = filter.targets();
    if is_json && is_on_screen {
        targets = targets.with_target(SAID, tracing::Level::INFO);
    }
    // Nobody listens to a log that cannot be written: the work goes on.
    let layer = fmt::layer()
        .with_ansi(false)
        .log_internal_errors(false)
        .with_writer(sink);
    let began = if is_json {
        tracing::subscriber::set_global_default(registry().with(targets).with(layer.json()))
    } else {
        tracing::subscriber::set_global_default(registry().with(targets).with(layer))
    };
    began.context("the log could not be started")?;
    IS_ON_SCREEN.store(is_on_screen, Ordering::Relaxed);
    IS_JSON_ON_SCREEN.store(is_on_screen && is_json, Ordering::Relaxed);
    Ok(())
}

/// Whether lines of the log go where a live line of progress would stand.
pub(crate) fn is_on_screen() -> bool {
    IS_ON_SCREEN.load(Ordering::Relaxed)
}

/// Takes a message for people into the log, where the error output is to hold nothing but JSON. False where it is not.
pub(crate) fn takes(message: &str) -> bool {
    let is_taken = IS_JSON_ON_SCREEN.load(Ordering::Relaxed);
    if is_taken {
        tracing::info!(target: SAID, "{message}");
    }
    is_taken
}

/// This text is never written to the log from now on.
pub(crate) fn hide(secret: &str) {
    let spelt = lines::spellings(secret);
    let mut secrets = SECRETS.write().unwrap_or_else(std::sync::PoisonError::into_inner);
    for text in spelt {
        if !secrets.contains(&text) {
            secrets.push(text);
        }
    }
    // What holds another one goes first.
    secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
}

fn open(path: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
        .open(path)
        .with_context(|| format!("the log cannot be written: {}", path.display()))
}

/// Where lines go.
enum Sink {
    Screen,
    File(Arc<File>),
}

impl<'a> MakeWriter<'a> for Sink {
    type Writer = Lines<Box<dyn io::Write + 'a>>;

    fn make_writer(&'a self) -> Self::Writer {
        Lines::to(match self {
            Sink::Screen => Box::new(io::stderr()),
            Sink::File(file) => Box::new(&**file),
        })
    }
}
