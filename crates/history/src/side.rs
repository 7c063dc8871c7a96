//! How does a version become a side of a comparison? In: its URL, headers and bytes, stored or just fetched. Out: what a
//! project's equality wants to see of it, as a [`Side`].
//!
//! ```text
//!  stored record ──open──► Opened {url, headers, body} ──Lens::side──► SeenVersion {side, whole, has_text}
//! ```
//! The one idea: what has no text here (PDF, pictures), or more of it than is read, still has to differ where its bytes
//! differ. Its digest stands among the blocks as a word, so that no equality takes such a page for unchanged. A page too
//! long for blocks is one block: the digest of its words, with the digest of where its links lead.

use gleaner_frontier::retry_after::http_date;
use gleaner_judge::equality::{Chain, Ignored, Ladder, LinksDigest, Side};
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{Block, BlockKind, Content, Reason, Timestamp, Url};
use gleaner_parse::content::{self, SelectorError, Selectors};
use gleaner_parse::{DecodeLimits, decode, encodings};
use gleaner_store::{Digest, ledger};
use std::borrow::Cow;
use std::io::Read;

/// A stored version with its content encodings off.
#[derive(Debug)]
pub struct Opened {
    /// As asked for.
    pub url: Url,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Takes the content encodings off a stored version; an answer why not, where it cannot be unpacked.
pub fn open(stored: ledger::StoredContent) -> Result<Opened, Reason> {
    let headers = headers(&stored.head);
    let url = Url::parse(&stored.url).map_err(|_| Reason::Lost)?;
    let encodings = encodings(&headers)?;
    let body = if encodings.is_empty() {
        stored.body
    } else {
        let mut body = Vec::new();
        let (length, limits) = (stored.body.len() as u64, DecodeLimits::default());
        decode(
            stored.body.as_slice(),
            length,
            &encodings,
            &limits,
            &mut body,
            usize::MAX,
        )?;
        body
    };
    Ok(Opened { url, headers, body })
}

/// The fields of an HTTP head as sent, names in lower case.
pub fn headers(head: &[u8]) -> Vec<(String, String)> {
    let head = String::from_utf8_lossy(head);
    head.lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

/// What a chain looks at, made ready once for many pages.
#[derive(Debug)]
pub struct Lens {
    region: Option<Selectors>,
    /// What is left out before anything is compared.
    ignored: Option<Selectors>,
}

/// A version as a chain sees it.
#[derive(Debug)]
pub struct SeenVersion {
    pub side: Side,
    /// What the page says with the parts that the chain leaves out; none where it leaves out none.
    pub whole: Option<Content>,
    /// Whether there is text to be compared; if not, the bytes are.
    pub has_text: bool,
    /// Selectors of the chain that matched nothing on this page (HC086).
    pub matched_nothing: Vec<String>,
}

impl Lens {
    pub fn of(chain: &Chain) -> Result<Lens, SelectorError> {
        let ignored = chain.ignored_selectors();
        let region = match chain.region() {
            Some((select, exclude)) => {
                let exclude: Vec<String> = exclude.into_iter().chain(ignored.iter().cloned()).collect();
                Some(Selectors::check(&[select], &exclude)?)
            }
            None => None,
        };
        let ignored = if ignored.is_empty() {
            None
        } else {
            Some(Selectors::check(&[], &ignored)?)
        };
        Ok(Lens { region, ignored })
    }

    /// `body` without its content encodings; where ids were cleaned out of it, `digest` is still that of the body itself.
    pub fn side(&self, url: &Url, headers: &[(String, String)], body: &[u8], digest: Digest) -> SeenVersion {
        let Some(mut whole) = content::read(url, headers, body) else {
            return SeenVersion {
                side: Side::new(wordless(digest), digest.0),
                whole: None,
                has_text: false,
                matched_nothing: Vec::new(),
            };
        };
        let rest = rest_of(body);
        whole.blocks.extend(rest.clone());
        let mut matched_nothing = Vec::new();
        let mut cut = |selectors: &Option<Selectors>| {
            let cut = content::read_region(url, headers, body, selectors.as_ref()?)?;
            matched_nothing.extend(cut.matched_nothing);
            let mut content = cut.content;
            content.blocks.extend(rest.clone());
            Some(content)
        };
        let (region, seen) = (cut(&self.region), cut(&self.ignored));
        let (seen, whole) = match seen {
            Some(seen) => (seen, Some(whole)),
            None => (whole, None),
        };
        let date = headers.iter().find(|(name, _)| name == "date");
        let made = date.and_then(|(_, value)| http_date(value, Timestamp::default()));
        let mut side = Side::new(seen, digest.0).with_made(made);
        if let Some(region) = region {
            side = side.with_region(region);
        }
        matched_nothing.dedup();
        SeenVersion {
            side,
            whole,
            has_text: true,
            matched_nothing,
        }
    }
}

impl Lens {
    /// A page that is too long for blocks, read as a stream: `raw` is its body as sent, `raw_len` bytes of it. A reason
    /// where it cannot be unpacked, nothing where it has no text.
    pub fn long_side<R: Read>(
        &self,
        url: &Url,
        headers: &[(String, String)],
        raw: R,
        raw_len: u64,
        digest: Digest,
    ) -> Result<Option<SeenVersion>, Reason> {
        let mut links = LinksDigest::default();
        let words = content::read_long(url, headers, raw, raw_len, &mut |target| links.add(target))?;
        let Some(words) = words else { return Ok(None) };
        let mut content = wordless(digest);
        content.blocks = vec![Block {
            links: vec![format!("links:{:016x}", links.finish())],
            ..word_block("words", &words)
        }];
        let mut side = Side::new(content.clone(), digest.0);
        if self.region.is_some() {
            side = side.with_region(content);
        }
        Ok(Some(SeenVersion {
            side,
            whole: None,
            has_text: true,
            matched_nothing: Vec::new(),
        }))
    }
}

impl SeenVersion {
    /// What the page says, all of it.
    pub fn content(&self) -> &Content {
        self.whole.as_ref().unwrap_or(self.side.content())
    }

    /// The digests at all levels, of the page before anything was left out, so that another chain can use them.
    pub fn ladder(&self) -> Cow<'_, Ladder> {
        match &self.whole {
            Some(whole) => Cow::Owned(Ladder::of(whole, *self.side.bytes())),
            None => Cow::Borrowed(self.side.ladder()),
        }
    }
}

/// A document without text, as its digest.
fn wordless(digest: Digest) -> Content {
    let mut normal_digest = [0; 16];
    normal_digest.copy_from_slice(&digest.0[..16]);
    Content {
        title: String::new(),
        blocks: vec![digest_block("bytes", digest)],
        normal_digest,
    }
}

/// What lies behind the part that is read, as its digest; none where all of it is read.
fn rest_of(body: &[u8]) -> Option<Block> {
    let rest = body.get(PARSE_BYTES_MAX..).filter(|rest| !rest.is_empty())?;
    Some(digest_block("beyond 16 MiB", Digest::of(rest)))
}

fn digest_block(path: &str, digest: Digest) -> Block {
    word_block(path, &digest.0)
}

/// In letters: digits would be masked as numbers by the equalities that overlook those.
fn word_block(path: &str, digest: &[u8]) -> Block {
    let letter = |half: u8| char::from(b'a' + half);
    Block {
        path: path.to_owned(),
        kind: BlockKind::Other,
        text: digest
            .iter()
            .flat_map(|byte| [letter(byte >> 4), letter(byte & 15)])
            .collect(),
        is_main: true,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    }
}

/// Entries of what was ignored that are kept with a version, and bytes of each text.
const IGNORED_MAX: usize = 100;
const IGNORED_TEXT_BYTES_MAX: usize = 400;

/// What was ignored, as it is kept with a version: JSON, long texts cut. None where nothing was.
pub fn ignored_json(ignored: &[Ignored]) -> Option<String> {
    if ignored.is_empty() {
        return None;
    }
    let short = |text: &Option<String>| {
        text.as_ref().map(|text| {
            let mut end = text.len().min(IGNORED_TEXT_BYTES_MAX);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text[..end].to_owned()
        })
    };
    let kept: Vec<Ignored> = ignored
        .iter()
        .take(IGNORED_MAX)
        .map(|one| Ignored {
            path: one.path.clone(),
            why: one.why.clone(),
            before: short(&one.before),
            after: short(&one.after),
        })
        .collect();
    serde_json::to_string(&kept).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(chain: &str, headers: &[(&str, &str)], body: &[u8]) -> SeenVersion {
        let chain = Chain::parse(chain).expect("a chain");
        let headers: Vec<(String, String)> = headers
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let url = Url::parse("http://a.test/x").expect("an address");
        Lens::of(&chain)
            .expect("selectors")
            .side(&url, &headers, body, Digest::of(body))
    }

    #[test]
    fn what_has_no_text_differs_with_its_bytes() {
        for chain in [
            "main,learned",
            "visible",
            "normalised",
            "exact",
            "near",
            "main,ignore:regex=x",
        ] {
            let pdf = |end: &str| {
                let body = format!("%PDF-1.7 {end}");
                sight(chain, &[("content-type", "application/pdf")], body.as_bytes())
            };
            let parsed = Chain::parse(chain).expect("a chain");
            assert!(!pdf("a").has_text);
            assert!(parsed.judge(&pdf("a").side, &pdf("a").side).is_same(), "{chain}");
            assert!(!parsed.judge(&pdf("a").side, &pdf("b").side).is_same(), "{chain}");
        }
    }

    #[test]
    fn hc087_what_is_not_read_still_counts() {
        let mut long = b"a line\n".repeat(PARSE_BYTES_MAX / 7 + 10);
        let before = sight("main", &[("content-type", "text/plain")], &long);
        *long.last_mut().expect("a byte") = b'x';
        let after = sight("main", &[("content-type", "text/plain")], &long);
        let chain = Chain::parse("main").expect("a chain");
        assert!(!chain.judge(&before.side, &after.side).is_same());
    }

    #[test]
    fn a_selector_cuts_and_says_what_it_did_not_find() {
        let html = b"<title>t</title><p>one</p><div class=ad>two</div>";
        let seen = sight("main,ignore:select=.ad", &[("content-type", "text/html")], html);
        assert_eq!(
            (seen.side.content().blocks.len(), seen.content().blocks.len()),
            (1, 2)
        );
        assert!(seen.matched_nothing.is_empty());
        let none = sight("region:select=.price", &[("content-type", "text/html")], html);
        assert_eq!(none.matched_nothing, [".price"]);
    }

    #[test]
    fn what_was_ignored_is_kept_short() {
        let long = Ignored {
            path: "p".to_owned(),
            why: "noise".to_owned(),
            before: Some("ä".repeat(5000)),
            after: None,
        };
        let json = ignored_json(&vec![long; 500]).expect("something");
        assert!(json.len() < 100 * 700);
        assert_eq!(ignored_json(&[]), None);
    }
}
