//! The way of one document through the room: kind, charset, then the reader of that kind.

use crate::charset::{self, Chosen};
use crate::collect::{Against, Collector};
use crate::decode::{DecodeLimits, Encoding, decode};
use crate::headers::{self, header};
use crate::html::{self, Syntax};
use crate::kind::{Kind, sniff};
use crate::{Input, Note, Parsed, css, feed, json_feed, sitemap};
use encoding_rs::UTF_8;
use gleaner_model::defaults::{PARSE_BYTES_MAX, SITEMAP_BYTES_MAX};
use gleaner_model::{LinkKind, Reason};
use std::borrow::Cow;

/// Reads a document. Never fails and never panics: what cannot be read is noted.
pub fn parse(input: &Input<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    let body = if input.is_sitemap {
        unpack(input.body, &mut parsed)
    } else {
        Cow::Borrowed(input.body)
    };
    let content_type = header(input.headers, "content-type");
    // What was packed has no announced type of its own.
    let declared = content_type.filter(|_| matches!(body, Cow::Borrowed(_)));
    let nosniff = header(input.headers, "x-content-type-options")
        .is_some_and(|v| v.trim().eq_ignore_ascii_case("nosniff"));
    let sniffed = sniff(declared, nosniff, &body);
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
    let mut bytes = body.as_ref();
    if bytes.len() > bytes_max {
        bytes = &bytes[..bytes_max];
        parsed.notes.push(Note::BytesCut {
            read: bytes_max as u64,
        });
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

/// A sitemap that is a gzip file. What came before damage or a limit is used (HC057, HC060).
fn unpack<'a>(body: &'a [u8], parsed: &mut Parsed) -> Cow<'a, [u8]> {
    if !body.starts_with(&[0x1F, 0x8B]) {
        return Cow::Borrowed(body);
    }
    let limits = DecodeLimits {
        decoded_bytes_max: SITEMAP_BYTES_MAX,
        ..DecodeLimits::default()
    };
    let mut out = Vec::new();
    let result = decode(
        body,
        body.len() as u64,
        &[Encoding::Gzip],
        &limits,
        &mut out,
        SITEMAP_BYTES_MAX as usize,
    );
    match result {
        Ok(_) => {}
        Err(reason @ Reason::DecodedTooLarge) => parsed.notes.push(Note::Expanded { reason }),
        Err(reason) => parsed.notes.push(Note::Partial {
            what: reason.meaning().to_owned(),
        }),
    }
    Cow::Owned(out)
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
        Kind::Xhtml | Kind::Image | Kind::Xml => {
            take(
                html::read(body, Syntax::Xml, encoding, input.agent, &mut links),
                parsed,
            );
        }
        Kind::Sitemap | Kind::SitemapIndex => {
            sitemap::read(
                &encoding.decode_without_bom_handling(body).0,
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
        _ => {}
    }
    if input.is_sitemap && !matches!(parsed.kind, Kind::Sitemap | Kind::SitemapIndex | Kind::Feed) {
        parsed.notes.push(Note::NotASitemap);
    }
    links.finish(input.url, parsed);
}

/// Sitemaps and feeds are known by their root element, whatever they were announced as.
fn name_by_root(body: &[u8], is_sitemap: bool, parsed: &mut Parsed) {
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
