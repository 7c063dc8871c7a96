//! What an element is to a reader: does it break lines, does it show its text, what does its text amount to?

use html5ever::{LocalName, local_name};

/// HTML's elements, grouped by what they mean for text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Html,
    Body,
    Title,
    Base,
    Link,
    Input,
    Break,
    Rule,
    Heading(u8),
    Paragraph,
    Quote,
    List,
    OrderedList,
    Item,
    DefinitionList,
    Term,
    Definition,
    Table,
    TableGroup,
    Row,
    Cell,
    Caption,
    Pre,
    Main,
    Article,
    Section,
    Nav,
    Aside,
    Header,
    Footer,
    Form,
    /// Buttons, selections, text areas: they stand for themselves.
    Control,
    Dialog,
    Figure,
    Noscript,
    Div,
    /// Other elements that break the line.
    Block,
    /// `strong`, `b`.
    Strong,
    /// `em`, `i`.
    Emphasis,
    InlineCode,
    Image,
    /// Everything that flows with the text.
    Inline,
    /// Not shown, nor anything in it.
    Hidden,
}

impl Tag {
    /// Text before, in and after it stands on different lines.
    pub(super) fn breaks(self) -> bool {
        !matches!(
            self,
            Tag::Link
                | Tag::Break
                | Tag::Strong
                | Tag::Emphasis
                | Tag::InlineCode
                | Tag::Image
                | Tag::Inline
                | Tag::Hidden
                | Tag::Title
                | Tag::Base
        )
    }

    pub(super) fn is_hidden(self) -> bool {
        matches!(self, Tag::Hidden | Tag::Title | Tag::Base)
    }

    /// The page itself: scripts often show what its style hides until they have run.
    pub(super) fn is_page(self) -> bool {
        matches!(self, Tag::Html | Tag::Body | Tag::Main)
    }

    /// An element whose presence says that a table row lays out a page instead of holding data.
    pub(super) fn breaks_rows(self) -> bool {
        matches!(
            self,
            Tag::Table
                | Tag::Heading(_)
                | Tag::List
                | Tag::OrderedList
                | Tag::DefinitionList
                | Tag::Pre
                | Tag::Form
                | Tag::Article
                | Tag::Section
                | Tag::Main
                | Tag::Nav
                | Tag::Quote
                | Tag::Rule
        )
    }
}

pub(super) fn of(name: &LocalName) -> Tag {
    match *name {
        local_name!("html") => Tag::Html,
        local_name!("body") => Tag::Body,
        local_name!("title") => Tag::Title,
        local_name!("base") => Tag::Base,
        local_name!("a") | local_name!("area") => Tag::Link,
        local_name!("input") => Tag::Input,
        local_name!("br") => Tag::Break,
        local_name!("hr") => Tag::Rule,
        local_name!("h1") => Tag::Heading(1),
        local_name!("h2") => Tag::Heading(2),
        local_name!("h3") => Tag::Heading(3),
        local_name!("h4") => Tag::Heading(4),
        local_name!("h5") => Tag::Heading(5),
        local_name!("h6") => Tag::Heading(6),
        local_name!("p") => Tag::Paragraph,
        local_name!("blockquote") => Tag::Quote,
        local_name!("ul") | local_name!("menu") | local_name!("dir") => Tag::List,
        local_name!("ol") => Tag::OrderedList,
        local_name!("li") => Tag::Item,
        local_name!("dl") => Tag::DefinitionList,
        local_name!("dt") => Tag::Term,
        local_name!("dd") => Tag::Definition,
        local_name!("table") => Tag::Table,
        local_name!("thead") | local_name!("tbody") | local_name!("tfoot") => Tag::TableGroup,
        local_name!("tr") => Tag::Row,
        local_name!("td") | local_name!("th") => Tag::Cell,
        local_name!("caption") | local_name!("figcaption") => Tag::Caption,
        local_name!("pre") | local_name!("listing") | local_name!("xmp") | local_name!("plaintext") => {
            Tag::Pre
        }
        local_name!("main") => Tag::Main,
        local_name!("article") => Tag::Article,
        local_name!("section") => Tag::Section,
        local_name!("nav") => Tag::Nav,
        local_name!("aside") => Tag::Aside,
        local_name!("header") => Tag::Header,
        local_name!("footer") => Tag::Footer,
        local_name!("form") => Tag::Form,
        local_name!("button") | local_name!("select") | local_name!("textarea") | local_name!("option") => {
            Tag::Control
        }
        local_name!("dialog") => Tag::Dialog,
        // We run no scripts, so we are the reader it is written for: whole forums stand in it.
        local_name!("noscript") => Tag::Noscript,
        local_name!("figure") => Tag::Figure,
        local_name!("div") => Tag::Div,
        local_name!("address")
        | local_name!("center")
        | local_name!("details")
        | local_name!("fieldset")
        | local_name!("hgroup")
        | local_name!("legend")
        | local_name!("optgroup")
        | local_name!("search")
        | local_name!("summary") => Tag::Block,
        local_name!("strong") | local_name!("b") => Tag::Strong,
        local_name!("em") | local_name!("i") => Tag::Emphasis,
        local_name!("code") | local_name!("kbd") | local_name!("samp") | local_name!("tt") => Tag::InlineCode,
        local_name!("img") => Tag::Image,
        local_name!("head")
        | local_name!("script")
        | local_name!("style")
        | local_name!("template")
        | local_name!("noembed")
        | local_name!("noframes")
        | local_name!("iframe")
        | local_name!("datalist")
        | local_name!("audio")
        | local_name!("video")
        | local_name!("canvas")
        | local_name!("rp") => Tag::Hidden,
        _ => Tag::Inline,
    }
}

/// In SVG and `MathML`: drawings show their text, but neither their names nor their descriptions.
pub(super) fn of_foreign(name: &LocalName) -> Tag {
    match *name {
        local_name!("title")
        | local_name!("desc")
        | local_name!("metadata")
        | local_name!("style")
        | local_name!("script")
        | local_name!("defs")
        | local_name!("symbol")
        | local_name!("annotation")
        | local_name!("annotation-xml") => Tag::Hidden,
        _ => Tag::Inline,
    }
}
