//! How deep is the tree builder's stack? As far as tags alone tell, which is near enough to bound it.
//!
//! The builder does not say. What must not happen is that it nests where we believe that it closed something, so the end
//! tags that it ignores are ignored here too: an end tag does not reach through a table or a template, that of an ordinary
//! element (`span`, `x-y`) not through a block, and that of a form closes the form alone (HTML 13.2.6.4.7). Believing it
//! deeper than it is costs only tags on pages that nest hundreds deep.

use gleaner_model::defaults::HTML_DEPTH_MAX;
use html5ever::tokenizer::{EndTag, StartTag, Tag};
use html5ever::{LocalName, local_name};
use std::collections::HashMap;

struct Element {
    name: LocalName,
    /// The tree builder knows of it.
    was_told: bool,
    /// A form that was closed while other elements were open in it: it leaves with them.
    is_stale: bool,
}

#[derive(Default)]
pub(super) struct Open {
    stack: Vec<Element>,
    /// Where each name is on the stack, so that a stray end tag costs nothing.
    places: HashMap<LocalName, Vec<usize>, foldhash::fast::FixedState>,
    /// Where end tags stop, among those that the builder was told of.
    walls: Vec<usize>,
    /// Where the end tags of ordinary elements stop.
    blocks: Vec<usize>,
    /// Unclosed formatting elements: an enclosing end tag does not close them for good, the builder reopens them.
    formatting: HashMap<LocalName, usize, foldhash::fast::FixedState>,
    formatting_sum: usize,
}

impl Open {
    /// Whether the builder is to be told. `is_foreign`: it stands in SVG or `MathML`, where a tag can close itself.
    pub(super) fn admits(&mut self, tag: &Tag, is_foreign: bool) -> bool {
        match tag.kind {
            StartTag => self.start(tag, is_foreign),
            EndTag => self.end(&tag.name),
        }
    }

    fn start(&mut self, tag: &Tag, is_foreign: bool) -> bool {
        if never_nests(&tag.name) || (tag.self_closing && is_foreign) {
            return true;
        }
        // The builder ignores a form in a form.
        if tag.name == local_name!("form") && self.last(&tag.name).is_some() && !self.in_template() {
            return true;
        }
        self.close_equals(&tag.name);
        let has_room = self.stack.len() + self.formatting_sum < HTML_DEPTH_MAX;
        if is_formatting(&tag.name) {
            if has_room {
                *self.formatting.entry(tag.name.clone()).or_default() += 1;
                self.formatting_sum += 1;
            }
            return has_room;
        }
        let at = self.stack.len();
        self.places.entry(tag.name.clone()).or_default().push(at);
        if has_room && is_wall(&tag.name) {
            self.walls.push(at);
        }
        if has_room && is_block(&tag.name) {
            self.blocks.push(at);
        }
        self.stack.push(Element {
            name: tag.name.clone(),
            was_told: has_room,
            is_stale: false,
        });
        has_room
    }

    /// A heading ends the one it stands in, and a button too: left open by their authors, they do not nest.
    fn close_equals(&mut self, name: &LocalName) {
        if is_heading(name) && self.stack.last().is_some_and(|top| is_heading(&top.name)) {
            self.pop();
        }
        if *name == local_name!("button")
            && let Some(at) = self.last(name)
            && self.walls.last().is_none_or(|wall| *wall < at)
        {
            while self.stack.len() > at {
                self.pop();
            }
        }
        self.drop_stale();
    }

    fn end(&mut self, name: &LocalName) -> bool {
        if is_formatting(name) {
            if let Some(count) = self.formatting.get_mut(name).filter(|count| **count > 0) {
                *count -= 1;
                self.formatting_sum -= 1;
            }
            return true;
        }
        let Some(at) = self.last(name) else {
            return true;
        };
        let was_told = self.stack[at].was_told;
        if *name == local_name!("form") && !self.in_template() {
            self.stack[at].is_stale = true;
            self.forget(name);
            self.drop_stale();
            return was_told;
        }
        let stop = if *name == local_name!("template") {
            None
        } else if *name == local_name!("table") {
            self.last(&local_name!("template"))
        } else if is_block(name) && *name != local_name!("noscript") {
            self.walls.last().copied()
        } else {
            self.blocks.last().copied()
        };
        if was_told && stop.is_some_and(|stop| stop > at) {
            return true;
        }
        while self.stack.len() > at {
            self.pop();
        }
        self.drop_stale();
        was_told
    }

