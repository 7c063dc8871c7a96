//! `meta`: the one element whose values may be anything. What of it holds an address?

use super::attributes::Attributes;
use super::read::Reader;
use super::refresh::refresh;
use super::sink::{Form, Sink, Trust};
use crate::script::{Use, holds_markup, is_address};
use gleaner_model::LinkKind;
use std::borrow::Cow;

/// A value longer than this holds no address.
const ADDRESS_BYTES_MAX: usize = 8 * 1024;

impl<'a, S: Sink<'a>> Reader<'_, '_, S> {
    pub(super) fn meta(&mut self, wanted: Attributes<'_, 'a>) {
        let Some(content) = wanted.content() else { return };
        let says = |word: &[u8]| {
            let pragma = wanted.http_equiv();
            pragma.is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(word))
        };
        if S::IS_BY_PLACE {
            if says(b"refresh") {
                self.sink.place(content, Form::Refresh);
            } else if says(b"content-security-policy") {
                self.sink.place(content, Form::Bound);
            }
            return;
        }
        if says(b"refresh") {
            let content = self.decode_value(content);
            if let Some(address) = refresh(&content) {
                self.sink
                    .text(Cow::Owned(address.to_owned()), LinkKind::Refresh, false);
            }
            return;
        }
        if says(b"content-security-policy") || says(b"content-security-policy-report-only") {
            return self.reports(content);
        }
        let name = wanted.name().or(wanted.property()).or(wanted.itemprop());
        let content = self.decode_value(&content[..content.len().min(ADDRESS_BYTES_MAX)]);
        let name = match name {
            Some(name) if name.len() <= 256 => self.decode_value(name),
            _ => Cow::Borrowed(""),
        };
        if wanted.name().is_some() {
            self.page.robots.add_meta(&name, &content, self.agent);
        }
        self.meta_address(&name, content);
    }

    fn meta_address(&mut self, name: &str, content: Cow<'a, str>) {
        if memchr::memchr3(b'/', b'.', b'<', content.as_bytes()).is_none() {
            return;
        }
        let has = |word: &str| {
            let mut pieces = name.as_bytes().windows(word.len());
            pieces.any(|piece| piece.eq_ignore_ascii_case(word.as_bytes()))
        };
        if has("msapplication-task") || has("msapplication-config") && content.contains('=') {
            // `name=News; action-uri=/news; icon-uri=/i.ico`
            for part in content.split(';') {
                let Some((key, value)) = part.split_once('=') else {
                    continue;
                };
                let kind = match key.trim() {
                    "action-uri" => LinkKind::Other,
                    "icon-uri" => LinkKind::Image,
                    _ => continue,
                };
                self.sink.text(Cow::Owned(value.trim().to_owned()), kind, false);
            }
            return;
        }
        if holds_markup(&content) {
            return self.frame(content.into_owned(), Trust::Guesses);
        }
        let is_named = [
            "url",
            "uri",
            "image",
            "link",
            "href",
            "player",
            "logo",
            "thumbnail",
        ]
        .iter()
        .any(|word| has(word));
        let used = if is_named { Use::Known } else { Use::Unknown };
        let text = content.trim_ascii();
        let is_whole = text.starts_with('/') || text.starts_with('.') || text.contains("://") || is_named;
        if !is_whole || !is_address(text, used) {
            return;
        }
        let kind = if ["image", "logo", "thumbnail", "icon"]
            .iter()
            .any(|word| has(word))
        {
            LinkKind::Image
        } else if has("video") || has("audio") || has("stream") {
            LinkKind::Media
        } else {
            LinkKind::Other
        };
        let text = text.to_owned();
        self.sink.text(Cow::Owned(text), kind, false);
    }

    /// Where a policy has its breaches reported to.
    fn reports(&mut self, policy: &'a [u8]) {
        let policy = self.decode_value(policy).into_owned();
        for address in report_addresses(&policy) {
            self.guess(Cow::Owned(address.to_owned()));
        }
    }
}

/// The addresses behind `report-uri` in a policy.
pub(crate) fn report_addresses(policy: &str) -> impl Iterator<Item = &str> {
    policy
        .split(';')
        .filter_map(|rule| rule.trim_ascii_start().strip_prefix("report-uri"))
        .flat_map(str::split_ascii_whitespace)
}
