//! HTML inside another document: frames that carry theirs in an attribute, conditional comments, strings of scripts, entries of
//! feeds.

use super::read::Reader;
use super::scan::Syntax;
use super::sink::{Sunk, Trust};
use crate::Note;
use crate::collect::{Against, Collector};
use encoding_rs::UTF_8;
use gleaner_model::LinkKind;
use std::borrow::Cow;

/// Reads HTML that lies inside another document: the text of a feed's entry. Its links go to `links`.
pub(crate) fn read_inner(html: &str, agent: &str, links: &mut Collector<'_>) {
    let mut found = Inner::default();
    found.read(html, Trust::Links, agent);
    found.hand_over(links, &mut Vec::new());
}

/// The same for HTML that nobody is shown: strings in a script.
pub(crate) fn read_hidden(html: &str, agent: &str, links: &mut Collector<'_>) {
    let mut found = Inner::default();
    found.read(html, Trust::Guesses, agent);
    found.hand_over(links, &mut Vec::new());
}

/// A document inside the page.
pub(super) struct Frame {
    pub(super) html: String,
    pub(super) trust: Trust,
}

/// The links of a frame's own document. They are owned, because the text they lie in was made on the way.
#[derive(Default)]
pub(super) struct Inner {
    links: Vec<(String, LinkKind, bool)>,
    frames: Vec<Frame>,
    pub(super) notes: Vec<Note>,
}

impl Inner {
    pub(super) fn read(&mut self, html: &str, trust: Trust, agent: &str) {
        let mut sink = Sunk {
            links: &mut self.links,
            trust,
        };
        let mut reader = Reader::new(Syntax::Html, UTF_8, agent, &mut sink);
        reader.run(html.as_bytes());
        self.frames = std::mem::take(&mut reader.frames);
        if trust == Trust::Guesses {
            for frame in &mut self.frames {
                frame.trust = Trust::Guesses;
            }
        }
        self.notes = reader.finish().notes;
    }

    pub(super) fn hand_over(&mut self, links: &mut Collector<'_>, frames: &mut Vec<Frame>) {
        for (text, kind, nofollow) in self.links.drain(..) {
            links.add_text(Cow::Owned(text), kind, nofollow, Against::Base);
        }
        frames.append(&mut self.frames);
    }
}
