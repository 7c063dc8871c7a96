//! What a full HTML parser finds in a page, and what ours finds, in comparable form.

use super::super::read::Reader;
use super::super::scan::Syntax;
use super::super::sink::Sink;
use crate::collect::Place;
use crate::text::Folded;
use encoding_rs::Encoding;
use gleaner_model::LinkKind;
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, parse_document};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The values of all attributes that hold one address, in a page as the full parser builds it.
pub(super) fn expected(html: &str) -> BTreeSet<String> {
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        },
        ..ParseOpts::default()
    };
    let elements = parse_document(Elements::default(), options)
        .one(StrTendril::from(html))
        .made
        .into_inner();
    let mut out = BTreeSet::new();
    for element in &elements {
        for name in places(element) {
            if let Some(value) = element.attribute(name) {
                out.insert(value.to_owned());
            }
        }
        if element.is_foreign
            && element.name == "mglyph"
            && let Some(value) = element.attribute("src")
        {
            out.insert(value.to_owned());
        }
        if element.is_foreign
            && let Some(value) = element.attribute("href").or(element.attribute("xlink:href"))
        {
            out.insert(value.to_owned());
        }
    }
    out
}

/// The attributes of an HTML element that hold one address each.
fn places(element: &Element) -> &'static [&'static str] {
    if element.is_foreign {
        return &[];
    }
    match element.name.as_str() {
        "a" | "area" | "link" | "base" => &["href"],
        "img" | "iframe" => &["src", "longdesc", "data-src", "lowsrc", "dynsrc"],
        "image" => &["src", "longdesc", "data-src"],
        "source" => &["src", "data-src"],
        "video" => &["src", "poster", "data-src"],
        "audio" | "track" | "bgsound" | "script" | "layer" | "ilayer" => &["src"],
        "embed" => &["src", "pluginspage"],
        "param"
            if element.attribute("name").is_some_and(|name| {
                let names = "movie src url href data filename file code codebase archive";
                names
                    .split(' ')
                    .any(|known| name.trim().eq_ignore_ascii_case(known))
            }) =>
        {
            &["value"]
        }
        "frame" => &["src", "longdesc"],
        "form" | "isindex" => &["action"],
        "input"
            if element
                .attribute("type")
                .is_some_and(|t| t.trim().eq_ignore_ascii_case("image")) =>
        {
            &["src", "formaction"]
        }
        "button" | "input" => &["formaction"],
        "html" => &["manifest"],
        "blockquote" | "q" | "ins" | "del" => &["cite"],
        "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => &["background"],
        _ => &[],
    }
}

pub(super) struct Element {
    name: String,
    is_foreign: bool,
    qualified: QualName,
    attributes: Vec<(String, String)>,
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// Keeps every element that the tree builder makes; where it is put does not matter for a set of addresses.
#[derive(Default)]
struct Elements {
    made: RefCell<Vec<Element>>,
    // Names are handed out by reference while the list grows.
    names: RefCell<Vec<&'static QualName>>,
}

const DOCUMENT: usize = usize::MAX;
const NODE: usize = usize::MAX - 1;

fn pairs(attributes: Vec<Attribute>) -> Vec<(String, String)> {
    attributes
        .into_iter()
        .map(|a| {
            let prefix = a
                .name
                .prefix
                .filter(|p| !p.is_empty())
                .map(|p| format!("{p}:"))
                .unwrap_or_default();
            (format!("{prefix}{}", a.name.local), a.value.to_string())
        })
        .collect()
}

impl TreeSink for Elements {
    type Handle = usize;
    type Output = Self;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self {
        self
    }

    fn get_document(&self) -> usize {
        DOCUMENT
    }

    fn get_template_contents(&self, _target: &usize) -> usize {
        NODE
    }

    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> ExpandedName<'a> {
        self.names.borrow()[*target].expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> usize {
        let mut made = self.made.borrow_mut();
        made.push(Element {
            name: name.local.to_string(),
            is_foreign: &*name.ns != "http://www.w3.org/1999/xhtml",
            qualified: name.clone(),
            attributes: pairs(attributes),
        });
        self.names.borrow_mut().push(Box::leak(Box::new(name)));
        made.len() - 1
    }

    fn create_comment(&self, _text: StrTendril) -> usize {
        NODE
    }

    fn create_pi(&self, _target: StrTendril, _value: StrTendril) -> usize {
        NODE
    }

    fn append_before_sibling(&self, _sibling: &usize, _new_node: NodeOrText<usize>) {}

    fn append_based_on_parent_node(&self, _element: &usize, _previous: &usize, _new_node: NodeOrText<usize>) {
    }

    fn parse_error(&self, _msg: Cow<'static, str>) {}

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append(&self, _parent: &usize, _child: NodeOrText<usize>) {}

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn add_attrs_if_missing(&self, target: &usize, attributes: Vec<Attribute>) {
        if let Some(element) = self.made.borrow_mut().get_mut(*target) {
            for (name, value) in pairs(attributes) {
                if element.attribute(&name).is_none() {
                    element.attributes.push((name, value));
                }
            }
        }
    }

    fn remove_from_parent(&self, _target: &usize) {}

    fn reparent_children(&self, _node: &usize, _new_parent: &usize) {}

    fn is_mathml_annotation_xml_integration_point(&self, target: &usize) -> bool {
        let made = self.made.borrow();
        let encoding = made
            .get(*target)
            .and_then(|e| e.attribute("encoding"))
            .unwrap_or("")
            .to_ascii_lowercase();
        made.get(*target)
            .is_some_and(|e| &*e.qualified.local == "annotation-xml")
            && matches!(encoding.as_str(), "text/html" | "application/xhtml+xml")
    }
}

/// What our reader finds: the addresses it takes whole from an attribute.
pub(super) fn found(html: &[u8], encoding: &'static Encoding) -> BTreeSet<String> {
    let mut record = Record::default();
    Reader::new(Syntax::Html, encoding, "gleaner", &mut record).run(html);
    record.values
}

#[derive(Default)]
struct Record {
    values: BTreeSet<String>,
}

fn normal(value: &str) -> String {
    value.replace("\r\n", "\n").replace('\r', "\n")
}

impl<'a> Sink<'a> for Record {
    fn bytes(
        &mut self,
        bytes: &'a [u8],
        _kind: LinkKind,
        _nofollow: bool,
        decode: impl FnOnce(&'a [u8]) -> Cow<'a, str>,
    ) -> Option<Place> {
        self.values.insert(normal(&decode(bytes)));
        None
    }

    fn text(&mut self, _text: Cow<'a, str>, _kind: LinkKind, _nofollow: bool) -> Option<Place> {
        None
    }

    fn base(&mut self, href: &str) {
        self.values.insert(normal(href));
    }

    fn canonical(&mut self, _place: Place) {}

    fn wants_words(&self, _place: Place) -> bool {
        false
    }

    fn words(&mut self, _place: Place, _words: Folded) {}
}
