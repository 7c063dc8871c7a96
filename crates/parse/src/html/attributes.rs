//! The attributes of one tag that matter to anyone.

use super::scan::{Attribute, Key, Scanner, key};

/// The attributes of a tag by name; the first of each name counts, as the standard says. Looked for when asked: a tag has
/// few, and most elements ask for none or two.
#[derive(Clone, Copy)]
pub(super) struct Attributes<'s, 'a> {
    list: &'s [Attribute<'a>],
}

macro_rules! named {
    ($($method:ident: $($name:literal)|+,)+) => {
        $(pub(super) fn $method(self) -> Option<&'a [u8]> {
            self.first(|key| $(key == const { self::key($name) })||+)
        })+
    };
}

impl<'s, 'a> Attributes<'s, 'a> {
    pub(super) fn of(scanner: &'s Scanner<'a>) -> Attributes<'s, 'a> {
        Attributes {
            list: &scanner.attributes,
        }
    }

    pub(super) fn all(self) -> &'s [Attribute<'a>] {
        self.list
    }

    fn first(self, is_meant: impl Fn(Key) -> bool) -> Option<&'a [u8]> {
        let found = self.list.iter().find(|attribute| is_meant(attribute.key));
        found.map(|attribute| attribute.value)
    }

    named! {
        href: "href",
        xlink_href: "xlink:href",
        src: "src",
        srcset: "srcset" | "imagesrcset",
        style: "style",
        rel: "rel",
        kind: "type",
        alt: "alt",
        title: "title",
        background: "background",
        cite: "cite",
        name: "name",
        content: "content",
        http_equiv: "http-equiv",
        charset: "charset",
        action: "action",
        formaction: "formaction",
        data: "data",
        codebase: "codebase",
        archive: "archive",
        code: "code",
        longdesc: "longdesc",
        poster: "poster",
        ping: "ping",
        manifest: "manifest",
        srcdoc: "srcdoc",
        lowsrc: "lowsrc",
        dynsrc: "dynsrc",
        data_src: "data-src",
        data_srcset: "data-srcset",
        as_what: "as",
        integrity: "integrity",
        crossorigin: "crossorigin",
        method: "method",
        formmethod: "formmethod",
        form: "form",
        value: "value",
        property: "property",
        itemprop: "itemprop",
        profile: "profile",
        pluginspage: "pluginspage",
        implementation: "implementation",
        icon: "icon",
        classid: "classid",
        altimg: "altimg",
        to: "to",
        url: "url",
        xml_url: "xmlurl",
        html_url: "htmlurl",
    }
}
