//! The values of one field into its controls.

use super::control::{Control, ControlKind};
use super::error::FillError;
use super::fill::State;
use super::form::Form;
use super::sanitise::sanitise;
use super::value::{FieldValue, Given};

/// What was done so far about one field.
struct Putting<'f> {
    form: &'f Form,
    field: &'f str,
    targets: &'f [usize],
    /// Controls that have got their value.
    used: Vec<usize>,
    is_radio_set: bool,
    given: usize,
}

/// Puts all values of `field` into `targets`, its enabled controls in tree order.
pub(super) fn put(
    form: &Form,
    states: &mut [State],
    field: &str,
    targets: &[usize],
    values: &[&FieldValue],
) -> Result<(), FillError> {
    let mut putting = Putting {
        form,
        field,
        targets,
        used: Vec::new(),
        is_radio_set: false,
        given: values.len(),
    };
    let names_choices = values.iter().any(|value| matches!(value.given, Given::Text(_)));
    for at in targets {
        // Values name all that is chosen: what the page had checked beside them is not.
        if names_choices && form.controls[*at].kind == ControlKind::Checkbox {
            states[*at].is_on = false;
        }
        if names_choices && form.controls[*at].kind == ControlKind::SelectMany {
            states[*at].chosen.fill(false);
        }
    }
    for value in values {
        match &value.given {
            Given::Text(text) => putting.text(states, text, value.is_secret)?,
            Given::Checked(is_on) => putting.switch(states, *is_on)?,
            Given::File(file) => {
                let at = putting.free(|control| control.kind == ControlKind::File)?;
                let at = at.ok_or_else(|| FillError::TakesNoFile {
                    field: field.to_owned(),
                })?;
                states[at].files.push(file.clone());
                states[at].is_secret |= value.is_secret;
                if !form.controls[at].takes_many {
                    putting.used.push(at);
                }
            }
            Given::Extra(_) => {}
        }
    }
    Ok(())
}

impl Putting<'_> {
    fn controls(&self, is_it: impl Fn(&Control) -> bool) -> Vec<usize> {
        let targets = self.targets.iter().copied();
        targets.filter(|at| is_it(&self.form.controls[*at])).collect()
    }

    /// The next control of a kind that has got nothing yet; `None` where there is none of the kind at all.
    fn free(&self, is_it: impl Fn(&Control) -> bool) -> Result<Option<usize>, FillError> {
        let all = self.controls(is_it);
        match all.iter().find(|at| !self.used.contains(at)) {
            Some(at) => Ok(Some(*at)),
            None if all.is_empty() => Ok(None),
            None => Err(FillError::TooManyValues {
                field: self.field.to_owned(),
                given: self.given,
                room: all.len(),
            }),
        }
    }

    fn text(&mut self, states: &mut [State], text: &str, is_secret: bool) -> Result<(), FillError> {
        if self.choose(states, text, is_secret)? {
            return Ok(());
        }
        if let Some(at) = self.free(|control| control.kind.is_written())? {
            let control = &self.form.controls[at];
            // A slider takes any number, and puts it between its ends.
            let is_range = control.kind == ControlKind::Range;
            let clean = if is_range {
                text.to_owned()
            } else {
                sanitise(control.kind, text, control.takes_many, [None; 2])
            };
            let is_black = control.kind == ControlKind::Colour && !clean.eq_ignore_ascii_case(text);
            if (clean.is_empty() && !text.is_empty()) || is_black {
                return Err(FillError::NotOfType {
                    field: self.field.to_owned(),
                    kind: control.kind.as_str(),
                });
            }
            states[at].text = clean;
            states[at].is_secret |= is_secret;
            self.used.push(at);
            return Ok(());
        }
        if !self
            .controls(|control| control.kind == ControlKind::File)
            .is_empty()
        {
            return Err(FillError::WantsFile {
                field: self.field.to_owned(),
            });
        }
        let switches = self.controls(|control| control.kind == ControlKind::Checkbox);
        if switches.len() == 1 && matches!(text, "on" | "off") {
            states[switches[0]].is_on = text == "on";
            return Ok(());
        }
        Err(self.no_such_choice())
    }

    /// Chooses what has this value, else what has these words; says whether there was such a choice.
    fn choose(&mut self, states: &mut [State], text: &str, is_secret: bool) -> Result<bool, FillError> {
        let mut is_taken = false;
        for by_words in [false, true] {
            let is_meant = |value: &str, label: &str| if by_words { label == text } else { value == text };
            for at in self.targets.iter().copied() {
                let control = &self.form.controls[at];
                let is_secret = is_secret || states[at].is_secret;
                if control.kind.is_checkable() && is_meant(&control.value, &control.label) {
                    if control.kind == ControlKind::Radio {
                        if self.is_radio_set {
                            return Err(FillError::TooManyValues {
                                field: self.field.to_owned(),
                                given: self.given,
                                room: 1,
                            });
                        }
                        self.is_radio_set = true;
                        release_radios(self.form, states, &control.name);
                    } else if states[at].is_on {
                        // The second box of two with the same value.
                        continue;
                    }
                    states[at].is_on = true;
                    states[at].is_secret = is_secret;
                    return Ok(true);
                }
                if !control.kind.is_select() {
                    continue;
                }
                let place = control
                    .choices
                    .iter()
                    .position(|choice| !choice.is_disabled && is_meant(&choice.value, &choice.label));
                let Some(place) = place else { continue };
                if self.used.contains(&at) {
                    is_taken = true;
                    continue;
                }
                if control.kind == ControlKind::Select {
                    states[at].chosen.fill(false);
                    self.used.push(at);
                }
                states[at].chosen[place] = true;
                states[at].is_secret = is_secret;
                return Ok(true);
            }
        }
        if is_taken {
            return Err(FillError::TooManyValues {
                field: self.field.to_owned(),
                given: self.given,
                room: self.used.len(),
            });
        }
        Ok(false)
    }

    fn switch(&self, states: &mut [State], is_on: bool) -> Result<(), FillError> {
        let switches = self.controls(|control| control.kind.is_checkable());
        let lists = self.controls(|control| control.kind == ControlKind::SelectMany);
        if !is_on && switches.len() + lists.len() > 0 {
            for at in switches {
                states[at].is_on = false;
            }
            for at in lists {
                states[at].chosen.fill(false);
            }
            return Ok(());
        }
        match switches[..] {
            [] => Err(FillError::NoSwitch {
                field: self.field.to_owned(),
            }),
            [at] => {
                let control = &self.form.controls[at];
                if control.kind == ControlKind::Radio {
                    release_radios(self.form, states, &control.name);
                }
                states[at].is_on = true;
                Ok(())
            }
            _ => Err(self.no_such_choice()),
        }
    }

    fn no_such_choice(&self) -> FillError {
        let mut choices: Vec<String> = Vec::new();
        for at in self.targets {
            let control = &self.form.controls[*at];
            if control.kind.is_checkable() {
                choices.push(control.value.clone());
            }
            let enabled = control.choices.iter().filter(|choice| !choice.is_disabled);
            choices.extend(enabled.take(CHOICES_MAX).map(|choice| choice.value.clone()));
        }
        choices.truncate(CHOICES_MAX);
        FillError::NoSuchChoice {
            field: self.field.to_owned(),
            choices,
        }
    }
}

/// A message that names more is not read.
const CHOICES_MAX: usize = 50;

fn release_radios(form: &Form, states: &mut [State], name: &str) {
    for (control, state) in form.controls.iter().zip(states) {
        if control.kind == ControlKind::Radio && control.name == name {
            state.is_on = false;
        }
    }
}
