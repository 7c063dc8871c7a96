//! The attributes of one tag that matter to anyone.

use super::scan::{Key, Scanner, key};

/// The attributes that matter, found in one pass over a tag; the first of each name counts, as the standard says.
#[derive(Default)]
pub(super) struct Attributes<'a> {
    pub(super) href: Option<&'a [u8]>,
    pub(super) xlink_href: Option<&'a [u8]>,
    pub(super) src: Option<&'a [u8]>,
    pub(super) srcset: Option<&'a [u8]>,
    pub(super) style: Option<&'a [u8]>,
    pub(super) rel: Option<&'a [u8]>,
    /// `type`.
    pub(super) kind: Option<&'a [u8]>,
    pub(super) alt: Option<&'a [u8]>,
    pub(super) title: Option<&'a [u8]>,
    pub(super) background: Option<&'a [u8]>,
    pub(super) cite: Option<&'a [u8]>,
    pub(super) name: Option<&'a [u8]>,
    pub(super) content: Option<&'a [u8]>,
    pub(super) http_equiv: Option<&'a [u8]>,
    pub(super) charset: Option<&'a [u8]>,
    pub(super) action: Option<&'a [u8]>,
    pub(super) formaction: Option<&'a [u8]>,
    pub(super) data: Option<&'a [u8]>,
    pub(super) codebase: Option<&'a [u8]>,
    pub(super) archive: Option<&'a [u8]>,
    pub(super) code: Option<&'a [u8]>,
    pub(super) longdesc: Option<&'a [u8]>,
    pub(super) poster: Option<&'a [u8]>,
    pub(super) ping: Option<&'a [u8]>,
    pub(super) manifest: Option<&'a [u8]>,
    pub(super) srcdoc: Option<&'a [u8]>,
    pub(super) lowsrc: Option<&'a [u8]>,
    pub(super) data_src: Option<&'a [u8]>,
    pub(super) data_srcset: Option<&'a [u8]>,
    /// `as`.
    pub(super) as_what: Option<&'a [u8]>,
}

impl<'a> Attributes<'a> {
    pub(super) fn of(scanner: &Scanner<'a>) -> Attributes<'a> {
        const HREF: Key = key("href");
        const XLINK_HREF: Key = key("xlink:href");
        const SRC: Key = key("src");
        const SRCSET: Key = key("srcset");
        const IMAGESRCSET: Key = key("imagesrcset");
        const STYLE: Key = key("style");
        const REL: Key = key("rel");
        const TYPE: Key = key("type");
        const ALT: Key = key("alt");
        const TITLE: Key = key("title");
        const BACKGROUND: Key = key("background");
        const CITE: Key = key("cite");
        const NAME: Key = key("name");
        const CONTENT: Key = key("content");
        const HTTP_EQUIV: Key = key("http-equiv");
        const CHARSET: Key = key("charset");
        const ACTION: Key = key("action");
        const FORMACTION: Key = key("formaction");
        const DATA: Key = key("data");
        const CODEBASE: Key = key("codebase");
        const ARCHIVE: Key = key("archive");
        const CODE: Key = key("code");
        const LONGDESC: Key = key("longdesc");
        const POSTER: Key = key("poster");
        const PING: Key = key("ping");
        const MANIFEST: Key = key("manifest");
        const SRCDOC: Key = key("srcdoc");
        const LOWSRC: Key = key("lowsrc");
        const DYNSRC: Key = key("dynsrc");
        const DATA_SRC: Key = key("data-src");
        const DATA_SRCSET: Key = key("data-srcset");
        const AS: Key = key("as");
        let mut wanted = Attributes::default();
        for attribute in &scanner.attributes {
            let slot = match attribute.key {
                HREF => &mut wanted.href,
                XLINK_HREF => &mut wanted.xlink_href,
                SRC => &mut wanted.src,
                SRCSET | IMAGESRCSET => &mut wanted.srcset,
                STYLE => &mut wanted.style,
                REL => &mut wanted.rel,
                TYPE => &mut wanted.kind,
                ALT => &mut wanted.alt,
                TITLE => &mut wanted.title,
                BACKGROUND => &mut wanted.background,
                CITE => &mut wanted.cite,
                NAME => &mut wanted.name,
                CONTENT => &mut wanted.content,
                HTTP_EQUIV => &mut wanted.http_equiv,
                CHARSET => &mut wanted.charset,
                ACTION => &mut wanted.action,
                FORMACTION => &mut wanted.formaction,
                DATA => &mut wanted.data,
                CODEBASE => &mut wanted.codebase,
                ARCHIVE => &mut wanted.archive,
                CODE => &mut wanted.code,
                LONGDESC => &mut wanted.longdesc,
                POSTER => &mut wanted.poster,
                PING => &mut wanted.ping,
                MANIFEST => &mut wanted.manifest,
                SRCDOC => &mut wanted.srcdoc,
                LOWSRC | DYNSRC => &mut wanted.lowsrc,
                DATA_SRC => &mut wanted.data_src,
                DATA_SRCSET => &mut wanted.data_srcset,
                AS => &mut wanted.as_what,
                _ => continue,
            };
            slot.get_or_insert(attribute.value);
        }
        wanted
    }
}
