//! What goes to the output and what to the error output, and how a failure reads.

use clap::CommandFactory;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

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
            let _nobody_listens = writeln!(io::stdout(), "{}", serde_json::json!({ "error": text }));
        }
        ExitCode::from(3)
    }
}

pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
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
