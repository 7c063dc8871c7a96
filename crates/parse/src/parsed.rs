//! What goes into the room and what comes out of it.

use crate::{Charset, Kind, RobotsMeta};
use gleaner_model::project::TypeGroup;
use gleaner_model::{Link, Reason, Url};

/// One answer of a server, ready to be read.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The final canonical URL of the page.
    pub url: &'a Url,
    /// The response headers, names in lower case.
    pub headers: &'a [(String, String)],
    /// The body with its content encodings removed, cut at `PARSE_BYTES_MAX` by the caller if it was longer.
    pub body: &'a [u8],
    /// The product token that robots meta tags and `X-Robots-Tag` may name.
    pub agent: &'a str,
    /// It was asked for as a sitemap: gzip bodies are unpacked and plain lists of URLs are accepted.
    pub is_sitemap: bool,
}

/// What the bytes said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    pub kind: Kind,
    /// The effective type, lower case, without parameters: the content decides (HC030).
    pub media_type: String,
    /// The announced type and the content disagree.
    pub declared_mismatch: bool,
    /// For textual kinds.
    pub charset: Option<Charset>,
    /// White space folded, at most `TITLE_CHARS_MAX` characters, markup and odd characters kept as they are.
    pub title: String,
    pub robots: RobotsMeta,
    /// The page's own word on its address: the first `<link rel=canonical>`, else the `Link` header's.
    pub canonical: Option<Url>,
    /// One per URL and kind, in the order of first occurrence, at most `LINKS_PER_PAGE_MAX`.
    pub links: Vec<Link>,
    /// Addresses that the page holds without promising that anything is there ([`gleaner_model::LinkKind::is_guess`]); none
    /// that is among `links`.
    pub guesses: Vec<Link>,
    /// The text of those links whose authors' mistakes were repaired (A9, HC033), in the order of `links`: hardly ever any.
    pub originals: Vec<Original>,
    /// The types that the page itself gives for some of its links (`type=`), by their place in `links`, in their order.
    pub promises: Vec<(u32, TypeGroup)>,
    /// For sitemaps, at most `SITEMAP_ENTRIES_MAX`.
    pub entries: Vec<SitemapEntry>,
    /// How many links had a scheme that is not fetched (`javascript`, `mailto`, `data` …), by scheme (HC032).
    pub other_schemes: Vec<(String, u32)>,
    /// What was cut or repaired.
    pub notes: Vec<Note>,
}

/// A link as it stood on the page, where that is not what is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its place in `links`. Several spellings of one link have one original, the first.
    pub link: u32,
    /// As written, entities resolved, without the white space around it.
    pub text: Box<str>,
}

/// One `<url>` or `<sitemap>` of a sitemap, or one line of a text sitemap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapEntry {
    pub url: Url,
    /// As written.
    pub lastmod: Option<String>,
    /// It stands in an index: what it names is a sitemap, not a page.
    pub is_sitemap: bool,
}

/// Something a reader of the result must know: a cut, a repair, a doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// The page holds more links than the limit; `dropped` occurrences were only counted.
    LinksCut { dropped: u64 },
    /// A sitemap holds more entries than the limit.
    EntriesCut { dropped: u64 },
    /// Only the first bytes were read.
    BytesCut { read: u64 },
    /// The document or its unpacked form grew past its limit.
    Expanded { reason: Reason },
    /// Elements of foreign content nest deeper than the limit; deeper ones are read without regard to nesting.
    DepthCut,
    /// Start tags with more attributes than the limit; the rest of their attributes was not read.
    AttributesCut { tags: u64 },
    /// XML that breaks off or is not well-formed; what came before was used.
    Partial { what: String },
    /// XML beyond its limits; what came before was used.
    TooComplex,
    /// Links longer than the limit on URLs.
    UrlTooLong { count: u64 },
    /// Links that are no URLs.
    BrokenUrls { count: u64 },
    /// It was asked for as a sitemap and is none.
    NotASitemap,
    /// A document whose text and links could not be read.
    Unread { reason: Reason },
    /// A charset label that no standard knows was passed over.
    UnknownCharset { label: String },
}

impl Note {
    /// The stable code, as in reports.
    pub fn code(&self) -> &'static str {
        match self {
            Note::LinksCut { .. } => "links-cut",
            Note::EntriesCut { .. } => "entries-cut",
            Note::BytesCut { .. } => "bytes-cut",
            Note::Expanded { reason } | Note::Unread { reason } => reason.code(),
            Note::DepthCut => "depth-cut",
            Note::AttributesCut { .. } => "attributes-cut",
            Note::Partial { .. } => "partial",
            Note::TooComplex => Reason::XmlTooComplex.code(),
            Note::UrlTooLong { .. } => Reason::UrlTooLong.code(),
            Note::BrokenUrls { .. } => "broken-urls",
            Note::NotASitemap => "not-a-sitemap",
            Note::UnknownCharset { .. } => "unknown-charset",
        }
    }
}
