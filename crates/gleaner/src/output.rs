//! What goes to the output and what to the error output, and how a failure reads.

use crate::arguments::Telling;
use crate::log;
use clap::CommandFactory;
use gleaner_model::GivenUrl;
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

/// The output is closed or full. What was done is done all the same: nothing is decided by this.
#[derive(Debug)]
struct Unsaid(io::Error);

impl fmt::Display for Unsaid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the output cannot be written: {}", self.0)
    }
}

impl std::error::Error for Unsaid {}

/// The output, buffered. Its errors are told apart from all others.
pub(crate) struct Writer(BufWriter<io::StdoutLock<'static>>);

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(unsaid)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(unsaid)
    }
}

fn unsaid(cause: io::Error) -> io::Error {
    if cause.kind() == io::ErrorKind::Interrupted {
        return cause; // Whoever writes tries again by this kind.
    }
    io::Error::new(cause.kind(), Unsaid(cause))
}

/// How to speak: to a program or to a person.
#[derive(Clone, Copy, Default)]
pub(crate) struct Output {
    pub(crate) json: bool,
    /// How much a run says while it goes on.
    pub(crate) telling: Telling,
}

#[expect(
    clippy::unused_self,
    reason = "writing is what one does with an output, whatever its form"
)]
impl Output {
    /// Results go here and nothing else.
    pub(crate) fn writer(self) -> Writer {
        Writer(BufWriter::new(io::stdout().lock()))
    }

    /// What is good to know and nothing wrong: not for those who asked for quiet.
    pub(crate) fn note(self, text: &str) {
        if !self.telling.quiet {
            self.say(text);
        }
    }

    /// Messages go to the error output.
    pub(crate) fn say(self, text: &str) {
        self.line(&format!("gleaner: {}", without_passwords(text)));
    }

    /// The same without our name before it.
    pub(crate) fn line(self, text: &str) {
        if log::takes(text) {
            return;
        }
        let _nobody_listens = if is_ascii() {
            writeln!(io::stderr(), "{}", plain_signs(text))
        } else {
            writeln!(io::stderr(), "{text}")
        };
    }

    /// One sentence: what, where, what to do; then what lay behind it.
    pub(crate) fn failure(self, error: &anyhow::Error) -> ExitCode {
        self.failure_of(error, json!({}))
    }

    /// The same, where there is more to tell a program than the error: `summary` is an object.
    pub(crate) fn failure_of(self, error: &anyhow::Error, mut summary: Value) -> ExitCode {
        if is_closed(error) {
            return ExitCode::SUCCESS; // The reader has seen enough: `gleaner ls | head`.
        }
        let mut text = error.to_string();
        for cause in error.chain().skip(1) {
            let cause = cause.to_string();
            // The numbers of SQLite, behind its words.
            let is_number = cause.starts_with("Error code ");
            if !is_number && !text.ends_with(&cause) {
                text.push_str(": ");
                text.push_str(&cause);
            }
        }
        let text = without_numbers(&without_passwords(&text));
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
    let text = without_passwords(&crate::mistaken::told(error));
    let _nobody_listens = if !error.use_stderr() || text == error.render().to_string() {
        error.print()
    } else {
        write!(io::stderr(), "{text}")
    };
    if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
        let first = text.lines().next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let _nobody_listens = writeln!(io::stdout(), "{}", json!({ "error": first }));
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// The system's sentences come with its own numbers, which tell people nothing.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(" (os error ") {
        let Some(end) = rest[at..].find(')') else { break };
        out.push_str(&rest[..at]);
        rest = &rest[at + end + 1..];
    }
    out + rest
}

/// Messages repeat what was typed, also in the place of a name or a number: a password in a URL goes.
fn without_passwords(text: &str) -> String {
    let typed = std::env::args_os().filter_map(|argument| argument.into_string().ok());
    typed
        .filter(|argument| argument.contains('@'))
        .fold(text.to_owned(), |text, argument| {
            text.replace(&argument, &GivenUrl::from(argument.as_str()).to_string())
        })
}

/// Whether the terminal knows ASCII alone, as under `LC_ALL=C`.
pub(crate) fn is_ascii() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    let locale = locale.unwrap_or_default().to_ascii_lowercase();
    !(locale.contains("utf-8") || locale.contains("utf8"))
}

/// Our own signs in ASCII; what others wrote stays as it is.
fn plain_signs(text: &str) -> String {
    text.replace('\u{2026}', "...")
        .replace('\u{2192}', "->")
        .replace('\u{2013}', "-")
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

/// Whether nobody reads the output any more.
pub(crate) fn is_closed(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| {
            let inner = cause.get_ref().and_then(|inner| inner.downcast_ref::<Unsaid>());
            inner.is_some() && cause.kind() == io::ErrorKind::BrokenPipe
        })
}

pub(crate) fn completions(shell: clap_complete::Shell, output: Output) -> anyhow::Result<ExitCode> {
    let mut command = crate::arguments::Arguments::command();
    // Not straight to the output: the generator takes a closed one for a mistake of the program.
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "gleaner", &mut text);
    let mut out = output.writer();
    out.write_all(&text)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
