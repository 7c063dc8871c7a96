//! What goes to the output and what to the error output, and how a failure reads.

use clap::CommandFactory;
use gleaner_publish::text::Paint;
use serde_json::{Value, json};
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

/// The command line is wrong by itself, whatever lies in the folder: exit code 2. What is well said and cannot be done
/// (no such run, a folder in use) is any other error: exit code 3.
#[derive(Debug)]
pub(crate) struct WrongUsage(pub(crate) String);

impl fmt::Display for WrongUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for WrongUsage {}

/// How to speak: to a program or to a person.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) json: bool,
}

#[expect(
    clippy::unused_self,
    reason = "writing is what one does with an output, whatever its form"
)]
impl Output {
    /// The output, buffered. Results go here and nothing else.
    pub(crate) fn writer(self) -> BufWriter<io::StdoutLock<'static>> {
        BufWriter::new(io::stdout().lock())
    }

    /// Messages go to the error output.
    pub(crate) fn say(self, text: &str) {
        let _nobody_listens = writeln!(io::stderr(), "gleaner: {text}");
    }

    /// One sentence: what, where, what to do; then what lay behind it.
    pub(crate) fn failure(self, error: &anyhow::Error) -> ExitCode {
        self.failure_of(error, json!({}))
    }

    /// The same, where there is more to tell a program than the error: `summary` is an object.
    pub(crate) fn failure_of(self, error: &anyhow::Error, mut summary: Value) -> ExitCode {
        if is_broken_pipe(error) {
            return ExitCode::SUCCESS; // The reader has seen enough: `gleaner ls | head`.
        }
        let mut text = error.to_string();
        for cause in error.chain().skip(1) {
            let cause = cause.to_string();
            if !text.ends_with(&cause) {
                text.push_str(": ");
                text.push_str(&cause);
            }
        }
        self.say(&text);
        if self.json {
            summary["error"] = text.into();
            let _nobody_listens = writeln!(io::stdout(), "{summary}");
        }
        ExitCode::from(if error.is::<WrongUsage>() { 2 } else { 3 })
    }
}

/// Arguments that make no sense, in the parser's own words; a program gets them as an object, too.
pub(crate) fn wrong_arguments(error: &clap::Error) -> ExitCode {
    let _nobody_listens = error.print();
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let _nobody_listens = writeln!(io::stdout(), "{}", json!({ "error": first }));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Colours are for terminals, and only where nobody said no (<https://no-color.org>).
pub(crate) fn paint() -> Paint {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_plain = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    if io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_plain {
        Paint::On
    } else {
        Paint::Off
    }
}

/// Characters in a line of the terminal, as its shell tells us.
pub(crate) fn width() -> usize {
    const USUAL: usize = 120;
    let told = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    told.unwrap_or(USUAL)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

pub(crate) fn completions(shell: clap_complete::Shell) {
    let mut command = crate::arguments::Arguments::command();
    clap_complete::generate(shell, &mut command, "gleaner", &mut io::stdout());
}
