//! Values into a form, as a person at the browser would put them in, and what is then sent.
//!
//! The form itself is not changed: [`State`] is what its controls hold while they are filled. Then the entries are taken
//! from it in tree order (HTML 4.10.22.4, "constructing the entry list").

use super::control::{Control, ControlKind};
use super::error::FillError;
use super::form::{Form, Method};
use super::nearest::nearest;
use super::put::put;
use super::submission::{FormField, FormPayload, Submission};
use super::value::{Button, FieldValue, File, Given};
use gleaner_model::Url;

/// All values of one form together; larger uploads are no work for a crawler.
const SUBMISSION_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What a control holds while it is filled.
#[derive(Default)]
pub(super) struct State {
    pub(super) text: String,
    pub(super) is_on: bool,
    /// One per choice.
    pub(super) chosen: Vec<bool>,
    pub(super) files: Vec<File>,
    pub(super) is_secret: bool,
}

/// Fills a form and presses a button. What is not given keeps what the page put in; values for the same field are given
/// to its controls in order.
pub fn fill(form: &Form, values: &[FieldValue], button: &Button) -> Result<Submission, FillError> {
    if form.is_cut {
        return Err(FillError::Cut);
    }
    let pressed = press(form, button)?;
    let mut states: Vec<State> = form.controls.iter().map(State::of).collect();
    for (place, value) in values.iter().enumerate() {
        let is_same =
            |other: &&FieldValue| other.field == value.field && !matches!(other.given, Given::Extra(_));
        let is_done = values[..place].iter().any(|other| is_same(&other));
        if is_done || matches!(value.given, Given::Extra(_)) {
            continue;
        }
        let given: Vec<&FieldValue> = values.iter().filter(is_same).collect();
        let targets = targets(form, &value.field)?;
        put(form, &mut states, &value.field, &targets, &given)?;
    }
    let mut entries = entries(form, &states, pressed);
    for value in values {
        if let Given::Extra(text) = &value.given {
            entries.push(FormField {
                name: value.field.clone(),
                payload: FormPayload::Text(text.clone()),
                is_secret: value.is_secret,
            });
        }
    }
    let bytes = entries.iter().map(size).sum();
    if bytes > SUBMISSION_BYTES_MAX {
        return Err(FillError::TooLarge {
            bytes,
            limit: SUBMISSION_BYTES_MAX,
        });
    }
    let pressed = pressed.map(|place| &form.controls[place]);
    let method = pressed
        .and_then(|control| control.submits_by)
        .unwrap_or(form.method);
    if method == Method::Dialog {
        return Err(FillError::Dialog);
    }
    Ok(Submission {
        url: address(form, pressed)?,
        method,
        enctype: pressed
            .and_then(|control| control.submits_as)
            .unwrap_or(form.enctype),
        charset: form.charset,
        entries,
    })
}

impl State {
    fn of(control: &Control) -> State {
        State {
            text: control.value.clone(),
            is_on: control.is_checked,
            chosen: control.choices.iter().map(|choice| choice.is_selected).collect(),
            files: Vec::new(),
            is_secret: control.kind == ControlKind::Password,
        }
    }
}

fn address(form: &Form, pressed: Option<&Control>) -> Result<Url, FillError> {
    let action = pressed.and_then(|control| control.submits_to.as_ref());
    let url = action
        .unwrap_or(&form.action)
        .clone()
        .map_err(FillError::NoAddress)?;
    if !url.is_web() {
        return Err(FillError::NotWeb {
            scheme: url.scheme().to_owned(),
        });
    }
    Ok(url)
}

fn size(entry: &FormField) -> usize {
    let payload = match &entry.payload {
        FormPayload::Text(text) => text.len(),
        FormPayload::File(file) => file.bytes.len() + file.name.len(),
    };
    entry.name.len() + payload
}

/// A label as it is compared: case, colons and asterisks at its end do not matter.
fn plain(label: &str) -> String {
    let label = crate::content::words::folded(label).to_lowercase();
    label
        .trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | '*' | '：' | '…'))
        .to_owned()
}

fn is_field(control: &Control) -> bool {
    !control.name.is_empty() && !control.kind.is_button()
}

/// The controls that a name or label means.
fn targets(form: &Form, field: &str) -> Result<Vec<usize>, FillError> {
    let fields = || form.controls.iter().enumerate().filter(|(_, c)| is_field(c));
    let mut found: Vec<usize> = fields()
        .filter(|(_, c)| c.name == field)
        .map(|(at, _)| at)
        .collect();
    if found.is_empty() {
        let label = plain(field);
        let is_meant = |c: &Control| !label.is_empty() && plain(&c.label) == label;
        found = fields().filter(|(_, c)| is_meant(c)).map(|(at, _)| at).collect();
        let mut names: Vec<String> = found.iter().map(|at| form.controls[*at].name.clone()).collect();
        names.dedup();
        if names.len() > 1 {
            return Err(FillError::SeveralFields {
                field: field.to_owned(),
                names,
            });
        }
    }
    if found.is_empty() {
        return Err(unknown(form, field));
    }
    // A hidden field beside a visible one of its name stands for "not checked" and is no place to write.
    if found
        .iter()
        .any(|at| form.controls[*at].kind != ControlKind::Hidden)
    {
        found.retain(|at| form.controls[*at].kind != ControlKind::Hidden);
    }
    found.retain(|at| !form.controls[*at].is_disabled);
    if found.is_empty() {
        return Err(FillError::Disabled {
            field: field.to_owned(),
        });
    }
    Ok(found)
}

