//! What does a page show? A menu, a way back, text, its children, and here and there a link elsewhere.

use std::fmt::Write;

use super::formats::escaped;
use super::hosts::Hosts;
use super::naming::slug;
use super::site::{FORMATS, NO_TOPIC, Node, NodeKind, Site, Trap};
use super::spec::SiteKind;
use super::titles::{title, words_of};
use super::web::Web;
use crate::sessions::Random;

/// What is asked for, beside the page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) epoch: u8,
    /// The session that the address carries.
    pub(super) session: Option<u64>,
    /// Which page of an endless listing.
    pub(super) number: u64,
}

/// One page while it is written.
struct Sheet<'a> {
    web: &'a Web,
    hosts: &'a Hosts,
    site: &'a Site,
    id: u32,
    asked: Asked,
    session: Option<u64>,
    random: Random,
    out: String,
}

pub(super) fn page(web: &Web, hosts: &Hosts, site: &Site, id: u32, asked: Asked) -> String {
    let session = (site.trap == Trap::Sessions).then(|| {
        asked
            .session
            .unwrap_or_else(|| mixed(site.salt, u64::from(id) + 1) >> 24)
    });
    let mut sheet = Sheet {
        web,
        hosts,
        site,
        id,
        asked,
        session,
        random: Random::of(&[site.salt, u64::from(id)]),
        out: String::with_capacity(6_000),
    };
    sheet.write();
    sheet.out
}

/// A number from two.
pub(super) fn mixed(a: u64, b: u64) -> u64 {
    crate::synth::mix(crate::synth::mix(a) ^ b)
}

