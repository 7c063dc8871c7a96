//! Why a form could not be found, filled or written. No message shows what was to be put into a field.

use gleaner_model::UrlError;

/// No form, or not one form, is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FindError {
    #[error("the page has no form; a script may create it, or the address is of another page: {wanted}")]
    NoForms { wanted: String },
    #[error("no form on the page matches {wanted}; it has {}", list(.forms))]
    None { wanted: String, forms: Vec<String> },
    #[error("several forms match {wanted}; name one by its number or id: {}", list(.forms))]
    Several { wanted: String, forms: Vec<String> },
}

/// The values do not fit the form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FillError {
    #[error("the form has no field of this name or label{}: {field}", hint(.nearest.as_deref(), .known))]
    UnknownField {
        field: String,
        nearest: Option<String>,
        known: Vec<String>,
    },
    #[error("several fields have this label; use their names, {}: {field}", list(.names))]
    SeveralFields { field: String, names: Vec<String> },
    #[error("the value given is not among the choices, which are {}: {field}", list(.choices))]
    NoSuchChoice { field: String, choices: Vec<String> },
    #[error("{given} values given, but only {room} possible: {field}")]
    TooManyValues {
        field: String,
        given: usize,
        room: usize,
    },
    #[error(
        "the field is disabled, so browsers do not send it; send it as an extra field if the site wants it: {field}"
    )]
    Disabled { field: String },
    #[error("the value given is not possible in a field of type {kind}: {field}")]
    NotOfType { field: String, kind: &'static str },
    #[error("the field takes files: {field}")]
    WantsFile { field: String },
    #[error("the field does not take files: {field}")]
    TakesNoFile { field: String },
    #[error("the field cannot be switched on or off; give it a value: {field}")]
    NoSwitch { field: String },
    #[error("the form has no such button; it has {}: {button}", list(.known))]
    UnknownButton { button: String, known: Vec<String> },
    #[error("several buttons have this name; give the value as well, one of {}: {button}", list(.values))]
    SeveralButtons { button: String, values: Vec<String> },
    #[error("the button is disabled: {button}")]
    ButtonDisabled { button: String },
    #[error("the form leads to an address that cannot be fetched")]
    NoAddress(#[source] UrlError),
    #[error("the form is sent to something that is not a web server: {scheme}")]
    NotWeb { scheme: String },
    #[error("the form closes a dialog and sends nothing; choose another button")]
    Dialog,
    #[error("the page is larger than the part that is read, so the form may be incomplete")]
    Cut,
    #[error("the values are too large in total (limit {limit} bytes): {bytes}")]
    TooLarge { bytes: usize, limit: usize },
}

/// The request could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The address holds the values, so its own error, which may show it, is not kept.
    #[error("with all values in its query, the address is not a URL or is longer than {limit} bytes")]
    Address { limit: usize },
}

/// A message lists no more than this.
const LISTED_MAX: usize = 20;

fn list(items: &[String]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    let mut text = String::new();
    for (at, item) in items.iter().take(LISTED_MAX).enumerate() {
        if at > 0 {
            text.push_str(", ");
        }
        text.push('`');
        text.extend(item.chars().take(80));
        text.push('`');
    }
    if items.len() > LISTED_MAX {
        text.push_str(", …");
    }
    text
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("; the nearest is `{name}`"),
        None => format!("; it has {}", list(known)),
    }
}
