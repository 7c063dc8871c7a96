//! The places of a page that hold addresses (A8): which attribute of which element, and what kind of link it makes.

use super::attributes::Attributes;
use super::entities::Place as EntityPlace;
use super::foreign::Space;
use super::objects::sends;
use super::read::{Anchor, Reader};
use super::scan::{Key, Syntax, key, may_hold_url};
use super::sink::{Form, Sink, Trust};
use super::srcset::srcset;
use super::value::decode;
use crate::collect::Place;
use crate::css;
use crate::group_of;
use crate::script::Use;
use crate::text::Folded;
use gleaner_model::LinkKind;
use gleaner_model::defaults::ANCHOR_CHARS_MAX;
use std::borrow::Cow;

impl<'a, S: Sink<'a>> Reader<'_, '_, S> {
    pub(super) fn element(&mut self, key: Key, space: Space, wanted: Attributes<'_, 'a>) {
        const A: Key = self::key("a");
        const AREA: Key = self::key("area");
        const LINK: Key = self::key("link");
        const META: Key = self::key("meta");
        const BASE: Key = self::key("base");
        const IMG: Key = self::key("img");
        const IMAGE: Key = self::key("image");
        const FE_IMAGE: Key = self::key("feimage");
        const SOURCE: Key = self::key("source");
        const VIDEO: Key = self::key("video");
        const AUDIO: Key = self::key("audio");
        const TRACK: Key = self::key("track");
        const BGSOUND: Key = self::key("bgsound");
        const SCRIPT: Key = self::key("script");
        const FRAME: Key = self::key("frame");
        const IFRAME: Key = self::key("iframe");
        const FORM: Key = self::key("form");
        const BUTTON: Key = self::key("button");
        const INPUT: Key = self::key("input");
        const OBJECT: Key = self::key("object");
        const EMBED: Key = self::key("embed");
        const APPLET: Key = self::key("applet");
        const HTML: Key = self::key("html");
        const BLOCKQUOTE: Key = self::key("blockquote");
        const Q: Key = self::key("q");
        const INS: Key = self::key("ins");
        const DEL: Key = self::key("del");
        const BODY: Key = self::key("body");
        const TABLE: Key = self::key("table");
        const THEAD: Key = self::key("thead");
        const TBODY: Key = self::key("tbody");
        const TFOOT: Key = self::key("tfoot");
        const TR: Key = self::key("tr");
        const TD: Key = self::key("td");
        const TH: Key = self::key("th");
        const HEAD: Key = self::key("head");
        const ISINDEX: Key = self::key("isindex");
        const PARAM: Key = self::key("param");
        const OPTION: Key = self::key("option");
        const LAYER: Key = self::key("layer");
        const ILAYER: Key = self::key("ilayer");
        const XML: Key = self::key("xml");
        const IMPORT: Key = self::key("import");
        const PORTAL: Key = self::key("portal");
        const FENCED: Key = self::key("fencedframe");
        const MENUITEM: Key = self::key("menuitem");
        const COMMAND: Key = self::key("command");
        const OUTLINE: Key = self::key("outline");
        if S::IS_BY_PLACE {
            self.bound(wanted);
        } else {
            self.attributes(wanted);
        }
        if let Some(style) = wanted.style()
            && may_hold_url(style)
        {
            self.style_attribute(style);
        }
        if space != Space::Html || self.syntax == Syntax::Xml {
            // In SVG and MathML any element may refer; `href` outranks the older spelling.
            if let Some(href) = wanted.href().or(wanted.xlink_href()) {
                match key {
                    A => self.anchor(href, wanted),
                    IMAGE | FE_IMAGE => _ = self.link(href, LinkKind::Image),
                    SCRIPT => _ = self.link(href, LinkKind::Script),
                    LINK | BASE | AREA if self.syntax == Syntax::Xml => {}
                    _ => _ = self.link(href, LinkKind::Other),
                }
            }
            if space != Space::Html {
                return self.foreign_places(key, wanted);
            }
        }
        match key {
            A if self.syntax == Syntax::Html => match wanted.href() {
                Some(href) => self.anchor(href, wanted),
                None => self.close_anchor(),
            },
            AREA => {
                if let Some(href) = wanted.href() {
                    let place = self.link_rel(href, LinkKind::Area, is_nofollow(wanted.rel()));
                    self.words_from(place, wanted.alt().or(wanted.title()));
                }
                self.addresses(wanted.ping(), LinkKind::Other);
            }
            LINK => self.link_element(wanted),
            META => self.meta(wanted),
            BASE => {
                if let Some(href) = wanted.href() {
                    self.sink.place(href, Form::Bound);
                    let text = self.decode_value(href);
                    self.sink.base(&text);
                    if !S::IS_BY_PLACE && text.len() > 1 {
                        self.guess(text);
                    }
                }
            }
            IMG => self.image(wanted),
            IMAGE => {
                self.image(wanted);
                if !S::IS_BY_PLACE {
                    self.hint_of(wanted.href(), Use::Known);
                }
            }
            SOURCE => {
                self.link_if(wanted.src(), LinkKind::Media);
                self.srcset(wanted.srcset(), LinkKind::Image);
                self.srcset(wanted.data_srcset(), LinkKind::Other);
                self.link_if(wanted.data_src(), LinkKind::Other);
            }
            VIDEO => {
                self.link_if(wanted.src(), LinkKind::Media);
                self.link_if(wanted.poster(), LinkKind::Image);
                self.link_if(wanted.data_src(), LinkKind::Other);
            }
            AUDIO | TRACK | BGSOUND => self.link_if(wanted.src(), LinkKind::Media),
            SCRIPT => self.link_if(wanted.src(), LinkKind::Script),
            FRAME => {
                self.link_if(wanted.src(), LinkKind::Frame);
                self.link_if(wanted.longdesc(), LinkKind::Other);
            }
            IFRAME => {
                self.link_if(wanted.src(), LinkKind::Iframe);
                self.link_if(wanted.longdesc(), LinkKind::Other);
                self.link_if(wanted.data_src(), LinkKind::Other);
                if let Some(document) = wanted.srcdoc() {
                    if S::IS_BY_PLACE {
                        return self.sink.place(document, Form::Srcdoc);
                    }
                    let document = self.decode_value(document).into_owned();
                    self.frame(document, Trust::Links);
                }
            }
            FORM => {
                let action = wanted.action().filter(|_| !self.is_in_form);
                if !self.is_in_form {
                    self.form_sends = sends(wanted.method());
                }
                self.is_in_form = true;
                self.form(action, self.form_sends);
            }
            ISINDEX => self.form(wanted.action(), false),
            BUTTON => self.button(wanted),
            INPUT => {
                self.button(wanted);
                if wanted
                    .kind()
                    .is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"image"))
                {
                    self.link_if(wanted.src(), LinkKind::Image);
                    self.link_if(wanted.dynsrc(), LinkKind::Image);
                }
            }
            OBJECT | APPLET => self.object(wanted),
            EMBED => {
                self.link_if(wanted.src(), LinkKind::Object);
                self.link_if(wanted.pluginspage(), LinkKind::Other);
            }
            PARAM => self.parameter(wanted),
            HTML => self.link_if(wanted.manifest(), LinkKind::Other),
            HEAD => self.addresses(wanted.profile(), LinkKind::Other),
            OPTION if !S::IS_BY_PLACE => self.hint_of(wanted.value(), Use::Unknown),
            LAYER | ILAYER | PORTAL | FENCED => {
                self.link_if(wanted.src(), LinkKind::Iframe);
                self.link_if(wanted.background(), LinkKind::Image);
            }
            XML => self.link_if(wanted.src(), LinkKind::Other),
            IMPORT => self.link_if(wanted.implementation(), LinkKind::Other),
            MENUITEM | COMMAND => self.link_if(wanted.icon(), LinkKind::Image),
            // A list of feeds (OPML).
            OUTLINE if self.syntax == Syntax::Xml => {
                self.link_if(wanted.xml_url(), LinkKind::Feed);
                self.link_if(wanted.html_url(), LinkKind::Link);
                self.link_if(wanted.url(), LinkKind::Link);
            }
            BLOCKQUOTE | Q | INS | DEL => self.link_if(wanted.cite(), LinkKind::Other),
            BODY | TABLE | THEAD | TBODY | TFOOT | TR | TD | TH => {
                self.link_if(wanted.background(), LinkKind::Image);
            }
            _ if S::IS_BY_PLACE => {}
            // Elements that a script makes something of: `<my-link href>`, `<turbo-frame src>`.
            _ => {
                for value in [wanted.href(), wanted.src(), wanted.to()] {
                    self.hint_of(value, Use::Known);
                }
            }
        }
    }

    /// SVG and `MathML` refer by some attributes of their own, and by `url()` in those that style.
    fn foreign_places(&mut self, key: Key, wanted: Attributes<'_, 'a>) {
        if key == const { self::key("mglyph") } {
            self.link_if(wanted.src(), LinkKind::Image);
        }
        self.link_if(wanted.altimg(), LinkKind::Image);
        if S::IS_BY_PLACE {
            return;
        }
        for attribute in wanted.all() {
            let value = attribute.value;
            if value.len() > 5 && value[..4].eq_ignore_ascii_case(b"url(") && !value.starts_with(b"url(#") {
                self.style_attribute(value);
            }
        }
    }

    fn anchor(&mut self, href: &'a [u8], wanted: Attributes<'_, 'a>) {
        self.close_anchor();
        let place = self.link_rel(href, LinkKind::Anchor, is_nofollow(wanted.rel()));
        self.promise(place, wanted);
        self.addresses(wanted.ping(), LinkKind::Other);
        if let Some(place) = place
            && self.sink.wants_words(place)
        {
            self.anchor = Some(Anchor {
                place,
                words: Folded::new(ANCHOR_CHARS_MAX),
            });
        }
    }

    fn image(&mut self, wanted: Attributes<'_, 'a>) {
        if let Some(src) = wanted.src() {
            let place = self.link_rel(src, LinkKind::Image, false);
            self.words_from(place, wanted.alt());
        }
        self.srcset(wanted.srcset(), LinkKind::Image);
        self.link_if(wanted.lowsrc(), LinkKind::Image);
        self.link_if(wanted.dynsrc(), LinkKind::Image);
        self.link_if(wanted.longdesc(), LinkKind::Other);
        self.link_if(wanted.data_src(), LinkKind::Other);
        self.srcset(wanted.data_srcset(), LinkKind::Other);
        // An image in a link speaks for it.
        if let Some(alt) = wanted.alt()
            && self.anchor.as_ref().is_some_and(|anchor| !anchor.words.is_full())
        {
            let alt = self.decode_value(&alt[..alt.len().min(ANCHOR_CHARS_MAX * 64)]);
            if let Some(anchor) = &mut self.anchor {
                anchor.words.push_space();
                anchor.words.push(&alt);
                anchor.words.push_space();
            }
        }
    }

    fn promise(&mut self, place: Option<Place>, wanted: Attributes<'_, 'a>) {
        if let (Some(place), Some(kind)) = (place, wanted.kind()) {
            let kind = self.decode_value(kind);
            if kind.contains('/') {
                self.sink.promise(place, group_of(&kind));
            }
        }
    }

    fn link_element(&mut self, wanted: Attributes<'_, 'a>) {
        let rel = wanted.rel().map(|rel| self.decode_value(rel)).unwrap_or_default();
        let has = |word: &str| rel.split_ascii_whitespace().any(|r| r.eq_ignore_ascii_case(word));
        let kind = if has("canonical") {
            LinkKind::Canonical
        } else if has("stylesheet") {
            LinkKind::Style
        } else if has("alternate") && wanted.kind().is_some_and(is_feed_type) {
            LinkKind::Feed
        } else if has("icon")
            || has("apple-touch-icon")
            || has("apple-touch-icon-precomposed")
            || has("mask-icon")
            || has("image_src")
        {
            LinkKind::Image
        } else if has("sitemap") {
            LinkKind::Sitemap
        } else if has("modulepreload") {
            LinkKind::Script
        } else if has("preload") || has("prefetch") {
            match wanted.as_what().map(<[u8]>::to_ascii_lowercase).as_deref() {
                Some(b"script") => LinkKind::Script,
                Some(b"style") => LinkKind::Style,
                Some(b"image") => LinkKind::Image,
                Some(b"audio" | b"video" | b"track") => LinkKind::Media,
                Some(b"font" | b"fetch") => LinkKind::Other,
                _ => LinkKind::Link,
            }
        } else if has("dns-prefetch") || has("preconnect") || has("manifest") || has("pingback") {
            LinkKind::Other
        } else {
            LinkKind::Link
        };
        if let Some(href) = wanted.href() {
            let nofollow = has("nofollow");
            let place = self.link_rel(href, kind, nofollow);
            self.promise(place, wanted);
            self.words_from(place, wanted.title());
            if kind == LinkKind::Canonical
                && let Some(place) = place
            {
                self.sink.canonical(place);
            }
        }
        self.srcset(wanted.srcset(), LinkKind::Image);
    }

    /// What would keep a copy from showing what it loads: digests that the copy's files do not have, and requests in a mode
    /// that a page without a server cannot make.
    fn bound(&mut self, wanted: Attributes<'_, 'a>) {
        if let Some(digests) = wanted.integrity() {
            self.sink.place(digests, Form::Bound);
        }
        if let Some(mode) = wanted.crossorigin() {
            self.sink.place(mode, Form::BoundName("crossorigin"));
        }
    }

    fn style_attribute(&mut self, style: &'a [u8]) {
        if S::IS_BY_PLACE {
            return self.sink.place(style, Form::Style);
        }
        match self.decode_value(style) {
            Cow::Borrowed(_) => self.styles(style, true),
            Cow::Owned(text) => {
                let sink = &mut *self.sink;
                css::scan(text.as_bytes(), |raw| {
                    let address = css::unescape(String::from_utf8_lossy(raw)).into_owned();
                    sink.text(Cow::Owned(address), LinkKind::Style, false);
                });
            }
        }
    }

    pub(super) fn styles(&mut self, sheet: &'a [u8], is_raw: bool) {
        if S::IS_BY_PLACE {
            return self.sink.place(sheet, Form::Sheet { is_raw });
        }
        let encoding = self.encoding;
        let sink = &mut *self.sink;
        css::scan(sheet, |raw| {
            sink.text(css::unescape(decode(raw, encoding, None)), LinkKind::Style, false);
        });
    }

    fn srcset(&mut self, value: Option<&'a [u8]>, kind: LinkKind) {
        let Some(value) = value else { return };
        if S::IS_BY_PLACE {
            return self.sink.place(value, Form::Srcset);
        }
        let sink = &mut *self.sink;
        match decode(value, self.encoding, Some(EntityPlace::Attribute)) {
            Cow::Borrowed(text) => srcset(text, |address| {
                sink.text(Cow::Borrowed(address), kind, false);
            }),
            Cow::Owned(text) => srcset(&text, |address| {
                sink.text(Cow::Owned(address.to_owned()), kind, false);
            }),
        }
    }

    /// Addresses separated by spaces.
    fn addresses(&mut self, value: Option<&'a [u8]>, kind: LinkKind) {
        let Some(value) = value else { return };
        if S::IS_BY_PLACE {
            return self.sink.place(value, Form::Spaced);
        }
        for address in self.decode_value(value).split_ascii_whitespace() {
            self.sink.text(Cow::Owned(address.to_owned()), kind, false);
        }
    }

    pub(super) fn link_if(&mut self, value: Option<&'a [u8]>, kind: LinkKind) {
        if let Some(value) = value {
            self.link(value, kind);
        }
    }

    pub(super) fn link(&mut self, value: &'a [u8], kind: LinkKind) -> Option<Place> {
        self.link_rel(value, kind, false)
    }

    fn link_rel(&mut self, value: &'a [u8], kind: LinkKind, nofollow: bool) -> Option<Place> {
        if S::IS_BY_PLACE {
            self.sink.place(value, Form::Address(kind));
            return None;
        }
        self.carried(value);
        let encoding = self.encoding;
        self.sink.bytes(value, kind, nofollow, |bytes| {
            decode(bytes, encoding, Some(EntityPlace::Attribute))
        })
    }

    fn words_from(&mut self, place: Option<Place>, value: Option<&'a [u8]>) {
        if let (Some(place), Some(value)) = (place, value)
            && self.sink.wants_words(place)
        {
            let mut words = Folded::new(ANCHOR_CHARS_MAX);
            words.push(&self.decode_value(&value[..value.len().min(ANCHOR_CHARS_MAX * 64)]));
            self.sink.words(place, words);
        }
    }

    pub(super) fn decode_value(&self, value: &'a [u8]) -> Cow<'a, str> {
        decode(value, self.encoding, Some(EntityPlace::Attribute))
    }
}

fn is_nofollow(rel: Option<&[u8]>) -> bool {
    rel.is_some_and(|rel| {
        rel.split(u8::is_ascii_whitespace)
            .any(|word| word.eq_ignore_ascii_case(b"nofollow"))
    })
}

fn is_feed_type(kind: &[u8]) -> bool {
    let essence = kind.split(|&b| b == b';').next().unwrap_or(&[]).trim_ascii();
    [
        "application/rss+xml",
        "application/atom+xml",
        "application/rdf+xml",
        "application/feed+json",
    ]
    .iter()
    .any(|known| essence.eq_ignore_ascii_case(known.as_bytes()))
}
