//! Are we inside SVG or `MathML`? There, raw text elements are not raw, CDATA is real and tags close themselves.
//!
//! Instead of a tree, only the elements open since the first `<svg>` or `<math>` are kept: HTML pages have few, and
//! the stack has a limit. HTML elements inside an integration point (`foreignObject`) are not on it.

use super::scan::{Attribute, Key, key};
use gleaner_model::defaults::HTML_DEPTH_MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    Html,
    Svg,
    Math,
}

struct Open {
    key: Key,
    space: Space,
    is_html_inside: bool,
}

#[derive(Default)]
pub(crate) struct Foreign {
    open: Vec<Open>,
    pub(crate) is_cut: bool,
}

const SVG: Key = key("svg");
const MATH: Key = key("math");

impl Foreign {
    /// The name space of an element whose start tag was just read; opens it if it stays open.
    #[inline]
    pub(crate) fn start(&mut self, name: Key, attributes: &[Attribute<'_>], is_self_closing: bool) -> Space {
        if self.open.is_empty() && name != SVG && name != MATH {
            return Space::Html; // Nearly every element.
        }
        self.start_inside(name, attributes, is_self_closing)
    }

    fn start_inside(&mut self, name: Key, attributes: &[Attribute<'_>], is_self_closing: bool) -> Space {
        let space = match self.open.last() {
            None => root_space(name),
            Some(top) if top.is_html_inside => {
                let is_math_text = top.space == Space::Math && top.key != key("annotation-xml");
                if is_math_text && (name == key("mglyph") || name == key("malignmark")) {
                    Space::Math
                } else {
                    root_space(name)
                }
            }
            Some(top) if top.key == key("annotation-xml") && name == SVG => Space::Svg,
            Some(_) if breaks_out(name, attributes) => {
                self.leave();
                return self.start_after_leaving(name, is_self_closing);
            }
            Some(top) => top.space,
        };
        self.push(name, space, attributes, is_self_closing);
        space
    }

    fn start_after_leaving(&mut self, name: Key, is_self_closing: bool) -> Space {
        let space = root_space(name);
        self.push(name, space, &[], is_self_closing);
        space
    }

    fn push(&mut self, name: Key, space: Space, attributes: &[Attribute<'_>], is_self_closing: bool) {
        if space == Space::Html || is_self_closing {
            return;
        }
        if self.open.len() >= HTML_DEPTH_MAX {
            self.is_cut = true;
            return;
        }
        self.open.push(Open {
            key: name,
            space,
            is_html_inside: holds_html(name, space, attributes),
        });
    }

    #[inline]
    pub(crate) fn end(&mut self, name: Key) {
        if !self.open.is_empty() {
            self.end_inside(name);
        }
    }

    fn end_inside(&mut self, name: Key) {
        if name == key("p") || name == key("br") {
            if self.open.last().is_some_and(|top| !top.is_html_inside) {
                self.leave();
            }
            return;
        }
        if name != 0
            && let Some(at) = self.open.iter().rposition(|open| open.key == name)
        {
            self.open.truncate(at);
        }
    }

    /// Closes foreign elements down to HTML or a place that holds HTML.
    fn leave(&mut self) {
        while self.open.last().is_some_and(|top| !top.is_html_inside) {
            self.open.pop();
        }
    }

    /// Whether the current element itself is foreign: then CDATA sections count.
    pub(crate) fn is_inside(&self) -> bool {
        !self.open.is_empty()
    }
}

fn root_space(name: Key) -> Space {
    match name {
        SVG => Space::Svg,
        MATH => Space::Math,
        _ => Space::Html,
    }
}

fn holds_html(name: Key, space: Space, attributes: &[Attribute<'_>]) -> bool {
    match space {
        Space::Html => false,
        Space::Svg => name == key("foreignobject") || name == key("desc") || name == key("title"),
        Space::Math => {
            [key("mi"), key("mo"), key("mn"), key("ms"), key("mtext")].contains(&name)
                || (name == key("annotation-xml")
                    && attributes
                        .iter()
                        .find(|a| a.key == key("encoding"))
                        .is_some_and(|a| {
                            a.value.eq_ignore_ascii_case(b"text/html")
                                || a.value.eq_ignore_ascii_case(b"application/xhtml+xml")
                        }))
        }
    }
}

/// HTML elements that end foreign content wherever they stand.
fn breaks_out(name: Key, attributes: &[Attribute<'_>]) -> bool {
    const NAMES: [Key; 44] = [
        key("b"),
        key("big"),
        key("blockquote"),
        key("body"),
        key("br"),
        key("center"),
        key("code"),
        key("dd"),
        key("div"),
        key("dl"),
        key("dt"),
        key("em"),
        key("embed"),
        key("h1"),
        key("h2"),
        key("h3"),
        key("h4"),
        key("h5"),
        key("h6"),
        key("head"),
        key("hr"),
        key("i"),
        key("img"),
        key("li"),
        key("listing"),
        key("menu"),
        key("meta"),
        key("nobr"),
        key("ol"),
        key("p"),
        key("pre"),
        key("ruby"),
        key("s"),
        key("small"),
        key("span"),
        key("strong"),
        key("strike"),
        key("sub"),
        key("sup"),
        key("table"),
        key("tt"),
        key("u"),
        key("ul"),
        key("var"),
    ];
    NAMES.contains(&name)
        || (name == key("font")
            && attributes
                .iter()
                .any(|a| [key("color"), key("face"), key("size")].contains(&a.key)))
}
