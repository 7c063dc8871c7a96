//! One pass over a page: every token to where it belongs (HC084).
//!
//! Text goes to the title, a style sheet, the words of the open link, or nowhere; start tags go to [`super::places`].

use super::attributes::Attributes;
use super::entities::Place as EntityPlace;
use super::foreign::{Foreign, Space};
use super::inner::{Frame, Inner};
use super::scan::{Key, Raw, Scanner, Syntax, Token, key};
use super::sink::{Sink, Trust};
use super::value::{decode, local};
use crate::collect::{Collector, Place};
use crate::script::Code;
use crate::text::Folded;
use crate::{Note, RobotsMeta};
use encoding_rs::Encoding;
use gleaner_model::LinkKind;
use gleaner_model::defaults::TITLE_CHARS_MAX;

/// Frames inside `srcdoc` inside `srcdoc`: each is smaller than the one around it, so few rounds are enough.
const SRCDOC_DEPTH_MAX: usize = 3;
/// Addresses in scripts and comments of one document.
const HINTS_MAX: u32 = 500;

/// What a page says besides its links.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) robots: RobotsMeta,
    pub(crate) notes: Vec<Note>,
}

/// Reads a page whose bytes are in `encoding`, an ASCII-compatible one, and puts its links into `links`.
pub(crate) fn read<'a>(
    input: &'a [u8],
    syntax: Syntax,
    encoding: &'static Encoding,
    agent: &str,
    links: &mut Collector<'a>,
) -> Page {
    let mut reader = Reader::new(syntax, encoding, agent, links);
    reader.run(input);
    let mut frames = std::mem::take(&mut reader.frames);
    let mut page = reader.finish();
    // Frames that carry their document in an attribute: they share the base of the page around them.
    for _ in 0..SRCDOC_DEPTH_MAX {
        let mut inner = Vec::new();
        for frame in frames {
            let mut found = Inner::default();
            found.read(&frame.html, frame.trust, agent);
            found.hand_over(links, &mut inner);
            page.notes.append(&mut found.notes);
        }
        frames = inner;
        if frames.is_empty() {
            break;
        }
    }
    page
}

/// What a script element holds, by its type.
fn script_of(kind: Option<&[u8]>) -> Next {
    let Some(kind) = kind else { return Next::Script };
    let kind = kind.split(|&b| b == b';').next().unwrap_or(&[]).trim_ascii();
    let is = |word: &str| kind.eq_ignore_ascii_case(word.as_bytes());
    let ends = |word: &str| {
        let start = kind.len().saturating_sub(word.len());
        kind[start..].eq_ignore_ascii_case(word.as_bytes())
    };
    if kind.is_empty() || is("module") || ends("javascript") || ends("ecmascript") || ends("script") {
        Next::Script
    } else if is("importmap") || is("speculationrules") {
        Next::Map
    } else if ends("json") {
        Next::Data
    } else if ends("template") || ends("html") || ends("tmpl") || ends("mustache") || ends("handlebars") {
        Next::Template
    } else {
        Next::Nobody
    }
}

/// The link that is open, and its words so far.
pub(super) struct Anchor {
    pub(super) place: Place,
    pub(super) words: Folded,
}

/// Whom the text that comes next belongs to. Any tag ends it: raw text holds none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The open link, if there is one.
    Words,
    Title,
    Style,
    /// A script that a browser runs.
    Script,
    /// JSON in a script element.
    Data,
    /// The same that says where modules are, or what is asked for ahead.
    Map,
    /// A template: HTML in a script element.
    Template,
    /// What only browsers without frames show.
    Fallback,
    /// A second title, what was typed into a form.
    Nobody,
}

pub(super) struct Reader<'s, 'g, S> {
    pub(super) syntax: Syntax,
    pub(super) encoding: &'static Encoding,
    pub(super) agent: &'g str,
    pub(super) sink: &'s mut S,
    foreign: Foreign,
    pub(super) anchor: Option<Anchor>,
    title: Option<Folded>,
    next: Next,
    /// A form inside a form is no form.
    pub(super) is_in_form: bool,
    pub(super) frames: Vec<Frame>,
    /// How the open form is sent.
    pub(super) form_sends: bool,
    /// Addresses in scripts and comments that may still be taken from this document.
    pub(super) hints_left: u32,
    pub(super) page: Page,
}

impl<'a, 's, 'g, S: Sink<'a>> Reader<'s, 'g, S> {
    pub(super) fn new(syntax: Syntax, encoding: &'static Encoding, agent: &'g str, sink: &'s mut S) -> Self {
        Reader {
            syntax,
            encoding,
            agent,
            sink,
            foreign: Foreign::default(),
            anchor: None,
            title: None,
            next: Next::Words,
            is_in_form: false,
            frames: Vec::new(),
            form_sends: false,
            hints_left: HINTS_MAX,
            page: Page::default(),
        }
    }

    pub(super) fn run(&mut self, input: &'a [u8]) {
        let mut scanner = Scanner::new(input, self.syntax);
        while let Some(token) = scanner.next() {
            match token {
                Token::Text { bytes, is_raw } => self.text(bytes, is_raw),
                Token::Start {
                    name,
                    key,
                    is_self_closing,
                } => self.start(&mut scanner, name, key, is_self_closing),
                Token::End { key, .. } => self.end(&mut scanner, key),
                Token::Instruction(text) => self.instruction(text),
                Token::Comment(text) => self.comment(text),
                Token::Doctype(text) => self.doctype(text),
            }
        }
        self.close_anchor();
        if scanner.tags_cut > 0 {
            self.page.notes.push(Note::AttributesCut {
                tags: scanner.tags_cut,
            });
        }
        if self.foreign.is_cut {
            self.page.notes.push(Note::DepthCut);
        }
    }