fn unknown(form: &Form, field: &str) -> FillError {
    let fields = || form.controls.iter().filter(|c| is_field(c));
    let mut known: Vec<String> = Vec::new();
    for control in fields() {
        if !known.contains(&control.name) && known.len() < KNOWN_MAX {
            known.push(control.name.clone());
        }
    }
    let names = fields().map(|c| c.name.as_str());
    let labels = fields().map(|c| c.label.as_str());
    FillError::UnknownField {
        field: field.to_owned(),
        nearest: nearest(field, names.chain(labels)).map(ToOwned::to_owned),
        known,
    }
}

/// A message that names more is not read.
const KNOWN_MAX: usize = 50;

/// The place of the button that is pressed.
fn press(form: &Form, button: &Button) -> Result<Option<usize>, FillError> {
    let submits = || form.controls.iter().enumerate().filter(|(_, c)| c.kind.submits());
    let (text, found): (&str, Vec<usize>) = match button {
        Button::None => return Ok(None),
        Button::First => {
            let first = submits().next().filter(|(_, control)| !control.is_disabled);
            return Ok(first.map(|(place, _)| place));
        }
        Button::Exactly { name, value } => (
            name,
            submits()
                .filter(|(_, c)| c.name == *name && c.value == *value)
                .map(|(place, _)| place)
                .collect(),
        ),
        Button::Called(text) => {
            let by = |is_meant: &dyn Fn(&Control) -> bool| -> Vec<usize> {
                submits().filter(|(_, c)| is_meant(c)).map(|(at, _)| at).collect()
            };
            let words = plain(text);
            let mut found = by(&|c| c.name == *text);
            if found.is_empty() {
                found = by(&|c| c.value == *text);
            }
            if found.is_empty() {
                found = by(&|c| plain(&c.label) == words);
            }
            (text, found)
        }
    };
    let Some(first) = found.first().copied() else {
        return Err(FillError::UnknownButton {
            button: text.to_owned(),
            known: submits().take(KNOWN_MAX).map(|(_, c)| shown(c)).collect(),
        });
    };
    let chosen = &form.controls[first];
    let is_same = |at: &usize| {
        let other = &form.controls[*at];
        (&other.name, &other.value, &other.submits_to) == (&chosen.name, &chosen.value, &chosen.submits_to)
    };
    if !found.iter().all(is_same) {
        return Err(FillError::SeveralButtons {
            button: text.to_owned(),
            values: found
                .iter()
                .map(|place| form.controls[*place].value.clone())
                .collect(),
        });
    }
    let enabled = found.iter().find(|at| !form.controls[**at].is_disabled);
    enabled
        .copied()
        .map(Some)
        .ok_or_else(|| FillError::ButtonDisabled {
            button: text.to_owned(),
        })
}

fn shown(button: &Control) -> String {
    let names = [&button.name, &button.label, &button.value, &button.id];
    let name = names.into_iter().find(|name| !name.is_empty());
    name.map_or_else(|| "(without a name)".to_owned(), ToOwned::to_owned)
}

fn entries(form: &Form, states: &[State], pressed: Option<usize>) -> Vec<FormField> {
    let mut entries = Vec::new();
    for (place, (control, state)) in form.controls.iter().zip(states).enumerate() {
        if control.is_disabled || (control.kind.is_button() && pressed != Some(place)) {
            continue;
        }
        let mut add = |name: &str, payload: FormPayload, is_secret: bool| {
            entries.push(FormField {
                name: name.to_owned(),
                payload,
                is_secret,
            });
        };
        if control.kind == ControlKind::Image {
            // Where it was clicked: its corner, as from the keyboard.
            let (x, y) = if control.name.is_empty() {
                ("x".to_owned(), "y".to_owned())
            } else {
                (format!("{}.x", control.name), format!("{}.y", control.name))
            };
            add(&x, FormPayload::Text("0".to_owned()), false);
            add(&y, FormPayload::Text("0".to_owned()), false);
            continue;
        }
        if control.name.is_empty() {
            continue;
        }
        let name = control.name.as_str();
        match control.kind {
            ControlKind::Select | ControlKind::SelectMany => {
                for (choice, is_chosen) in control.choices.iter().zip(&state.chosen) {
                    if *is_chosen && !choice.is_disabled {
                        add(name, FormPayload::Text(choice.value.clone()), state.is_secret);
                    }
                }
            }
            ControlKind::Checkbox | ControlKind::Radio if !state.is_on => {}
            ControlKind::File if state.files.is_empty() => {
                let nothing = File {
                    name: String::new(),
                    media_type: "application/octet-stream".to_owned(),
                    bytes: Vec::new(),
                };
                add(name, FormPayload::File(nothing), false);
            }
            ControlKind::File => {
                for file in &state.files {
                    add(name, FormPayload::File(file.clone()), state.is_secret);
                }
            }
            ControlKind::Hidden if name.eq_ignore_ascii_case("_charset_") => {
                add(name, FormPayload::Text(form.charset.name().to_owned()), false);
            }
            _ => add(name, FormPayload::Text(state.text.clone()), state.is_secret),
        }
        if let Some((name, runs)) = &control.direction {
            add(name, FormPayload::Text((*runs).to_owned()), false);
        }
    }
    entries
}
