//! What would a visitor do? The steps of a project: addresses, links to choose, forms to fill, a login (A2, A4).
//!
//! Steps come one after the other, each from the pages of an earlier one: a board is chosen after the login, its threads
//! after that. What is found on the way is kept or only passed through. Everything here is said by a person and stored
//! with the project; what it means for a page is decided in `run`.

use crate::project::Rule;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One leg of the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// For people; each step's own.
    pub name: String,
    pub start: Start,
    /// The step whose pages it goes on from, by its place in the list; `None` for those that begin by themselves. Always
    /// one before it.
    #[serde(default)]
    pub from: Option<usize>,
    /// Links away from where the step begins; 0 is just that.
    #[serde(default)]
    pub depth: u32,
    /// Whether its pages are documents of the project, or only the way to others.
    #[serde(default = "yes")]
    pub keep: bool,
    /// Asked before the project's own rules.
    #[serde(default)]
    pub rules: Vec<Rule>,
}

fn yes() -> bool {
    true
}

/// Where on the way a page was reached: in which step, and how many links into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leg {
    pub step: u32,
    pub depth: u32,
}

impl Leg {
    /// The step begins here: a person named this page, and no guess about traps stands against that.
    pub fn is_named(&self) -> bool {
        self.depth == 0
    }
}

/// As rows hold them: `0:2 1:0`.
pub fn legs_text(legs: &[Leg]) -> Option<String> {
    let words: Vec<String> = legs
        .iter()
        .map(|leg| format!("{}:{}", leg.step, leg.depth))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What cannot be read is left out.
pub fn legs_of(text: &str) -> Vec<Leg> {
    let leg = |word: &str| {
        let (step, depth) = word.split_once(':')?;
        Some(Leg {
            step: step.parse().ok()?,
            depth: depth.parse().ok()?,
        })
    };
    text.split(' ').filter_map(leg).collect()
}

/// Where a step begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// At these addresses.
    Urls(Vec<String>),
    /// At the links inside what a CSS selector finds on each page of the step before.
    Links(String),
    /// At the answer to a form on each page of the step before that has it.
    Form(Filling),
}

/// A form and what to fill in. What is not named keeps what the page has there, hidden fields too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filling {
    pub form: WhichForm,
    /// Names of fields, or their labels, with what goes into them; several values for one name where the form takes them.
    #[serde(default)]
    pub fields: Vec<(String, Value)>,
    /// Fields that the page does not have and the server wants all the same: a script would have made them.
    #[serde(default)]
    pub extra: Vec<(String, Value)>,
    /// The button that is pressed, by its name, value or words; the first one if nothing is said.
    #[serde(default)]
    pub button: Option<String>,
}

/// How a form is told from others on its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhichForm {
    /// The only one, or the only one that has all fields to fill.
    Fitting,
    /// Its action, as a glob over the whole address or its path.
    Action(String),
    Name(String),
    Id(String),
    Selector(String),
    /// The first is 1.
    Number(usize),
}

/// What goes into a field or a header; secrets only by reference.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    Text(String),
    /// The content of a file, for fields that upload one.
    Upload(String),
    Secret(SecretAt),
}

/// Where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SecretAt {
    /// A variable of the environment.
    Env(String),
    /// The first line of a file.
    File(String),
    /// The encrypted store, by its name there.
    Store(String),
}

impl Value {
    pub fn is_secret(&self) -> bool {
        matches!(self, Value::Secret(_))
    }
}

/// As people write it: `env:NAME`, `file:PATH`, `secret:NAME`; anything else is meant literally.
impl From<&str> for Value {
    fn from(text: &str) -> Value {
        let at = |prefix: &str| text.strip_prefix(prefix).map(str::to_owned);
        if let Some(name) = at("env:") {
            return Value::Secret(SecretAt::Env(name));
        }
        if let Some(path) = at("file:") {
            return Value::Secret(SecretAt::File(path));
        }
        if let Some(name) = at("secret:") {
            return Value::Secret(SecretAt::Store(name));
        }
        if let Some(path) = at("upload:") {
            return Value::Upload(path);
        }
        // For a text that begins like one of them.
        Value::Text(at("text:").unwrap_or_else(|| text.to_owned()))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Upload(path) => write!(f, "upload:{path}"),
            Value::Secret(at) => at.fmt(f),
        }
    }
}

