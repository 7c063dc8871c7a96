//! What is put into a form, by whoever fills it.

use std::fmt;

/// A file to send.
#[derive(Clone, PartialEq, Eq)]
pub struct File {
    /// Its name as the server sees it, without folders.
    pub name: String,
    pub media_type: String,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "File({}, {}, {} bytes)",
            self.name,
            self.media_type,
            self.bytes.len()
        )
    }
}

#[derive(Clone, PartialEq, Eq)]
pub(super) enum Given {
    Text(String),
    Checked(bool),
    File(File),
    /// For a field that the form does not have.
    Extra(String),
}

/// One value for one field. Several values for a field are several of these, in order.
#[derive(Clone, PartialEq, Eq)]
pub struct FieldValue {
    pub(super) field: String,
    pub(super) given: Given,
    pub(super) is_secret: bool,
}

impl FieldValue {
    fn new(field: &str, given: Given) -> FieldValue {
        FieldValue {
            field: field.to_owned(),
            given,
            is_secret: false,
        }
    }

    /// Text to write, or the value or words of what is to be chosen. `field` is the name of a control or its label.
    pub fn text(field: &str, text: &str) -> FieldValue {
        FieldValue::new(field, Given::Text(text.to_owned()))
    }

    /// As [`FieldValue::text`], never shown anywhere. What goes into a password field is secret anyway.
    pub fn secret(field: &str, text: &str) -> FieldValue {
        FieldValue::text(field, text).hidden()
    }

    /// Checks a checkbox or radio button, whatever its value is.
    pub fn on(field: &str) -> FieldValue {
        FieldValue::new(field, Given::Checked(true))
    }

    /// Unchecks all boxes of this name; chooses nothing where several can be chosen.
    pub fn off(field: &str) -> FieldValue {
        FieldValue::new(field, Given::Checked(false))
    }

    pub fn file(field: &str, file: File) -> FieldValue {
        FieldValue::new(field, Given::File(file))
    }

    /// A field that the form does not have (scripts add such), sent behind all others.
    pub fn extra(name: &str, text: &str) -> FieldValue {
        FieldValue::new(name, Given::Extra(text.to_owned()))
    }

    /// Marks it as secret.
    #[must_use]
    pub fn hidden(mut self) -> FieldValue {
        self.is_secret = true;
        self
    }
}

/// The value itself is left out: whether its field is one for passwords is not known here.
impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = match &self.given {
            Given::Text(_) => "text",
            Given::Checked(true) => "on",
            Given::Checked(false) => "off",
            Given::File(_) => "file",
            Given::Extra(_) => "extra",
        };
        write!(f, "FieldValue({}: {given})", self.field)
    }
}

/// Which button is pressed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Button {
    /// The first that submits, in tree order: what browsers press when a reader hits Enter. If it is disabled none is
    /// pressed, rather than the next, which may mean something else.
    #[default]
    First,
    /// None: as scripts submit.
    None,
    /// By its name, else its value, else its words.
    Called(String),
    /// Where several share a name.
    Exactly { name: String, value: String },
}
