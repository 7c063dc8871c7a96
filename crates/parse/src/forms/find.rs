//! Which form of a page is meant?
//!
//! Where several are, none is taken: a password must not go where nobody meant it to go. Forms that differ in nothing
//! that is sent (the search field at the head of a page and again at its foot) count as one.

use super::control::ControlKind;
use super::error::FindError;
use super::form::{Form, Forms};
use crate::Selector;
use gleaner_model::Url;
use std::fmt;

/// How a form is named.
#[derive(Debug, Clone)]
pub enum Which {
    /// By where it is sent to: a URL, or its path with query if it begins with `/`; `*` stands for any characters.
    Action(String),
    Name(String),
    Id(String),
    /// The form itself, or one of its controls.
    Selector(Selector),
    /// Counted from 1, in tree order.
    Number(usize),
    /// The one that asks for a password. Of several, those that ask for one only: registrations ask twice.
    Password,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Which::Action(pattern) => write!(f, "action `{pattern}`"),
            Which::Name(name) => write!(f, "name `{name}`"),
            Which::Id(id) => write!(f, "id `{id}`"),
            Which::Selector(selector) => write!(f, "selector `{selector}`"),
            Which::Number(number) => write!(f, "number {number}"),
            Which::Password => f.write_str("a password field"),
        }
    }
}

/// The one form that is meant.
pub fn find<'f>(forms: &'f Forms, which: &Which) -> Result<&'f Form, FindError> {
    let wanted = || which.to_string();
    if forms.is_empty() {
        return Err(FindError::NoForms { wanted: wanted() });
    }
    let mut meant = meant(forms, which);
    if matches!(which, Which::Password) && meant.len() > 1 {
        let once: Vec<&Form> = meant.iter().copied().filter(|form| asks_once(form)).collect();
        if !once.is_empty() {
            meant = once;
        }
    }
    let Some(first) = meant.first().copied() else {
        return Err(FindError::None {
            wanted: wanted(),
            forms: forms.iter().map(Form::summary).collect(),
        });
    };
    if meant.iter().all(|form| sends_alike(form, first)) {
        return Ok(first);
    }
    Err(FindError::Several {
        wanted: wanted(),
        forms: meant.into_iter().map(Form::summary).collect(),
    })
}

fn meant<'f>(forms: &'f Forms, which: &Which) -> Vec<&'f Form> {
    let list = forms.iter();
    match which {
        Which::Action(pattern) => {
            let exact = Url::parse(pattern).ok();
            list.filter(|form| {
                form.action
                    .as_ref()
                    .is_ok_and(|url| exact.as_ref() == Some(url) || is_meant(pattern, url))
            })
            .collect()
        }
        Which::Name(name) => list
            .filter(|form| form.name == *name && !name.is_empty())
            .collect(),
        Which::Id(id) => list.filter(|form| form.id == *id && !id.is_empty()).collect(),
        Which::Number(number) => list.filter(|form| form.number == *number).collect(),
        Which::Password => list.filter(|form| form.has_password()).collect(),
        Which::Selector(selector) => {
            let Some(page) = &forms.page else {
                return Vec::new();
            };
            let found = page.matches(&selector.matcher);
            let is_found = |(node, controls): &(_, Vec<_>)| {
                found.contains(node) || controls.iter().any(|node| found.contains(node))
            };
            list.zip(&forms.nodes)
                .filter(|(_, nodes)| is_found(nodes))
                .map(|(form, _)| form)
                .collect()
        }
    }
}

fn asks_once(form: &Form) -> bool {
    let passwords = form
        .controls
        .iter()
        .filter(|control| control.kind == ControlKind::Password);
    passwords.count() == 1
}

fn sends_alike(one: &Form, other: &Form) -> bool {
    let fields = |form: &Form| -> Vec<(ControlKind, String)> {
        form.controls
            .iter()
            .filter(|control| !control.name.is_empty())
            .map(|control| (control.kind, control.name.clone()))
            .collect()
    };
    one.action == other.action && one.method == other.method && fields(one) == fields(other)
}

fn is_meant(pattern: &str, url: &Url) -> bool {
    if pattern.starts_with('/') {
        fits(pattern.as_bytes(), url.request_target().as_bytes())
    } else {
        fits(pattern.as_bytes(), url.as_str().as_bytes())
    }
}

/// Whether a pattern with stars fits. The last star is where it goes on after a mismatch, so no more than pattern × text.
fn fits(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                t = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        let cases = [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a*c*e", "abcde", true),
            ("a*c*e", "abcd", false),
            ("*aab", "aaaab", true),
            ("**", "x", true),
        ];
        for (pattern, text, want) in cases {
            assert_eq!(
                fits(pattern.as_bytes(), text.as_bytes()),
                want,
                "{pattern} {text}"
            );
        }
    }
}
