//! A link as a page holds it (A8): where to, in which place of the page, under which words, how often.

use crate::Url;
use std::fmt;

/// The place that held the link. The names are stored and shown: they never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LinkKind {
    Anchor = 1,
    Area = 2,
    /// `<link href>` other than canonical, alternate feeds and style sheets.
    Link = 3,
    Frame = 4,
    Iframe = 5,
    /// `<img>`, `srcset`, `<input type=image>`, `background=`, icons.
    Image = 6,
    /// `<source>`, `<video>`, `<audio>`, `<track>`.
    Media = 7,
    Script = 8,
    /// The action of a form that is sent by POST, and of `formaction`. Recorded, never submitted unless a project says so.
    Form = 9,
    /// `<object>`, `<embed>`, `<applet>`.
    Object = 10,
    /// `<meta http-equiv=refresh>` or a `Refresh` header.
    Refresh = 11,
    Canonical = 12,
    /// `url()` and `@import` in style sheets, style elements and style attributes; `<link rel=stylesheet>`.
    Style = 13,
    Sitemap = 14,
    /// An entry of an Atom or RSS feed, or `<link rel=alternate>` to one.
    Feed = 15,
    /// HTTP `Link` and `Content-Location` headers.
    Header = 16,
    /// A 3xx answer.
    Redirect = 17,
    /// `cite`, `longdesc`, `data-*` of known meaning, `ping`, `manifest` and other attributes that hold an address.
    Other = 18,
    /// What lies in a folder of a file or news server.
    Entry = 19,
    /// A string that is plainly an address: in a script, an event attribute, a `javascript:` link, JSON or a comment. It was not
    /// put there for readers, so that it leads nowhere says nothing about the page.
    InScript = 20,
    /// The action of a form that asks (GET). It is asked for bare, without the form's fields.
    GetForm = 21,
}

impl LinkKind {
    pub const ALL: [LinkKind; 21] = [
        LinkKind::Anchor,
        LinkKind::Area,
        LinkKind::Link,
        LinkKind::Frame,
        LinkKind::Iframe,
        LinkKind::Image,
        LinkKind::Media,
        LinkKind::Script,
        LinkKind::Form,
        LinkKind::Object,
        LinkKind::Refresh,
        LinkKind::Canonical,
        LinkKind::Style,
        LinkKind::Sitemap,
        LinkKind::Feed,
        LinkKind::Header,
        LinkKind::Redirect,
        LinkKind::Other,
        LinkKind::Entry,
        LinkKind::InScript,
        LinkKind::GetForm,
    ];

    /// The kind that is stored as this number.
    pub fn of_number(number: u8) -> Option<LinkKind> {
        LinkKind::ALL.into_iter().find(|kind| *kind as u8 == number)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            LinkKind::Anchor => "anchor",
            LinkKind::Area => "area",
            LinkKind::Link => "link",
            LinkKind::Frame => "frame",
            LinkKind::Iframe => "iframe",
            LinkKind::Image => "image",
            LinkKind::Media => "media",
            LinkKind::Script => "script",
            LinkKind::Form => "form",
            LinkKind::Object => "object",
            LinkKind::Refresh => "refresh",
            LinkKind::Canonical => "canonical",
            LinkKind::Style => "style",
            LinkKind::Sitemap => "sitemap",
            LinkKind::Feed => "feed",
            LinkKind::Header => "header",
            LinkKind::Redirect => "redirect",
            LinkKind::Other => "other",
            LinkKind::Entry => "entry",
            LinkKind::InScript => "in-script",
            LinkKind::GetForm => "get-form",
        }
    }

    pub fn parse(text: &str) -> Option<LinkKind> {
        LinkKind::ALL.into_iter().find(|k| k.as_str() == text)
    }

    /// A form that changes something is recorded but never fetched: only configured forms are ever submitted (HC073).
    pub fn is_followed(self) -> bool {
        !matches!(self, LinkKind::Form)
    }

    /// Whether the page does not promise that anything is there: it is asked for late and seldom, and a failure is no broken link.
    pub fn is_guess(self) -> bool {
        matches!(self, LinkKind::InScript | LinkKind::GetForm)
    }
}

impl fmt::Display for LinkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One target of one page, in one kind of place; repeats are counted, not repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub url: Url,
    pub kind: LinkKind,
    /// The words of the first occurrence that had any: anchor text, `alt`, `title`. White space folded, at most
    /// [`crate::defaults::ANCHOR_CHARS_MAX`] characters.
    pub anchor: String,
    pub count: u32,
    /// `rel=nofollow` on every occurrence.
    pub nofollow: bool,
}
