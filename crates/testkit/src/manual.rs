//! A documentation site that is built anew, with the truth about which of its pages were edited.
//!
//! In: a theme, a build and a page's number. Out: the page as that theme's tool would write it. Between two builds the
//! version, the date, the tool, the menu, the header and the way the mark-up is cut may differ; the words of a page differ
//! only where it was edited.

/// The tools whose pages are written here, as they look and in words of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Sphinx,
    Javadoc,
    Docusaurus,
    Jekyll,
}

/// One build of the site.
#[derive(Debug, Clone)]
pub struct Build {
    pub version: &'static str,
    pub date: &'static str,
    pub year: &'static str,
    pub tool: &'static str,
    /// More entries in the menu.
    pub entries: usize,
    /// A box to sign in, in the header.
    pub has_login: bool,
    /// Code coloured by another tool, paragraphs cut at other places.
    pub is_cut_otherwise: bool,
    /// How often each edited page was edited.
    pub edits: usize,
    /// How many pages its menu names.
    pub pages: usize,
}

impl Default for Build {
    fn default() -> Build {
        Build {
            version: "3.2",
            date: "Mar 01, 2024",
            year: "2023",
            tool: "7.2.6",
            entries: 0,
            has_login: false,
            is_cut_otherwise: false,
            edits: 0,
            pages: PAGES,
        }
    }
}

/// Pages of the site, each linked from every other, where a build does not say otherwise.
pub const PAGES: usize = 24;

/// Whether the builds with edits have other words on a page.
pub fn is_edited(number: usize) -> bool {
    number % 6 == 4
}

pub fn path(number: usize) -> String {
    match number {
        0 => "/".to_owned(),
        _ => format!("/reference/topic{number}.html"),
    }
}

fn topic(number: usize) -> String {
    const NAMES: [&str; 6] = ["Reader", "Writer", "Frontier", "Archive", "Ledger", "Signal"];
    format!("{}{}", NAMES[number % NAMES.len()], number)
}

/// A sentence of its own for every page and place.
fn sentence(number: usize, place: usize) -> String {
    const WHO: [&str; 7] = [
        "The caller",
        "A worker",
        "Each thread",
        "The store",
        "A client",
        "This call",
        "The parser",
    ];
    const DOES: [&str; 5] = ["waits for", "returns", "closes", "copies", "counts"];
    const WHAT: [&str; 6] = [
        "every open handle of the pool",
        "the records that were written before",
        "a list of names in their order",
        "the bytes that are left in the buffer",
        "all parts that belong to a batch",
        "the first value that is ready",
    ];
    let seed = number * 31 + place * 17;
    format!(
        "{} {} {} when {} has been called with {} items.",
        WHO[seed % 7],
        DOES[seed / 3 % 5],
        WHAT[seed / 5 % 6],
        topic(seed % PAGES),
        seed % 90 + 2
    )
}

/// The words of a page, which are the same under every theme.
fn body(build: &Build, number: usize) -> String {
    let edits = if is_edited(number) { build.edits } else { 0 };
    let mut lead = sentence(number, 0);
    let (mut size, mut step, mut picture, mut release) =
        (number * 10, "Open the pool first", "overview", "1.4.2");
    // One kind of edit a page, all of them small.
    match (edits, number / 6) {
        (0, _) => {}
        (_, 0) => lead = lead.replace("when", ["before", "after"][edits % 2]),
        (_, 1) => size += edits,
        (_, 2) => step = ["Open the pool last", "Open no pool", "Keep the pool open"][edits % 3],
        _ if edits % 2 == 1 => picture = "details",
        _ => release = "1.4.3",
    }
    let second = format!("{} {}", sentence(number, 1), sentence(number, 2));
    let code = if build.is_cut_otherwise {
        format!(
            "<div class=\"highlight\"><pre><span></span><span class=\"n\">pool</span> <span class=\"o\">=</span> <span class=\"n\">{0}</span><span class=\"p\">()</span>\n<span class=\"n\">pool</span><span class=\"o\">.</span><span class=\"n\">run</span><span class=\"p\">()</span>\n</pre></div>",
            topic(number)
        )
    } else {
        format!(
            "<pre class=\"code\"><code>pool = {}()\npool.run()</code></pre>",
            topic(number)
        )
    };
    let paragraphs = if build.is_cut_otherwise {
        format!("<p>{}</p>\n<p>{}</p>", sentence(number, 1), sentence(number, 2))
    } else {
        format!("<p>{second}</p>")
    };
    let (open, close) = if build.is_cut_otherwise {
        ("<p>", "</p>")
    } else {
        ("", "")
    };
    format!(
        "<p>{lead}</p>\n{paragraphs}\n<p><img src=\"/_images/{picture}.{hash}.png\" alt=\"How it fits together\"></p>\n\
         {code}\n<ul>\n<li>{open}{step}{close}</li>\n<li>{open}{}{close}</li>\n</ul>\n\
         <table><tr><th>Setting</th><th>Value</th></tr><tr><td>size_max</td><td>{size}</td></tr></table>\n\
         <p>Install it with <code>get pool=={release}</code> and start it once. {}</p>\n<p>{}</p>\n",
        sentence(number, 3),
        sentence(number, 4),
        sentence(number, 5),
        hash = if build.is_cut_otherwise {
            "8f3a90bc"
        } else {
            "77ab01ce"
        },
    )
}

