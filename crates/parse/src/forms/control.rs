//! One control of a form: what can be put into it, and what is in it already.

use super::form::{Enctype, Method};
use gleaner_model::{Url, UrlError};
use std::fmt;

/// What a control is, by its element and its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ControlKind {
    Text,
    Search,
    Telephone,
    Url,
    Email,
    Password,
    Date,
    Month,
    Week,
    Time,
    DateTime,
    Number,
    Range,
    Colour,
    Hidden,
    Checkbox,
    Radio,
    File,
    /// `<input type=submit>` or `<button>`.
    Submit,
    /// `<input type=image>`: submits, and sends where it was clicked.
    Image,
    Reset,
    /// Does nothing without scripts.
    Button,
    /// One of several.
    Select,
    /// Any of several.
    SelectMany,
    TextArea,
}

impl ControlKind {
    /// By the `type` of an `<input>`; what nobody knows is a line of text.
    pub(super) fn of_input(text: Option<&str>) -> ControlKind {
        let text = text.unwrap_or("").to_ascii_lowercase();
        match text.as_str() {
            "search" => ControlKind::Search,
            "tel" => ControlKind::Telephone,
            "url" => ControlKind::Url,
            "email" => ControlKind::Email,
            "password" => ControlKind::Password,
            "date" => ControlKind::Date,
            "month" => ControlKind::Month,
            "week" => ControlKind::Week,
            "time" => ControlKind::Time,
            "datetime-local" => ControlKind::DateTime,
            "number" => ControlKind::Number,
            "range" => ControlKind::Range,
            "color" => ControlKind::Colour,
            "hidden" => ControlKind::Hidden,
            "checkbox" => ControlKind::Checkbox,
            "radio" => ControlKind::Radio,
            "file" => ControlKind::File,
            "submit" => ControlKind::Submit,
            "image" => ControlKind::Image,
            "reset" => ControlKind::Reset,
            "button" => ControlKind::Button,
            _ => ControlKind::Text,
        }
    }

    /// As HTML calls it.
    pub fn as_str(self) -> &'static str {
        match self {
            ControlKind::Text => "text",
            ControlKind::Search => "search",
            ControlKind::Telephone => "tel",
            ControlKind::Url => "url",
            ControlKind::Email => "email",
            ControlKind::Password => "password",
            ControlKind::Date => "date",
            ControlKind::Month => "month",
            ControlKind::Week => "week",
            ControlKind::Time => "time",
            ControlKind::DateTime => "datetime-local",
            ControlKind::Number => "number",
            ControlKind::Range => "range",
            ControlKind::Colour => "color",
            ControlKind::Hidden => "hidden",
            ControlKind::Checkbox => "checkbox",
            ControlKind::Radio => "radio",
            ControlKind::File => "file",
            ControlKind::Submit => "submit",
            ControlKind::Image => "image",
            ControlKind::Reset => "reset",
            ControlKind::Button => "button",
            ControlKind::Select => "select-one",
            ControlKind::SelectMany => "select-multiple",
            ControlKind::TextArea => "textarea",
        }
    }

    /// It can send its form.
    pub fn submits(self) -> bool {
        matches!(self, ControlKind::Submit | ControlKind::Image)
    }

    pub fn is_button(self) -> bool {
        self.submits() || matches!(self, ControlKind::Reset | ControlKind::Button)
    }

    pub fn is_select(self) -> bool {
        matches!(self, ControlKind::Select | ControlKind::SelectMany)
    }

    /// It is on or off.
    pub fn is_checkable(self) -> bool {
        matches!(self, ControlKind::Checkbox | ControlKind::Radio)
    }

    /// Something is written into it, rather than chosen.
    pub fn is_written(self) -> bool {
        !self.is_button() && !self.is_select() && !self.is_checkable() && self != ControlKind::File
    }
}

/// One option of a select.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub value: String,
    /// What the reader sees.
    pub label: String,
    pub is_selected: bool,
    /// By itself or by its group: it cannot be chosen and is not sent.
    pub is_disabled: bool,
}

/// A control as the page gives it.
#[derive(Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "HTML's own, each independent of the others"
)]
pub struct Control {
    pub kind: ControlKind,
    /// Without a name nothing is sent.
    pub name: String,
    pub id: String,
    /// What the reader sees beside it: its label, else `aria-label`, placeholder or title; on buttons their own words.
    pub label: String,
    /// What is in it at first; what is sent if it is on, for those that are on or off.
    pub value: String,
    /// For those that are on or off.
    pub is_checked: bool,
    /// Of a select.
    pub choices: Vec<Choice>,
    /// By itself or by a fieldset around it: it is not sent.
    pub is_disabled: bool,
    pub is_required: bool,
    pub is_read_only: bool,
    /// More than one file or address.
    pub takes_many: bool,
    /// A second field that says which way the text runs, and which way that is.
    pub direction: Option<(String, &'static str)>,
    /// What a button changes about its form.
    pub submits_to: Option<Result<Url, UrlError>>,
    pub submits_by: Option<Method>,
    pub submits_as: Option<Enctype>,
}

impl Control {
    pub(super) fn new(kind: ControlKind) -> Control {
        Control {
            kind,
            name: String::new(),
            id: String::new(),
            label: String::new(),
            value: String::new(),
            is_checked: false,
            choices: Vec::new(),
            is_disabled: false,
            is_required: false,
            is_read_only: false,
            takes_many: false,
            direction: None,
            submits_to: None,
            submits_by: None,
            submits_as: None,
        }
    }
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_password = self.kind == ControlKind::Password && !self.value.is_empty();
        let value = if is_password { "(hidden)" } else { &self.value };
        f.debug_struct("Control")
            .field("kind", &self.kind)
            .field("name", &self.name)
            .field("label", &self.label)
            .field("value", &value)
            .field("is_checked", &self.is_checked)
            .field("choices", &self.choices)
            .field("is_disabled", &self.is_disabled)
            .finish_non_exhaustive()
    }
}