    fn last(&self, name: &LocalName) -> Option<usize> {
        self.places.get(name).and_then(|places| places.last()).copied()
    }

    fn in_template(&self) -> bool {
        self.last(&local_name!("template")).is_some()
    }

    fn forget(&mut self, name: &LocalName) {
        if let Some(places) = self.places.get_mut(name) {
            places.pop();
        }
    }

    fn pop(&mut self) {
        let Some(top) = self.stack.pop() else { return };
        let at = self.stack.len();
        if !top.is_stale {
            self.forget(&top.name);
        }
        for list in [&mut self.walls, &mut self.blocks] {
            if list.last() == Some(&at) {
                list.pop();
            }
        }
    }

    fn drop_stale(&mut self) {
        while self.stack.last().is_some_and(|top| top.is_stale) {
            self.pop();
        }
    }
}

fn is_heading(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
    )
}

/// HTML's "scope": what stands on the stack below one of these cannot be closed from above it.
fn is_wall(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("applet")
            | local_name!("marquee")
            | local_name!("object")
            | local_name!("table")
            | local_name!("template")
            | local_name!("mi")
            | local_name!("mo")
            | local_name!("mn")
            | local_name!("ms")
            | local_name!("mtext")
            | local_name!("annotation-xml")
            | local_name!("desc")
    ) || **name == *"foreignobject"
}

/// HTML's "special" elements, as far as they are counted here.
fn is_block(name: &LocalName) -> bool {
    is_wall(name)
        || is_heading(name)
        || matches!(
            *name,
            local_name!("address")
                | local_name!("article")
                | local_name!("aside")
                | local_name!("blockquote")
                | local_name!("button")
                | local_name!("center")
                | local_name!("details")
                | local_name!("dir")
                | local_name!("div")
                | local_name!("dl")
                | local_name!("fieldset")
                | local_name!("figcaption")
                | local_name!("figure")
                | local_name!("footer")
                | local_name!("form")
                | local_name!("header")
                | local_name!("hgroup")
                | local_name!("listing")
                | local_name!("main")
                | local_name!("menu")
                | local_name!("nav")
                | local_name!("noscript")
                | local_name!("ol")
                | local_name!("pre")
                | local_name!("search")
                | local_name!("section")
                | local_name!("select")
                | local_name!("summary")
                | local_name!("ul")
        )
}

fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

/// Elements that hold nothing, hold raw text only, or close each other: they cannot nest without others that are counted.
fn never_nests(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("html")
            | local_name!("head")
            | local_name!("body")
            | local_name!("script")
            | local_name!("style")
            | local_name!("title")
            | local_name!("textarea")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("xmp")
            | local_name!("plaintext")
            | local_name!("p")
            | local_name!("li")
            | local_name!("dt")
            | local_name!("dd")
            | local_name!("tr")
            | local_name!("td")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("tbody")
            | local_name!("tfoot")
            | local_name!("caption")
            | local_name!("colgroup")
            | local_name!("option")
            | local_name!("optgroup")
            | local_name!("rb")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("rtc")
    )
}

#[cfg(test)]
mod tests {
    use super::super::of_html;
    use gleaner_model::Url;

    /// Mistakes that the tree builder mends must not add up to the limit: the words at the end are still in their list.
    #[test]
    fn unclosed_elements_that_do_not_nest_use_up_no_depth() {
        let url = Url::parse("http://a.test/").unwrap();
        for mistake in [
            "<x-row><h1>a<h2>b</h2></x-row>",
            "<span><button>a</span>",
            "<form><div></form></div>",
            "<form><form></form>",
            "<form></form></form>",
            "<span></div></span>",
        ] {
            let html = format!("{}</form></button><ul><li>one<li>two</ul>", mistake.repeat(2000));
            let content = of_html(&html, &url);
            let last = content.blocks.last().unwrap();
            assert!(last.path.contains("ul"), "{mistake}: {}", last.path);
        }
    }
}