fn menu(build: &Build) -> String {
    let entries = (0..build.pages).chain(1..=build.entries);
    let entries =
        entries.map(|number| format!("<li><a href=\"{}\">{}</a></li>\n", path(number), topic(number)));
    format!("<ul>\n{}</ul>", entries.collect::<String>())
}

/// The page, as this build has it.
pub fn page(theme: Theme, build: &Build, number: usize) -> String {
    let (topic, menu, body) = (topic(number), menu(build), body(build, number));
    let Build {
        version,
        date,
        year,
        tool,
        ..
    } = build;
    let login = match (build.has_login, theme) {
        (false, _) => "",
        (true, Theme::Sphinx) => {
            "<div class=\"login\"><a href=\"/\">Sign in</a> or <a href=\"/\">register</a></div>"
        }
        (true, Theme::Javadoc) => {
            "<form action=\"/\"><label>Name <input name=\"n\"></label><label>Password <input type=\"password\" name=\"p\"></label><input type=\"submit\" value=\"Log in\"></form>"
        }
        (true, Theme::Docusaurus) => "<div>Welcome, guest <button>Sign in</button></div>",
        // Whole sentences without a name, in what an extractor may take for a part of the text.
        (true, Theme::Jekyll) => {
            "<p>You are not signed in: <a href=\"/\">sign in</a> to see more of this site, or write to those who keep it.</p>"
        }
    };
    match theme {
        Theme::Sphinx => format!(
            "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Docutils {tool}\">\n\
             <title>{topic} &#8212; Pool {version} documentation</title>\n\
             <link rel=\"stylesheet\" href=\"/_static/basic.css?v={tool}\"></head><body>\n\
             <div class=\"related\" role=\"navigation\"><h3>Navigation</h3><ul><li><a href=\"/\">Pool {version} documentation</a></li></ul>{login}</div>\n\
             <div class=\"document\"><div class=\"documentwrapper\"><div class=\"bodywrapper\"><div class=\"body\" role=\"main\">\n\
             <section id=\"t\"><h1>{topic}<a class=\"headerlink\" href=\"#t\">&para;</a></h1>\n{body}</section></div></div></div>\n\
             <div class=\"sphinxsidebar\"><div class=\"sphinxsidebarwrapper\"><p class=\"logo\">Pool {version}</p>{menu}</div></div></div>\n\
             <div class=\"footer\">&copy; Copyright {year}, The Pool Developers. Last updated on {date}. Created using Sphinx {tool}.</div></body></html>\n"
        ),
        Theme::Javadoc => format!(
            "<!DOCTYPE HTML>\n<!-- Generated by javadoc ({tool}) on {date} -->\n<html><head><meta charset=\"utf-8\">\n\
             <title>{topic} (Pool Core {version} API)</title><meta name=\"date\" content=\"{date}\"></head><body>\n\
             <div class=\"topNav\">{login}<div class=\"aboutLanguage\">Pool Core {version}</div>{menu}</div>\n\
             <div class=\"header\"><div class=\"subTitle\">org.pool</div><h2 title=\"Class {topic}\" class=\"title\">Class {topic}</h2></div>\n\
             <div class=\"contentContainer\"><div class=\"description\">\n{body}</div></div>\n\
             <div class=\"bottomNav\"><div class=\"aboutLanguage\">Pool Core {version}</div></div>\n\
             <p class=\"legalCopy\"><small>Copyright &#169; 2000&#x2013;{year} The Pool Developers. All rights reserved.</small></p></body></html>\n"
        ),
        Theme::Docusaurus => format!(
            "<!doctype html>\n<html data-theme=\"light\"><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Docusaurus v{tool}\">\n\
             <title>{topic} | Pool {version}</title><script src=\"/assets/js/main.{tool}.js\" defer></script></head><body>\n\
             <header><nav class=\"navbar\"><b>Pool</b> <span class=\"version\">{version}</span></nav>{login}</header>\n\
             <div class=\"main-wrapper\"><aside class=\"theme-doc-sidebar-container\"><nav class=\"menu\">{menu}</nav></aside>\n\
             <main><article><div class=\"theme-doc-markdown markdown\"><header><h1>{topic}</h1></header>\n{body}</div>\n\
             <footer class=\"theme-doc-footer\"><div>Last updated on <time>{date}</time> by <b>Ann</b></div></footer></article></main></div>\n\
             <footer class=\"footer\"><div>Copyright &copy; {year} Pool. Built with Docusaurus {tool}.</div></footer></body></html>\n"
        ),
        Theme::Jekyll => format!(
            "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><meta name=\"generator\" content=\"Jekyll v{tool}\">\n\
             <title>{topic} - Pool {version}</title></head><body>\n\
             <div id=\"header\"><h3>Pool</h3><p>The pool that never runs dry</p>{login}</div>\n<div id=\"navigation\">{menu}</div>\n\
             <div id=\"content\"><h1>{topic}</h1>\n{body}<p>This page was generated on {date} by Jekyll {tool}.</p></div>\n\
             <div id=\"footer\"><p>Pool {version}. Last modified: {date}. &copy; {year} The Pool Developers</p></div></body></html>\n"
        ),
    }
}
