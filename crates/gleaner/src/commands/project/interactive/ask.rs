//! Questions and answers, a line each: on a terminal, or from a pipe.

use anyhow::{Context, bail};
use gleaner_publish::report::safe;
use std::io::{BufRead, IsTerminal, Write};

/// So many wrong answers in a row come from nobody who reads the questions.
const WRONG_MAX: u32 = 20;

pub(super) struct Asker;

#[expect(
    clippy::unused_self,
    reason = "one asks somebody, wherever the answers come from"
)]
impl Asker {
    pub(super) fn tell(&self, text: &str) {
        let _nobody_listens = writeln!(std::io::stderr(), "{text}");
    }

    /// A text that `check` takes; an empty line is the default.
    pub(super) fn text(
        &self,
        question: &str,
        default: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> anyhow::Result<String> {
        let shown = match default {
            "" => String::new(),
            default => format!(" [{}]", safe(default)),
        };
        for _ in 0..WRONG_MAX {
            let _nobody_listens =
                write!(std::io::stderr(), "{question}{shown}: ").and_then(|()| std::io::stderr().flush());
            let line = line()?;
            let answer = match line.trim() {
                "" => default,
                answer => answer,
            };
            match check(answer) {
                Ok(()) => return Ok(answer.to_owned()),
                Err(why) => self.tell(&format!("  {why}")),
            }
        }
        bail!("no answer could be used, so nothing was written: {question}")
    }

    pub(super) fn yes(&self, question: &str, default: bool) -> anyhow::Result<bool> {
        let is_word = |text: &str| ["y", "yes", "n", "no"].contains(&text.to_lowercase().as_str());
        let default = if default { "y" } else { "n" };
        let answer = self.text(&format!("{question} (y/n)"), default, |text| {
            if is_word(text) {
                Ok(())
            } else {
                Err("answer y or n".to_owned())
            }
        })?;
        Ok(answer.to_lowercase().starts_with('y'))
    }

    /// One of several, by its number; the first is the default.
    pub(super) fn choice(&self, question: &str, choices: &[&str]) -> anyhow::Result<usize> {
        self.tell(&format!("{question}?"));
        for (number, choice) in (1..).zip(choices) {
            self.tell(&format!("  {number}  {}", safe(choice)));
        }
        let number = |text: &str| {
            text.parse::<usize>()
                .ok()
                .filter(|number| (1..=choices.len()).contains(number))
        };
        let answer = self.text("its number", "1", |text| match number(text) {
            Some(_) => Ok(()),
            None => Err(format!("a number from 1 to {} is needed", choices.len())),
        })?;
        Ok(number(&answer).unwrap_or(1) - 1)
    }
}

fn line() -> anyhow::Result<String> {
    let mut line = String::new();
    let read = std::io::stdin()
        .lock()
        .read_line(&mut line)
        .context("the answer cannot be read")?;
    if read == 0 {
        bail!("not all questions were answered, so nothing was written");
    }
    if !std::io::stdin().is_terminal() {
        // Who reads along in a log sees what was answered.
        let _nobody_listens = writeln!(std::io::stderr(), "{}", safe(line.trim_end()));
    }
    Ok(line)
}