    pub(super) fn finish(mut self) -> Page {
        self.page.title = self.title.take().map(Folded::finish).unwrap_or_default();
        self.page
    }

    fn text(&mut self, bytes: &'a [u8], is_raw: bool) {
        let words = match self.next {
            Next::Style => return self.styles(bytes, is_raw),
            Next::Script => return self.script(bytes, Code::Script),
            Next::Data => return self.script(bytes, Code::Data),
            Next::Map => return self.map(bytes),
            Next::Template => return self.hidden(bytes, Trust::Guesses),
            Next::Fallback => return self.hidden(bytes, Trust::Links),
            Next::Nobody => return,
            Next::Title => self.title.as_mut(),
            Next::Words => self.anchor.as_mut().map(|anchor| &mut anchor.words),
        };
        if let Some(words) = words
            && !words.is_full()
        {
            // Text far longer than any limit is not decoded as a whole; a cut character would show behind the limit.
            let bytes = &bytes[..bytes.len().min(TITLE_CHARS_MAX * 64)];
            words.push(&decode(
                bytes,
                self.encoding,
                (!is_raw).then_some(EntityPlace::Text),
            ));
        }
    }

    fn instruction(&mut self, text: &'a [u8]) {
        let Some(rest) = text.strip_prefix(b"xml-stylesheet") else {
            return;
        };
        let Some(at) = memchr::memmem::find(rest, b"href=") else {
            return;
        };
        let rest = &rest[at + 5..];
        if let Some(&quote @ (b'"' | b'\'')) = rest.first()
            && let Some(end) = memchr::memchr(quote, &rest[1..])
        {
            self.link(&rest[1..=end], LinkKind::Style);
        }
    }

    fn end(&mut self, scanner: &mut Scanner<'a>, key: Key) {
        const A: Key = self::key("a");
        const FORM: Key = self::key("form");
        self.next = Next::Words;
        match key {
            A => self.close_anchor(),
            FORM => self.is_in_form = false,
            _ => {}
        }
        if self.syntax == Syntax::Html {
            self.foreign.end(key);
            scanner.is_foreign = self.foreign.is_inside();
        }
    }

    pub(super) fn close_anchor(&mut self) {
        if let Some(anchor) = self.anchor.take() {
            self.sink.words(anchor.place, anchor.words);
        }
    }

    fn start(&mut self, scanner: &mut Scanner<'a>, name: &'a [u8], key: Key, is_self_closing: bool) {
        self.next = Next::Words;
        let space = match self.syntax {
            Syntax::Html => {
                let space = self.foreign.start(key, &scanner.attributes, is_self_closing);
                scanner.is_foreign = self.foreign.is_inside();
                space
            }
            Syntax::Xml => Space::Html,
        };
        // Prefixed names (`svg:a`, `xhtml:link`) are taken by their local part in XML.
        let key = if self.syntax == Syntax::Xml {
            local(name, key)
        } else {
            key
        };
        self.raw_text(scanner, name, key, space, is_self_closing);
        if !scanner.attributes.is_empty() {
            let wanted = Attributes::of(scanner);
            self.element(key, space, wanted);
        } else if key == self::key("form") {
            self.is_in_form = true;
        } else if key == self::key("a") && space == Space::Html {
            self.close_anchor();
        }
    }

    /// Title, style, script and their like: what they hold is not markup.
    fn raw_text(
        &mut self,
        scanner: &mut Scanner<'a>,
        name: &'a [u8],
        key: Key,
        space: Space,
        is_self_closing: bool,
    ) {
        const TITLE: Key = self::key("title");
        const TEXTAREA: Key = self::key("textarea");
        const STYLE: Key = self::key("style");
        const XMP: Key = self::key("xmp");
        const IFRAME: Key = self::key("iframe");
        const NOEMBED: Key = self::key("noembed");
        const NOFRAMES: Key = self::key("noframes");
        const SCRIPT: Key = self::key("script");
        const PLAINTEXT: Key = self::key("plaintext");
        let is_xml = self.syntax == Syntax::Xml;
        if is_xml && is_self_closing {
            return;
        }
        match key {
            TITLE if space == Space::Html => {
                // Only the first title of a page is its title.
                self.next = if self.title.is_none() {
                    Next::Title
                } else {
                    Next::Nobody
                };
                self.title.get_or_insert_with(|| Folded::new(TITLE_CHARS_MAX));
                if !is_xml {
                    scanner.enter(Raw::Rcdata(name));
                }
            }
            STYLE if !is_self_closing || space == Space::Html => {
                self.next = Next::Style;
                if !is_xml && space == Space::Html {
                    scanner.enter(Raw::Rawtext(name));
                }
            }
            SCRIPT if (is_xml || space != Space::Html) && !is_self_closing => {
                self.next = script_of(Attributes::of(scanner).kind());
            }
            _ if is_xml || space != Space::Html => {}
            TEXTAREA => {
                self.next = Next::Nobody;
                scanner.enter(Raw::Rcdata(name));
            }
            XMP | IFRAME | NOEMBED | NOFRAMES => {
                self.next = if key == XMP { Next::Words } else { Next::Fallback };
                scanner.enter(Raw::Rawtext(name));
            }
            SCRIPT => {
                self.next = script_of(Attributes::of(scanner).kind());
                scanner.enter(Raw::Script(name));
            }
            PLAINTEXT => scanner.enter(Raw::Plaintext),
            _ => {}
        }
    }
}
