//! The way of one document through the room: kind, charset, then the reader of that kind.

use crate::charset::{self, Charset, CharsetSource, Chosen};
use crate::collect::{Against, Collector};
use crate::decode::{DecodeLimits, Encoding, reader, reason_of};
use crate::headers::{self, header};
use crate::html::{self, Syntax};
use crate::kind::{Kind, sniff};
use crate::script::{self, Code, Hint};
use crate::sitemap::Source;
use crate::{Input, Note, Parsed, css, dublin_core, feed, json_feed, mail, sitemap};
use encoding_rs::UTF_8;
use gleaner_model::defaults::{PARSE_BYTES_MAX, SITEMAP_BYTES_MAX};
use gleaner_model::{LinkKind, Reason};
use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};

/// Reads a document. Never fails and never panics: what cannot be read is noted.
pub fn parse(input: &Input<'_>) -> Parsed {
    if input.is_sitemap && is_gzip(input.body) {
        return parse_sitemap(input, input.body, input.body.len() as u64, &[]).parsed;
    }
    parse_body(input, input.body, Parsed::default(), Origin::AsAnnounced)
}

/// A sitemap that was read as a stream.
#[derive(Debug)]
pub struct Streamed {
    pub parsed: Parsed,
    /// Content encodings taken off; a file that is gzip by itself counts unpacked.
    pub decoded_bytes: u64,
}

/// Reads a sitemap from `raw`, `raw_len` bytes on the wire, as [`parse`] would with `input.body` (which is not looked
/// at), but holds no more of it in memory than one piece of XML and the entries (HC057, HC059). What is no XML sitemap in
/// UTF-8 (lists of URLs, feeds, other charsets) is read in memory, up to [`PARSE_BYTES_MAX`]. What came before damage or
/// a limit is used (HC060).
pub fn parse_sitemap<R: Read>(input: &Input<'_>, raw: R, raw_len: u64, encodings: &[Encoding]) -> Streamed {
    let mut parsed = Parsed::default();
    let limits = DecodeLimits {
        decoded_bytes_max: SITEMAP_BYTES_MAX,
        ..DecodeLimits::default()
    };
    let count = Cell::new(0);
    let mut origin = Origin::AsAnnounced;
    let opened = reader(raw, raw_len, encodings, &limits).and_then(|mut from| {
        let start = from.fill_buf().map_err(|e| reason_of(&e))?;
        if !is_gzip(start) {
            return Ok(from);
        }
        origin = Origin::Unpacked;
        reader(from, raw_len, &[Encoding::Gzip], &limits)
    });
    let opened = opened.and_then(|mut from| match from.fill_buf() {
        Ok(_) => Ok(from),
        Err(e) => Err(reason_of(&e)),
    });
    let mut from = match opened {
        Ok(from) => from,
        Err(reason) => {
            parsed.notes.push(unreadable(reason));
            let parsed = parse_body(input, &[], parsed, origin);
            return Streamed {
                parsed,
                decoded_bytes: 0,
            };
        }
    };
    if let Some(kind) = from
        .fill_buf()
        .ok()
        .and_then(|head| streamable(input, head, origin))
    {
        parsed.kind = kind;
        "application/xml".clone_into(&mut parsed.media_type);
        parsed.charset = Some(Charset {
            name: UTF_8.name(),
            source: CharsetSource::Default,
        });
        let mut links = Collector::new(input.url, UTF_8);
        headers::read(input, &mut links, &mut parsed);
        let counted = BufReader::with_capacity(STREAM_BYTES, Counting { from, count: &count });
        sitemap::read(
            Source::Stream(Box::new(counted)),
            input.url,
            &mut links,
            &mut parsed,
        );
        links.finish(input.url, &mut parsed);
    } else {
        let mut body = Vec::new();
        let mut counted = Counting { from, count: &count };
        let read = (&mut counted).take(PARSE_BYTES_MAX as u64).read_to_end(&mut body);
        if let Err(e) = read {
            parsed.notes.push(unreadable(reason_of(&e)));
        } else if body.len() == PARSE_BYTES_MAX {
            parsed.notes.push(Note::BytesCut {
                read: PARSE_BYTES_MAX as u64,
            });
        }
        parsed = parse_body(input, &body, parsed, origin);
    }
    Streamed {
        parsed,
        decoded_bytes: count.get(),
    }
}

const STREAM_BYTES: usize = 64 * 1024;
/// Addresses that are taken from a script, JSON or a plain text.
const HINTS_MAX: u32 = 2_000;

/// Whether the announced type is that of the bytes at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    AsAnnounced,
    /// What was packed has no announced type of its own.
    Unpacked,
}

