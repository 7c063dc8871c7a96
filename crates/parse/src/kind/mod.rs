//! What kind of document is this? By its first bytes, its announced type and its name, in that order of trust (A6).

mod groups;
mod sniff;

pub use groups::{group_at, group_of, group_of_extension, packed_group};
pub use sniff::{Sniffed, sniff};

/// What a document is to us: how it is read, and how it is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    Html,
    /// HTML written as XML: elements close themselves and nothing is raw text.
    Xhtml,
    Sitemap,
    SitemapIndex,
    /// RSS, Atom or JSON Feed.
    Feed,
    Xml,
    Css,
    Script,
    Text,
    Json,
    Pdf,
    /// Office formats, PostScript, RTF, TeX, EPUB.
    Document,
    Image,
    Audio,
    Video,
    Font,
    Archive,
    Binary,
    #[default]
    Empty,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Html => "html",
            Kind::Xhtml => "xhtml",
            Kind::Sitemap => "sitemap",
            Kind::SitemapIndex => "sitemap-index",
            Kind::Feed => "feed",
            Kind::Xml => "xml",
            Kind::Css => "css",
            Kind::Script => "script",
            Kind::Text => "text",
            Kind::Json => "json",
            Kind::Pdf => "pdf",
            Kind::Document => "document",
            Kind::Image => "image",
            Kind::Audio => "audio",
            Kind::Video => "video",
            Kind::Font => "font",
            Kind::Archive => "archive",
            Kind::Binary => "binary",
            Kind::Empty => "empty",
        }
    }

    /// It is made of characters, so it has a charset.
    pub fn is_textual(self) -> bool {
        matches!(
            self,
            Kind::Html
                | Kind::Xhtml
                | Kind::Sitemap
                | Kind::SitemapIndex
                | Kind::Feed
                | Kind::Xml
                | Kind::Css
                | Kind::Script
                | Kind::Text
                | Kind::Json
        )
    }
}
