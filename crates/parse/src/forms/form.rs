//! A form and the forms of a page.

use super::control::{Control, ControlKind};
use crate::markup::Page;
use dom_query::NodeId;
use encoding_rs::Encoding;
use gleaner_model::{Url, UrlError};
use std::fmt;
use std::ops::Deref;

/// How a form is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    /// It closes the dialog it stands in and sends nothing.
    Dialog,
}

impl Method {
    /// What nobody knows is GET.
    pub(super) fn of(text: &str) -> Method {
        if text.eq_ignore_ascii_case("post") {
            Method::Post
        } else if text.eq_ignore_ascii_case("dialog") {
            Method::Dialog
        } else {
            Method::Get
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
            Method::Dialog => "dialog",
        }
    }
}

/// How the body of a POST is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enctype {
    UrlEncoded,
    Multipart,
    Plain,
}

impl Enctype {
    /// What nobody knows is urlencoded.
    pub(super) fn of(text: &str) -> Enctype {
        if text.eq_ignore_ascii_case("multipart/form-data") {
            Enctype::Multipart
        } else if text.eq_ignore_ascii_case("text/plain") {
            Enctype::Plain
        } else {
            Enctype::UrlEncoded
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Enctype::UrlEncoded => "application/x-www-form-urlencoded",
            Enctype::Multipart => "multipart/form-data",
            Enctype::Plain => "text/plain",
        }
    }
}

/// A form of a page.
#[derive(Clone, PartialEq, Eq)]
pub struct Form {
    /// Its place among the forms of its page, counted from 1.
    pub number: usize,
    /// Where it is sent to, resolved; an error where that is no address that can be fetched (`javascript:`).
    pub action: Result<Url, UrlError>,
    pub method: Method,
    pub enctype: Enctype,
    pub name: String,
    pub id: String,
    /// As written.
    pub accept_charset: String,
    /// What its fields are written in: the first known of `accept_charset`, else the page's.
    pub charset: &'static Encoding,
    /// In tree order, also those that stand outside of it and name it.
    pub controls: Vec<Control>,
    /// The page holds more than is read; what is missing may belong to this form, so it is not sent.
    pub is_cut: bool,
}

impl Form {
    /// It asks for a password.
    pub fn has_password(&self) -> bool {
        self.controls
            .iter()
            .any(|control| control.kind == ControlKind::Password && !control.is_disabled)
    }

    /// One line that tells it from the others: `2: POST http://a.test/login (user, password)`.
    pub fn summary(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        let shown = |control: &&Control| {
            !control.name.is_empty() && !control.kind.is_button() && control.kind != ControlKind::Hidden
        };
        for control in self.controls.iter().filter(shown) {
            if !names.contains(&control.name.as_str()) && names.len() < SUMMARY_NAMES_MAX {
                names.push(&control.name);
            }
        }
        let mut text = format!("{}: {} ", self.number, self.method.as_str());
        match &self.action {
            Ok(url) => text.push_str(url.as_str()),
            Err(_) => text.push_str("(nowhere)"),
        }
        if !self.id.is_empty() {
            text.push_str(" #");
            text.push_str(&self.id);
        }
        if !names.is_empty() {
            text.push_str(" (");
            text.push_str(&names.join(", "));
            text.push(')');
        }
        text
    }
}

/// So many names tell forms apart.
const SUMMARY_NAMES_MAX: usize = 8;

impl fmt::Debug for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form")
            .field("number", &self.number)
            .field("action", &self.action)
            .field("method", &self.method)
            .field("enctype", &self.enctype)
            .field("name", &self.name)
            .field("id", &self.id)
            .field("charset", &self.charset.name())
            .field("controls", &self.controls)
            .field("is_cut", &self.is_cut)
            .finish_non_exhaustive()
    }
}

/// The forms of a page in tree order, with the page itself, so that [`super::find`] can ask it.
#[derive(Default)]
pub struct Forms {
    pub(super) list: Vec<Form>,
    /// Of each form: its own node and those of its controls.
    pub(super) nodes: Vec<(NodeId, Vec<NodeId>)>,
    pub(super) page: Option<Page>,
}

impl Forms {
    /// Lets go of the page.
    pub fn into_vec(self) -> Vec<Form> {
        self.list
    }
}

impl Deref for Forms {
    type Target = [Form];

    fn deref(&self) -> &[Form] {
        &self.list
    }
}

impl fmt::Debug for Forms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}