fn is_gzip(start: &[u8]) -> bool {
    start.starts_with(&[0x1F, 0x8B])
}

fn unreadable(reason: Reason) -> Note {
    match reason {
        Reason::DecodedTooLarge => Note::Expanded { reason },
        reason => Note::Partial {
            what: reason.meaning().to_owned(),
        },
    }
}

/// The kind of an XML sitemap in UTF-8, by its first bytes.
fn streamable(input: &Input<'_>, head: &[u8], origin: Origin) -> Option<Kind> {
    let content_type = header(input.headers, "content-type").filter(|_| origin == Origin::AsAnnounced);
    let chosen = charset::choose(Kind::Xml, content_type, None, head);
    if chosen.encoding != UTF_8 {
        return None;
    }
    let head = head
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(head)
        .trim_ascii_start();
    sitemap::kind_of_root(html::root(head)?)
}

struct Counting<'c, R> {
    from: R,
    count: &'c Cell<u64>,
}

impl<R: Read> Read for Counting<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let got = self.from.read(buf)?;
        self.count.set(self.count.get() + got as u64);
        Ok(got)
    }
}

fn parse_body(input: &Input<'_>, body: &[u8], mut parsed: Parsed, origin: Origin) -> Parsed {
    let content_type = header(input.headers, "content-type");
    let declared = content_type.filter(|_| origin == Origin::AsAnnounced);
    let nosniff = header(input.headers, "x-content-type-options")
        .is_some_and(|v| v.trim().eq_ignore_ascii_case("nosniff"));
    let sniffed = sniff(declared, nosniff, body);
    parsed.kind = sniffed.kind;
    parsed.media_type = sniffed.media_type;
    parsed.declared_mismatch = sniffed.mismatch;

    let has_markup = parsed.media_type == "image/svg+xml";
    if !parsed.kind.is_textual() && !has_markup {
        let mut links = Collector::new(input.url, UTF_8);
        headers::read(input, &mut links, &mut parsed);
        if input.is_sitemap {
            parsed.notes.push(Note::NotASitemap);
        }
        links.finish(input.url, &mut parsed);
        return parsed;
    }
    let bytes_max = if input.is_sitemap {
        SITEMAP_BYTES_MAX as usize
    } else {
        PARSE_BYTES_MAX
    };
    let mut bytes = body;
    if bytes.len() > bytes_max {
        bytes = &bytes[..bytes_max];
        parsed.notes.push(Note::BytesCut {
            read: bytes_max as u64,
        });
    }
    if mail::is_mail(&parsed.media_type) && !input.is_sitemap {
        mail::read(input, bytes, &mut parsed);
        return parsed;
    }
    let tld = input.url.host().rsplit('.').next();
    let chosen = charset::choose(parsed.kind, content_type, tld, bytes);
    parsed.charset = Some(chosen.charset());
    if let Some(label) = &chosen.unknown_label {
        parsed.notes.push(Note::UnknownCharset { label: label.clone() });
    }
    read(input, bytes, &chosen, &mut parsed);
    parsed
}

