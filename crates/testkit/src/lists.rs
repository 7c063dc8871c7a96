//! Pages that are read for a list: directories, tables of contents, frames with a menu and nothing else.
//!
//! In: a shape and entries. Out: the page. What is changed between two of them is the caller's.

/// How a list may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// All of the page is in a `nav`.
    Nav,
    /// A heading and a menu by name.
    NamedMenu,
    /// A list between a header and a footer, with nothing to say what it is.
    Plain,
    /// A side bar alone, as a page of a frame set.
    SideBar,
    Definitions,
    Table,
    /// Rows of links without list elements.
    Rows,
    /// A list in `main`, with a large menu around it.
    InMain,
    /// A menu, and one sentence of text.
    WithSentence,
}

impl Shape {
    pub const ALL: [Shape; 9] = [
        Shape::Nav,
        Shape::NamedMenu,
        Shape::Plain,
        Shape::SideBar,
        Shape::Definitions,
        Shape::Table,
        Shape::Rows,
        Shape::InMain,
        Shape::WithSentence,
    ];
}

/// An entry: where it leads and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListItem {
    pub path: String,
    pub text: String,
}

/// Entries that differ from page to page.
pub fn entries(page: usize, count: usize) -> Vec<ListItem> {
    const WHAT: [&str; 7] = [
        "Reports", "Minutes", "Plans", "Letters", "Maps", "Lists", "Papers",
    ];
    const OF: [&str; 5] = [
        "the council",
        "the harbour",
        "the school",
        "the choir",
        "the mill",
    ];
    let entry = |at: usize| ListItem {
        path: format!("#e{page}-{at}"),
        text: format!("{} of {} {}", WHAT[(page + at) % 7], OF[at % 5], 100 * page + at),
    };
    (0..count).map(entry).collect()
}

pub fn page(shape: Shape, entries: &[ListItem]) -> String {
    let written = |open: &str, close: &str| -> String {
        let write =
            |entry: &ListItem| format!("{open}<a href=\"{}\">{}</a>{close}\n", entry.path, entry.text);
        entries.iter().map(write).collect()
    };
    let list = || format!("<ul>\n{}</ul>", written("<li>", "</li>"));
    let frame = "<header><a href=\"/\">The Archive</a></header>";
    let footer = "<footer><p>The Archive of the town</p></footer>";
    let body = match shape {
        Shape::Nav => format!("<nav>{}</nav>", list()),
        Shape::NamedMenu => format!("<h1>Contents</h1><div id=\"menu\">{}</div>", list()),
        Shape::Plain => format!("{frame}<div>{}</div>{footer}", list()),
        Shape::SideBar => format!("<div class=\"sidebar\"><h3>Archive</h3>{}</div>", list()),
        Shape::Definitions => format!(
            "{frame}<dl>{}</dl>{footer}",
            written("<dt>", "</dt><dd>To be had at the desk</dd>")
        ),
        Shape::Table => format!(
            "{frame}<table>{}</table>{footer}",
            written("<tr><td>", "</td><td>open</td></tr>")
        ),
        Shape::Rows => format!(
            "{frame}<div class=\"navigation\">{}</div>{footer}",
            written("", "<br>")
        ),
        Shape::InMain => {
            let section = |at| format!("<li><a href=\"#m{at}\">Section {at} of the archive</a></li>");
            let menu = (0..40).map(section).collect::<Vec<String>>().concat();
            format!(
                "{frame}<nav><ul>{menu}</ul></nav><main><h1>Contents</h1>{}</main>{footer}",
                list()
            )
        }
        Shape::WithSentence => format!(
            "{frame}<h1>Contents</h1><p>All that the archive has is named here.</p><div class=\"nav-list\">{}</div>{footer}",
            list()
        ),
    };
    format!(
        "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>Contents</title></head><body>{body}</body></html>\n"
    )
}
