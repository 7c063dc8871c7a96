//! The places of a page that hold addresses, as they stand there: for whoever wants to change them.

use super::read::Reader;
use super::scan::Syntax;
use super::sink::{Form, Sink};
use crate::collect::Place;
use crate::text::Folded;
use encoding_rs::Encoding;
use gleaner_model::LinkKind;
use std::borrow::Cow;

/// A slice of the page, and how it holds addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed<'a> {
    pub(crate) value: &'a [u8],
    pub(crate) form: Form<'a>,
}

/// Every place of the page, not always in its order, and what the page says about its base.
pub(crate) fn places<'a>(
    input: &'a [u8],
    syntax: Syntax,
    encoding: &'static Encoding,
) -> (Vec<Placed<'a>>, Option<String>) {
    let mut sink = ByPlace::default();
    Reader::new(syntax, encoding, "", &mut sink).run(input);
    (sink.placed, sink.base)
}

#[derive(Default)]
struct ByPlace<'a> {
    placed: Vec<Placed<'a>>,
    /// The first one; the others mean nothing.
    base: Option<String>,
}

impl<'a> Sink<'a> for ByPlace<'a> {
    const IS_BY_PLACE: bool = true;

    fn place(&mut self, value: &'a [u8], form: Form<'a>) {
        self.placed.push(Placed { value, form });
    }

    fn bytes(
        &mut self,
        value: &'a [u8],
        kind: LinkKind,
        _nofollow: bool,
        _decode: impl FnOnce(&'a [u8]) -> Cow<'a, str>,
    ) -> Option<Place> {
        self.place(value, Form::Address(kind));
        None
    }

    /// What was made on the way stands nowhere.
    fn text(&mut self, _text: Cow<'a, str>, _kind: LinkKind, _nofollow: bool) -> Option<Place> {
        None
    }

    fn base(&mut self, href: &str) {
        self.base.get_or_insert_with(|| href.to_owned());
    }

    fn canonical(&mut self, _place: Place) {}

    fn wants_words(&self, _place: Place) -> bool {
        false
    }

    fn words(&mut self, _place: Place, _words: Folded) {}
}
