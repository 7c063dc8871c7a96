//! Where the addresses of a page go.

use crate::collect::{Against, Collector, Place};
use crate::text::Folded;
use gleaner_model::LinkKind;
use gleaner_model::project::TypeGroup;
use std::borrow::Cow;

/// How a value holds its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form<'a> {
    Address(LinkKind),
    /// One, relative to the `codebase` beside it.
    Under(&'a [u8]),
    /// Several, separated by spaces.
    Spaced,
    Srcset,
    Refresh,
    /// CSS in an attribute.
    Style,
    /// CSS between tags. `is_raw`: character references mean nothing there.
    Sheet {
        is_raw: bool,
    },
    /// A whole page in an attribute.
    Srcdoc,
    /// No address, but true only where the page came from: base, policies, digests of what it loads.
    Bound,
    /// The same, where the mere name of the attribute means something.
    BoundName(&'static str),
}

/// Where the addresses of a page go.
pub(super) trait Sink<'a> {
    /// Whether values are wanted as they stand in the page, by [`Sink::place`], instead of the addresses in them.
    const IS_BY_PLACE: bool = false;
    fn place(&mut self, _value: &'a [u8], _form: Form<'a>) {}
    fn bytes(
        &mut self,
        bytes: &'a [u8],
        kind: LinkKind,
        nofollow: bool,
        decode: impl FnOnce(&'a [u8]) -> Cow<'a, str>,
    ) -> Option<Place>;
    fn text(&mut self, text: Cow<'a, str>, kind: LinkKind, nofollow: bool) -> Option<Place>;
    fn base(&mut self, href: &str);
    fn canonical(&mut self, place: Place);
    /// The page says of which type it is.
    fn promise(&mut self, _place: Place, _group: TypeGroup) {}
    fn wants_words(&self, place: Place) -> bool;
    fn words(&mut self, place: Place, words: Folded);
}

impl<'a> Sink<'a> for Collector<'a> {
    fn bytes(
        &mut self,
        bytes: &'a [u8],
        kind: LinkKind,
        nofollow: bool,
        decode: impl FnOnce(&'a [u8]) -> Cow<'a, str>,
    ) -> Option<Place> {
        self.add_bytes(bytes, kind, nofollow, decode)
    }

    fn text(&mut self, text: Cow<'a, str>, kind: LinkKind, nofollow: bool) -> Option<Place> {
        self.add_text(text, kind, nofollow, Against::Base)
    }

    fn base(&mut self, href: &str) {
        self.set_base(href);
    }

    fn canonical(&mut self, place: Place) {
        self.set_canonical(place);
    }

    fn promise(&mut self, place: Place, group: TypeGroup) {
        self.set_promise(place, group);
    }

    fn wants_words(&self, place: Place) -> bool {
        Collector::wants_words(self, place)
    }

    fn words(&mut self, place: Place, words: Folded) {
        self.set_words(place, words);
    }
}

/// Keeps links as owned text, for documents that were made on the way and do not stay.
pub(super) struct Sunk<'l> {
    pub(super) links: &'l mut Vec<(String, LinkKind, bool)>,
    pub(super) trust: Trust,
}

/// How the links of a document inside another one are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// As those of the page around it.
    Links,
    /// Nobody is shown them: markup in strings and comments.
    Guesses,
}

impl Sunk<'_> {
    fn sink(&mut self, text: String, kind: LinkKind, nofollow: bool) {
        match self.trust {
            Trust::Guesses if !kind.is_followed() => {}
            Trust::Guesses => self.links.push((text, LinkKind::InScript, nofollow)),
            Trust::Links => self.links.push((text, kind, nofollow)),
        }
    }
}

impl<'a> Sink<'a> for Sunk<'_> {
    fn bytes(
        &mut self,
        bytes: &'a [u8],
        kind: LinkKind,
        nofollow: bool,
        decode: impl FnOnce(&'a [u8]) -> Cow<'a, str>,
    ) -> Option<Place> {
        self.sink(decode(bytes).into_owned(), kind, nofollow);
        None
    }

    fn text(&mut self, text: Cow<'a, str>, kind: LinkKind, nofollow: bool) -> Option<Place> {
        self.sink(text.into_owned(), kind, nofollow);
        None
    }

    fn base(&mut self, _href: &str) {}

    fn canonical(&mut self, _place: Place) {}

    fn wants_words(&self, _place: Place) -> bool {
        false
    }

    fn words(&mut self, _place: Place, _words: Folded) {}
}