impl fmt::Display for SecretAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SecretAt::Env(name) => write!(f, "env:{name}"),
            SecretAt::File(path) => write!(f, "file:{path}"),
            SecretAt::Store(name) => write!(f, "secret:{name}"),
        }
    }
}

/// A text may be a password that somebody wrote into the wrong place: it is never shown by accident.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(_) => f.write_str("Text([hidden])"),
            Value::Upload(path) => write!(f, "Upload({path:?})"),
            Value::Secret(at) => write!(f, "Secret({at})"),
        }
    }
}

/// How to get in, and how to see whether we are in. Comes before all steps, and again whenever a page shows that we are out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The page with the form.
    pub url: String,
    pub filling: Filling,
    /// What a page shows while we are in, all of it; asked of the page after the login and of every page of its site.
    #[serde(default)]
    pub must_have: Vec<Check>,
    /// What a page shows when we are out, any of it.
    #[serde(default)]
    pub must_not_have: Vec<Check>,
}

/// Something to look for on a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Check {
    /// A CSS selector that finds something.
    Selector(String),
    /// Words in its visible text.
    Text(String),
}

/// As people write it: `text:Log out` is words, anything else a selector.
impl From<&str> for Check {
    fn from(text: &str) -> Check {
        match text.strip_prefix("text:") {
            Some(words) => Check::Text(words.trim().to_owned()),
            None => Check::Selector(text.to_owned()),
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Check::Selector(selector) => f.write_str(selector),
            Check::Text(words) => write!(f, "text:{words}"),
        }
    }
}

/// Who we say we are without a form. Sent to the origins of the project's sources and steps only (HC064).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Auth {
    /// For Basic or Digest, as the server asks, and for file and news servers.
    #[serde(default)]
    pub user: Option<String>,
    #[serde(default)]
    pub password: Option<Value>,
    #[serde(default)]
    pub bearer: Option<Value>,
    /// A file with the client's certificate (PEM) …
    #[serde(default)]
    pub certificate: Option<String>,
    /// … and one with its key, where it is not in the same; also a key for SFTP.
    #[serde(default)]
    pub key: Option<String>,
}

impl Auth {
    pub fn is_empty(&self) -> bool {
        *self == Auth::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_they_are_written_and_hide_themselves() {
        for text in [
            "env:PASSWORD",
            "file:/run/secret",
            "secret:wiki",
            "upload:a.pdf",
            "plain",
            "",
        ] {
            let value = Value::from(text);
            assert_eq!(value.to_string(), text);
            assert_eq!(
                value.is_secret(),
                text.contains(':') && !text.starts_with("upload")
            );
        }
        let value = Value::from("text:env:not a variable");
        assert_eq!(value, Value::Text("env:not a variable".to_owned()));
        assert!(!format!("{value:?}").contains("variable"), "no text in logs");
    }

    #[test]
    fn legs_read_as_they_are_written() {
        let legs = [Leg { step: 0, depth: 2 }, Leg { step: 3, depth: 0 }];
        assert_eq!(legs_of(&legs_text(&legs).unwrap()), legs);
        assert_eq!((legs_text(&[]), legs_of("")), (None, Vec::new()));
        assert_eq!(legs_of("x 1 2:y -1:0 7:1"), [Leg { step: 7, depth: 1 }]);
    }

    #[test]
    fn checks_read_as_they_are_written() {
        for text in ["#logout", "text:Log out"] {
            assert_eq!(Check::from(text).to_string(), text);
        }
    }
}
