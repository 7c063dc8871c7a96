//! What is sent, before it is written in some charset and form: the standard's "entry list".

use super::form::{Enctype, Method};
use super::value::File;
use encoding_rs::Encoding;
use gleaner_model::Url;
use std::fmt;

#[derive(Clone, PartialEq, Eq)]
pub enum FormPayload {
    Text(String),
    File(File),
}

/// One field as it is sent.
#[derive(Clone, PartialEq, Eq)]
pub struct FormField {
    pub name: String,
    pub payload: FormPayload,
    pub is_secret: bool,
}

impl FormField {
    /// Name and value for people; a secret is not shown.
    pub fn shown(&self) -> (String, String) {
        let value = match &self.payload {
            _ if self.is_secret => "(hidden)".to_owned(),
            FormPayload::Text(text) => text.clone(),
            FormPayload::File(file) => format!("(file {}, {} bytes)", file.name, file.bytes.len()),
        };
        (self.name.clone(), value)
    }
}

impl fmt::Debug for FormField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.payload {
            _ if self.is_secret => write!(f, "{}: (hidden)", self.name),
            FormPayload::Text(text) => write!(f, "{}: {text:?}", self.name),
            FormPayload::File(file) => write!(f, "{}: {file:?}", self.name),
        }
    }
}

/// A form as it is sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Submission {
    pub url: Url,
    pub method: Method,
    pub enctype: Enctype,
    pub charset: &'static Encoding,
    pub entries: Vec<FormField>,
}

impl Submission {
    pub fn is_secret(&self) -> bool {
        self.entries.iter().any(|entry| entry.is_secret)
    }
}

impl fmt::Debug for Submission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Submission")
            .field("url", &self.url)
            .field("method", &self.method)
            .field("enctype", &self.enctype)
            .field("charset", &self.charset.name())
            .field("entries", &self.entries)
            .finish()
    }
}