impl Sheet<'_> {
    fn node(&self) -> &Node {
        &self.site.nodes[self.id as usize]
    }

    fn write(&mut self) {
        let title = title(self.web, self.site, self.id);
        let site_title = escaped(&self.site.title);
        let _ = write!(
            self.out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{} - {site_title}</title>\n",
            escaped(&title)
        );
        if self.node().topic != NO_TOPIC && self.random.percent(30) {
            let words = self.web.corpus.vocabulary.own(usize::from(self.node().topic));
            let keywords: Vec<&str> = (0..5)
                .map(|_| self.random.pick(&words[..words.len().min(60)]).as_str())
                .collect();
            let _ = writeln!(
                self.out,
                "<meta name=\"keywords\" content=\"{}\">",
                keywords.join(", ")
            );
        }
        self.out.push_str("</head><body>\n");
        self.menu();
        let _ = write!(self.out, "<main>\n<h1>{}</h1>\n", escaped(&title));
        self.text();
        self.children();
        self.elsewhere();
        self.out.push_str("</main>\n");
        self.foot();
    }

    /// An address of this site, as its pages write it.
    fn address(&self, to: u32) -> String {
        let path = self.site.path(to);
        let mut address =
            if self.site.kind == SiteKind::Renaming && self.site.nodes[to as usize].kind.is_file() {
                // Another name on every page: who comes by two ways gets two names.
                let name = path.rsplit('/').next().unwrap_or_default();
                let token = (u64::from(to) << 24)
                    | (mixed(self.site.salt, u64::from(self.id) << 32 | u64::from(to)) & 0xff_ffff);
                format!("/get/{token:014x}/{name}")
            } else {
                path.to_owned()
            };
        if let Some(session) = self.session {
            let _ = write!(address, "?PHPSESSID={session:010x}");
        }
        address
    }

    fn link(&mut self, to: u32, anchor: &str) {
        let address = self.address(to);
        let _ = write!(self.out, "<a href=\"{address}\">{}</a>", escaped(anchor));
    }

    fn is_alive(&self, node: u32) -> bool {
        self.site.is_alive(node, self.asked.epoch)
    }

    /// The parts of the site, on most pages of most sites.
    fn menu(&mut self) {
        if self.id == 0 || (self.site.salt % 10 < 7 && !matches!(self.node().kind, NodeKind::Post)) {
            self.out.push_str("<nav><ul>");
            let parts: Vec<u32> = self.site.nodes[0]
                .children
                .iter()
                .copied()
                .filter(|part| !self.site.nodes[*part as usize].kind.is_file())
                .take(14)
                .collect();
            for part in parts {
                self.out.push_str("<li>");
                let anchor = words_of(self.site.path(part));
                self.link(part, &anchor);
                self.out.push_str("</li>");
            }
            self.out.push_str("</ul></nav>\n");
        }
        if self.id != 0 {
            self.out.push_str("<p class=\"crumbs\">");
            self.link(0, "Home");
            let parent = self.node().parent;
            if parent != 0 {
                self.out.push_str(" &gt; ");
                let anchor = words_of(self.site.path(parent));
                self.link(parent, &anchor);
            }
            self.out.push_str("</p>\n");
        }
    }

    fn paragraph(&mut self, text: &str) {
        let _ = writeln!(self.out, "<p>{}</p>", escaped(text));
    }

    fn text(&mut self) {
        let (kind, topic, text) = (self.node().kind, self.node().topic, self.node().text);
        let corpus = &self.web.corpus;
        let many = match kind {
            NodeKind::Content => self.random.within(4, 12),
            NodeKind::Post => self.random.within(1, 3),
            NodeKind::Home | NodeKind::Person | NodeKind::Links => 1,
            NodeKind::Goods | NodeKind::Abstract | NodeKind::Listing => usize::from(self.random.percent(40)),
            NodeKind::Document { .. } | NodeKind::File(_) | NodeKind::Junk(_) => 0,
        };
        if let NodeKind::Abstract = kind {
            self.about();
        }
        if self.site.kind == SiteKind::Foreign && !corpus.foreign.is_empty() {
            for _ in 0..many.max(1) {
                let said = self.random.pick(&corpus.foreign);
                self.paragraph(said);
            }
            return;
        }
        // Where nothing is said about a subject, anything may be said.
        let topic = if topic == NO_TOPIC {
            self.random.within(0, corpus.topics.len() - 1) as u8
        } else {
            topic
        };
        let texts = &corpus.topics[usize::from(topic)].texts;
        let shown = &texts[text as usize % texts.len()];
        let start = self.random.within(0, shown.paragraphs.len() - 1);
        if kind == NodeKind::Goods {
            let (price, number) = (self.random.within(3, 900), self.random.within(10_000, 99_999));
            self.paragraph(&format!(
                "Item {number}. Price: {price}.00. In stock. Add to basket."
            ));
        }
        if matches!(kind, NodeKind::Post | NodeKind::Listing) && self.node().topic == NO_TOPIC {
            let (day, place) = (self.random.within(1, 28), super::people::place(&mut self.random));
            self.paragraph(&format!("On day {day} of the month the office in {place} announces changes of opening hours, visitors and a party."));
        }
        for at in 0..many {
            let said = &shown.paragraphs[(start + at) % shown.paragraphs.len()];
            if kind == NodeKind::Content && self.random.percent(70) {
                self.paragraph(said);
            } else {
                // Sentences of another text make each page its own.
                let other = self.random.pick(texts);
                let other = self.random.pick(&other.paragraphs);
                let half = said.floor_char_boundary(said.len() / 2);
                let mixed = format!("{} {other}", &said[..half]);
                self.paragraph(&mixed);
            }
        }
        // Links that the real text has, where this site shows the other text too.
        if kind == NodeKind::Content {
            let related: Vec<u32> = shown
                .links
                .iter()
                .filter_map(|link| self.page_with(topic, *link))
                .collect();
            for to in related {
                let anchor = title(self.web, self.site, to);
                self.out.push_str("<p>See also ");
                self.link(to, &anchor);
                self.out.push_str(".</p>\n");
            }
        }
    }

    /// The nearest page of this site that shows a text.
    fn page_with(&self, topic: u8, text: u32) -> Option<u32> {
        let last = self.site.nodes.len() as u32;
        (self.id + 1..last.min(self.id + 300))
            .chain(self.id.saturating_sub(300)..self.id)
            .find(|at| {
                let node = &self.site.nodes[*at as usize];
                node.kind == NodeKind::Content && node.topic == topic && node.text == text
            })
    }

    /// What stands about a document: title, authors, the beginning of its text.
    fn about(&mut self) {
        let Some(NodeKind::Document { work, .. }) = self
            .node()
            .children
            .first()
            .map(|child| self.site.nodes[*child as usize].kind)
        else {
            return;
        };
        let work = &self.web.works.all[work as usize];
        let (authors, year) = (work.authors().join(", "), work.year());
        self.paragraph(&format!("{authors} ({year})"));
        let texts = &self.web.corpus.topics[usize::from(work.topic)].texts;
        let text = self.random.pick(texts);
        let said = self.random.pick(&text.paragraphs);
        self.paragraph(&format!("Abstract. {said}"));
    }

    fn children(&mut self) {
        let children: Vec<u32> = self
            .node()
            .children
            .iter()
            .copied()
            .filter(|child| self.is_alive(*child))
            .collect();
        if !children.is_empty() {
            self.out.push_str("<ul class=\"list\">\n");
            // How a site names its documents is a habit; now and then it is done otherwise.
            let habit = self.site.salt >> 8 & 3;
            for child in children {
                self.out.push_str("<li>");
                let habit = if self.random.percent(15) {
                    self.random.within(0, 3) as u64
                } else {
                    habit
                };
                self.entry(child, habit);
                self.out.push_str("</li>\n");
            }
            self.out.push_str("</ul>\n");
        }
        let node = self.node();
        let parent = node.parent;
        // Letters and news know their neighbours.
        if matches!(node.kind, NodeKind::Post | NodeKind::Content) && self.id > 0 {
            for (to, word) in [(self.id - 1, "Previous"), (self.id + 1, "Next")] {
                if self
                    .site
                    .nodes
                    .get(to as usize)
                    .is_some_and(|other| other.parent == parent && !other.kind.is_file())
                    && self.is_alive(to)
                {
                    self.link(to, word);
                    self.out.push(' ');
                }
            }
        }
        self.traps();
        if self.site.kind == SiteKind::Renaming {
            self.popular();
        }
    }

    fn entry(&mut self, child: u32, habit: u64) {
        let node = &self.site.nodes[child as usize];
        let name = self
            .site
            .path(child)
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let named = title(self.web, self.site, child);
        match node.kind {
            NodeKind::Document { work, format } => {
                let work = &self.web.works.all[work as usize];
                let ending = FORMATS[usize::from(format)];
                match habit {
                    0 => {
                        self.link(child, &named);
                        let _ = write!(
                            self.out,
                            ". {}, {}.",
                            escaped(&work.authors().join(", ")),
                            work.year()
                        );
                    }
                    1 => {
                        let _ = write!(
                            self.out,
                            "{}: {}. {}. ",
                            escaped(&work.authors().join(", ")),
                            escaped(&named),
                            work.year()
                        );
                        self.link(child, &format!("[{ending}]"));
                    }
                    2 => self.link(child, name),
                    _ => {
                        let _ = write!(self.out, "{} ", escaped(&named));
                        let word = *self
                            .random
                            .pick(&["download", "full text", "PDF", "here", "click here"]);
                        self.link(child, word);
                    }
                }
            }
            NodeKind::File(_) | NodeKind::Junk(_) => {
                let anchor = if self.random.percent(50) {
                    name.to_owned()
                } else {
                    named
                };
                self.link(child, &anchor);
            }
            NodeKind::Post | NodeKind::Goods | NodeKind::Content | NodeKind::Abstract => {
                self.link(child, &named);
            }
            _ => {
                let anchor = words_of(self.site.path(child));
                self.link(child, &anchor);
            }
        }
    }

    /// Pages without end.
    fn traps(&mut self) {
        match self.site.trap {
            Trap::Calendar if self.id == 0 => self
                .out
                .push_str("<p><a href=\"/calendar/2024-05.html\">Calendar</a></p>\n"),
            Trap::Pages if self.node().kind == NodeKind::Listing => {
                let path = self.site.path(self.id);
                let _ = writeln!(
                    self.out,
                    "<p><a href=\"{path}?page={}\">Next page</a></p>",
                    self.asked.number + 1
                );
            }
            _ => {}
        }
    }

    /// What everybody reads, on every page, each time under another name.
    fn popular(&mut self) {
        let documents: Vec<u32> = (0..self.site.nodes.len() as u32)
            .filter(|at| self.site.nodes[*at as usize].kind.is_file())
            .take(6)
            .collect();
        self.out.push_str("<aside><h3>Most read</h3><ul>");
        for to in documents {
            let anchor = title(self.web, self.site, to);
            self.out.push_str("<li>");
            self.link(to, &anchor);
            self.out.push_str("</li>");
        }
        self.out.push_str("</ul></aside>\n");
    }

    fn elsewhere(&mut self) {
        if self.node().far.is_empty() {
            return;
        }
        let is_list = self.node().kind == NodeKind::Links;
        self.out.push_str(if is_list {
            "<ul class=\"links\">\n"
        } else {
            "<p>See also: "
        });
        let far: Vec<(u16, u32)> = self.node().far.clone();
        for (to, node) in far {
            let shown = self.web.shown(to);
            let address = format!("http://{}{}", self.hosts.authority(to), shown.path(node));
            let anchor = match self.random.within(0, 11) {
                0 => "here".to_owned(),
                1 => "home page".to_owned(),
                2 => address.clone(),
                3 => slug(&self.web.sites[usize::from(to)].title, 2),
                _ if node == 0 => self.web.sites[usize::from(to)].title.clone(),
                _ => title(self.web, shown, node),
            };
            let (open, close) = if is_list { ("<li>", "</li>\n") } else { ("", " ") };
            let _ = write!(self.out, "{open}<a href=\"{address}\">{}</a>", escaped(&anchor));
            if is_list && self.random.percent(50) && shown.topic != NO_TOPIC {
                let texts = &self.web.corpus.topics[usize::from(shown.topic)].texts;
                let said = &self.random.pick(texts).title;
                let _ = write!(self.out, " - {}", escaped(said));
            }
            self.out.push_str(close);
        }
        self.out.push_str(if is_list { "</ul>\n" } else { "</p>\n" });
    }

    fn foot(&mut self) {
        self.out.push_str("<footer>");
        if self.site.nodes.len() > 1 {
            self.link(0, "Home");
        }
        let _ = write!(
            self.out,
            " <a href=\"mailto:webmaster@site.test\">Write to us</a>. Copyright {}. All rights reserved.</footer>\n</body></html>\n",
            escaped(&self.site.title)
        );
    }
}
