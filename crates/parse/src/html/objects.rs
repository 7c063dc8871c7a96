//! Forms and plug-ins: where they send to, and where their content lies.

use super::attributes::Attributes;
use super::read::Reader;
use super::sink::{Form, Sink};
use crate::script::Use;
use gleaner_model::LinkKind;
use std::borrow::Cow;

impl<'a, S: Sink<'a>> Reader<'_, '_, S> {
    /// A form that asks is asked for without its fields; what it sends stays unsent.
    pub(super) fn form(&mut self, action: Option<&'a [u8]>, sends: bool) {
        let kind = if sends { LinkKind::Form } else { LinkKind::GetForm };
        self.link_if(action, kind);
    }

    pub(super) fn button(&mut self, wanted: Attributes<'_, 'a>) {
        let Some(action) = wanted.formaction() else { return };
        // One that stands outside of its form does not show how that is sent.
        let of_form = || match (self.is_in_form, wanted.form()) {
            (true, None) => self.form_sends,
            (_, Some(_)) => true,
            (false, None) => false,
        };
        let sends = match wanted.formmethod() {
            Some(method) => sends(Some(method)),
            None => of_form(),
        };
        self.form(Some(action), sends);
    }

    /// What a plug-in is told: some of it is where its content lies.
    pub(super) fn parameter(&mut self, wanted: Attributes<'_, 'a>) {
        let Some(value) = wanted.value() else { return };
        let names = [
            "movie", "src", "url", "href", "data", "filename", "file", "code", "codebase", "archive",
        ];
        let name = wanted.name().unwrap_or_default().trim_ascii();
        if names
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        {
            self.link_if(Some(value), LinkKind::Object);
        } else if !S::IS_BY_PLACE {
            self.hint_of(Some(value), Use::Unknown);
        }
    }

    /// `object` and `applet`: their addresses are relative to `codebase`.
    pub(super) fn object(&mut self, wanted: Attributes<'_, 'a>) {
        if S::IS_BY_PLACE {
            return self.object_by_place(wanted);
        }
        if let Some(data) = wanted.data() {
            self.carried(data);
        }
        let codebase = wanted.codebase().map(|value| self.decode_value(value));
        let base = codebase.as_deref().unwrap_or("").trim_ascii();
        let mut found: Vec<String> = Vec::new();
        for value in [wanted.data(), wanted.code().filter(|_| wanted.data().is_none())]
            .into_iter()
            .flatten()
        {
            found.push(self.decode_value(value).trim_ascii().to_owned());
        }
        // `java:` and `clsid:` name programs, anything else a place.
        if let Some(class) = wanted.classid() {
            let class = self.decode_value(class).trim_ascii().to_owned();
            if !class.contains(':') || class.contains("//") {
                found.push(class);
            }
        }
        if let Some(archive) = wanted.archive() {
            let archive = self.decode_value(archive);
            let parts = archive
                .split(|c: char| c.is_ascii_whitespace() || c == ',')
                .filter(|p| !p.is_empty());
            found.extend(parts.take(64).map(str::to_owned));
        }
        for address in found {
            self.sink
                .text(Cow::Owned(under(base, &address)), LinkKind::Object, false);
        }
        if !base.is_empty() {
            self.sink
                .text(Cow::Owned(base.to_owned()), LinkKind::Object, false);
        }
    }

    fn object_by_place(&mut self, wanted: Attributes<'_, 'a>) {
        let codebase = wanted.codebase().filter(|codebase| !codebase.is_empty());
        for value in [wanted.data(), wanted.code()].into_iter().flatten() {
            match codebase {
                Some(codebase) => self.sink.place(value, Form::Under(codebase)),
                None => self.sink.place(value, Form::Address(LinkKind::Object)),
            }
        }
        if let Some(codebase) = codebase {
            self.sink.place(codebase, Form::Bound);
        }
    }
}

/// Whether a form of this method sends something instead of asking.
pub(super) fn sends(method: Option<&[u8]>) -> bool {
    method.is_some_and(|method| {
        let method = method.trim_ascii();
        method.eq_ignore_ascii_case(b"post") || method.eq_ignore_ascii_case(b"dialog")
    })
}

/// An address relative to a codebase, still relative to the page if the codebase is.
pub(crate) fn under(base: &str, address: &str) -> String {
    let is_absolute =
        address.starts_with('/') || address.split('/').next().is_some_and(|head| head.contains(':'));
    if base.is_empty() || is_absolute {
        return address.to_owned();
    }
    let folder = base.rfind('/').map_or("", |at| &base[..=at]);
    format!("{folder}{address}")
}