fn read(input: &Input<'_>, body: &[u8], chosen: &Chosen, parsed: &mut Parsed) {
    // Charsets that hide ASCII bytes inside characters are turned into UTF-8 before anything looks for tags.
    let (body, encoding) = if chosen.encoding.is_ascii_compatible() {
        (Cow::Borrowed(body), chosen.encoding)
    } else {
        (
            Cow::Owned(
                chosen
                    .encoding
                    .decode_with_bom_removal(body)
                    .0
                    .into_owned()
                    .into_bytes(),
            ),
            UTF_8,
        )
    };
    let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&body);
    name_by_root(body, input.is_sitemap, parsed);
    let mut links = Collector::new(input.url, chosen.encoding);
    headers::read(input, &mut links, parsed);
    match parsed.kind {
        Kind::Html => take(
            html::read(body, Syntax::Html, encoding, input.agent, &mut links),
            parsed,
        ),
        Kind::Xml if html::root(body).is_some_and(dublin_core::is_root) => {
            let text = encoding.decode_without_bom_handling(body).0;
            dublin_core::read(&text, &mut links, parsed);
        }
        Kind::Xhtml | Kind::Image | Kind::Xml => {
            take(
                html::read(body, Syntax::Xml, encoding, input.agent, &mut links),
                parsed,
            );
        }
        Kind::Sitemap | Kind::SitemapIndex => {
            sitemap::read(
                Source::Text(&encoding.decode_without_bom_handling(body).0),
                input.url,
                &mut links,
                parsed,
            );
        }
        Kind::Feed if body.trim_ascii_start().starts_with(b"<") => {
            feed::read(
                &encoding.decode_without_bom_handling(body).0,
                input,
                &mut links,
                parsed,
            );
        }
        Kind::Feed | Kind::Json if json_feed::is_feed(body) => {
            parsed.kind = Kind::Feed;
            json_feed::read(
                &encoding.decode_without_bom_handling(body).0,
                input,
                &mut links,
                parsed,
            );
        }
        Kind::Css => css::scan(body, |raw| {
            let address = css::unescape(encoding.decode_without_bom_handling(raw).0);
            links.add_text(address, LinkKind::Style, false, Against::Page);
        }),
        Kind::Text if input.is_sitemap => {
            let text = encoding.decode_without_bom_handling(body).0;
            parsed.kind = sitemap::read_text(&text, input.url, parsed);
        }
        Kind::Script => {
            hints(
                &encoding.decode_without_bom_handling(body).0,
                Code::Script,
                input,
                &mut links,
            );
        }
        Kind::Text => lines(&encoding.decode_without_bom_handling(body).0, &mut links),
        Kind::Json => hints(
            &encoding.decode_without_bom_handling(body).0,
            Code::Data,
            input,
            &mut links,
        ),
        _ => {}
    }
    if input.is_sitemap && !matches!(parsed.kind, Kind::Sitemap | Kind::SitemapIndex | Kind::Feed) {
        parsed.notes.push(Note::NotASitemap);
    }
    links.finish(input.url, parsed);
}

/// Addresses in a script or in JSON that is a document of its own. Those of a script are relative to whatever page runs it, so
/// only what needs no page is taken.
fn hints(text: &str, code: Code, input: &Input<'_>, links: &mut Collector<'_>) {
    let mut left = HINTS_MAX;
    script::scan(text, code, &mut |hint| {
        let is_whole =
            |address: &str| code == Code::Data || address.starts_with('/') || address.contains("://");
        match hint {
            _ if left == 0 => {}
            Hint::Markup(html) => {
                left -= 1;
                html::read_hidden(&html, input.agent, links);
            }
            Hint::Address(address) if is_whole(&address) => {
                left -= 1;
                let address = Cow::Owned(address.into_owned());
                links.add_text(address, LinkKind::InScript, false, Against::Page);
            }
            Hint::Address(_) => {}
        }
    });
}

/// A plain text: a line that is an address is a link, one inside a sentence a guess.
fn lines(text: &str, links: &mut Collector<'_>) {
    let mut left = HINTS_MAX;
    for line in text.lines() {
        script::words(line, &mut |word| {
            let is_alone = line.trim().len() == word.len();
            let kind = if is_alone {
                LinkKind::Link
            } else {
                LinkKind::InScript
            };
            if left > 0 {
                left -= 1;
                links.add_text(Cow::Owned(word.to_owned()), kind, false, Against::Page);
            }
        });
    }
}

/// Sitemaps and feeds are known by their root element, whatever they were announced as.
pub(crate) fn name_by_root(body: &[u8], is_sitemap: bool, parsed: &mut Parsed) {
    let head = body.trim_ascii_start();
    if is_sitemap && parsed.kind == Kind::Html && !head.starts_with(b"<") {
        // A list of URLs announced as HTML.
        parsed.kind = Kind::Text;
        return;
    }
    let may_be = match parsed.kind {
        Kind::Xml | Kind::Xhtml | Kind::Feed => true,
        Kind::Html | Kind::Text => {
            is_sitemap
                || [&b"<?xml"[..], b"<urlset", b"<sitemapindex"]
                    .iter()
                    .any(|open| head.starts_with(open))
        }
        _ => false,
    };
    let Some(root) = may_be.then(|| html::root(head)).flatten() else {
        return;
    };
    let was_markup = matches!(parsed.kind, Kind::Xml | Kind::Xhtml | Kind::Feed);
    let kind = if feed::is_root(root) {
        Some(Kind::Feed)
    } else {
        sitemap::kind_of_root(root)
    };
    let Some(kind) = kind else { return };
    if kind == Kind::Feed && root == "RDF" && memchr::memmem::find(head, b"purl.org/rss").is_none() {
        return;
    }
    parsed.kind = kind;
    if !was_markup {
        parsed.declared_mismatch = true;
        "application/xml".clone_into(&mut parsed.media_type);
    }
}

fn take(mut page: html::Page, parsed: &mut Parsed) {
    parsed.title = page.title;
    parsed.robots.merge(page.robots);
    parsed.notes.append(&mut page.notes);
}
