//! How does a site come to be? A plot is a site while its pages and documents are planned; `parts` and `kinds` say which.

use super::corpus::KEPT;
use super::naming::{file_name, site_title};
use super::site::{FORMATS, NO_TOPIC, NodeKind, Site};
use super::spec::SiteKind;
use super::web::Web;
use super::works::Work;
use crate::sessions::Random;

/// A site while it is planned.
pub(super) struct Plot<'a> {
    pub(super) web: &'a mut Web,
    at: usize,
    pub(super) random: Random,
    /// The ending of page addresses: `.html`, `.htm`, `.php`, `/` or none.
    pub(super) ending: &'static str,
}

impl<'a> Plot<'a> {
    pub(super) fn of(web: &'a mut Web, at: usize) -> Plot<'a> {
        let mut random = Random::of(&[web.sites[at].salt, 0x910]);
        let ending = *random.pick(&[".html", ".html", ".htm", ".php", "/", ""]);
        Plot {
            web,
            at,
            random,
            ending,
        }
    }

    pub(super) fn grow(&mut self, pages: usize) {
        let (kind, topic) = (self.site().kind, self.site().topic);
        let library_topic = usize::from(self.web.topic);
        let title = site_title(
            &mut self.random,
            &self.web.corpus,
            kind,
            usize::from(topic),
            library_topic,
        );
        self.site_mut().title = title;
        let home_topic = if matches!(kind, SiteKind::University | SiteKind::Foreign) {
            NO_TOPIC
        } else {
            topic
        };
        let text = self.text_of(topic);
        self.site_mut().add(0, NodeKind::Home, home_topic, text, "/");
        match kind {
            SiteKind::Group => self.group(0, "/", topic, pages),
            SiteKind::Archive | SiteKind::Renaming => self.archive(topic, pages),
            SiteKind::University => self.university(pages),
            SiteKind::Manual => self.manual(0, "/", topic, pages),
            SiteKind::Tail => self.tail(topic, pages),
            SiteKind::Forum => self.posts(0, "/forum", topic, pages, "thread"),
            SiteKind::Shop => self.shop(topic, pages),
            SiteKind::Blog => self.blog(topic, pages),
            SiteKind::Hub => self.hub(topic, pages),
            SiteKind::Foreign => self.foreign(pages),
            SiteKind::Mirror | SiteKind::Moved | SiteKind::Dead => {}
        }
    }

    pub(super) fn site(&self) -> &Site {
        &self.web.sites[self.at]
    }

    pub(super) fn site_mut(&mut self) -> &mut Site {
        &mut self.web.sites[self.at]
    }

    /// A text of the topic: mostly of this site's source.
    pub(super) fn text_of(&mut self, topic: u8) -> u32 {
        if topic == NO_TOPIC {
            return self.random.within(0, usize::MAX >> 33) as u32;
        }
        let own = topic == self.site().topic && self.random.percent(80);
        let source = self.site().source as usize;
        let topic = &self.web.corpus.topics[usize::from(topic)];
        let range = if own {
            topic.sources[source].clone()
        } else {
            0..topic.texts.len() as u32
        };
        range.start + self.random.within(0, (range.end - range.start) as usize - 1) as u32
    }

    pub(super) fn page(&mut self, parent: u32, kind: NodeKind, topic: u8, path: &str) -> u32 {
        let text = self.text_of(topic);
        self.site_mut().add(parent, kind, topic, text, path)
    }

    /// A page whose address has this site's ending.
    pub(super) fn leaf(&mut self, parent: u32, kind: NodeKind, topic: u8, folder: &str, name: &str) -> u32 {
        let path = format!("{folder}{name}{}", self.ending);
        self.page(parent, kind, topic, &path)
    }

    pub(super) fn folder(&mut self, parent: u32, topic: u8, under: &str, names: &[&str]) -> (u32, String) {
        let path = format!("{under}{}/", self.random.pick(names));
        let id = self.page(parent, NodeKind::Listing, topic, &path);
        let path = self.site().path(id).to_owned();
        (id, path)
    }

    pub(super) fn another_topic(&mut self, topic: u8) -> u8 {
        let topics = self.web.corpus.topics.len();
        let other = self.random.within(0, topics - 2) as u8;
        if other >= topic { other + 1 } else { other }
    }

    /// A document of a genre, new or a copy; sometimes in a second format beside.
    pub(super) fn document(&mut self, parent: u32, folder: &str, topic: u8, genre: &'static str) {
        let topic = if topic != NO_TOPIC && self.random.percent(self.web.spec.strayed_percent) {
            self.another_topic(topic)
        } else {
            topic
        };
        if topic == NO_TOPIC {
            return self.file(parent, folder, genre);
        }
        let is_kept = KEPT.contains(&genre);
        let copied = is_kept && self.random.percent(self.web.spec.copies_percent);
        let work = copied
            .then(|| self.known_work(topic, genre))
            .flatten()
            .unwrap_or_else(|| self.new_work(topic, genre));
        let made = self.web.works.all[work as usize].clone();
        let (title, year) = (made.title(&self.web.corpus), made.year());
        let first = self.format_of(genre);
        let name = file_name(&mut self.random, genre, &title, year);
        self.placed(parent, folder, &name, topic, work, first);
        if is_kept && self.random.percent(self.web.spec.formats_percent) {
            let second = *self.random.pick(if first == 0 {
                &[1, 1, 4, 6, 2, 7][..]
            } else {
                &[0][..]
            });
            if second != first {
                self.placed(parent, folder, &name, topic, work, second);
            }
        }
    }

    pub(super) fn placed(&mut self, parent: u32, folder: &str, name: &str, topic: u8, work: u32, format: u8) {
        let path = format!("{folder}{name}.{}", FORMATS[usize::from(format)]);
        let node = self
            .site_mut()
            .add(parent, NodeKind::Document { work, format }, topic, 0, &path);
        let spot = (self.at as u16, node);
        self.web.works.spots[work as usize].push(spot);
    }

    pub(super) fn known_work(&mut self, topic: u8, genre: &str) -> Option<u32> {
        let all = &self.web.works.all;
        if all.is_empty() {
            return None;
        }
        (0..200)
            .map(|_| self.random.within(0, all.len() - 1) as u32)
            .find(|at| all[*at as usize].topic == topic && all[*at as usize].genre == genre)
    }

    pub(super) fn new_work(&mut self, topic: u8, genre: &'static str) -> u32 {
        let skeletons = self.web.corpus.skeletons_of(genre);
        let id = self.web.works.all.len() as u32;
        self.web.works.all.push(Work {
            topic,
            genre,
            skeleton: (!skeletons.is_empty()).then(|| *self.random.pick(&skeletons)),
            salt: self.site().salt ^ (u64::from(id) << 20),
            changes: Vec::new(),
        });
        self.web.works.spots.push(Vec::new());
        id
    }

    pub(super) fn format_of(&mut self, genre: &str) -> u8 {
        let formats: &[u8] = match genre {
            "paper" | "thesis" => &[0, 0, 0, 0, 0, 0, 0, 1, 1, 4, 2],
            "technical-report" => &[0, 0, 0, 1, 7, 7, 2, 3, 6],
            "faq-or-manual" => &[6, 6, 6, 0, 0, 7, 5],
            "slides" => &[0],
            "assignment-or-exam" => &[0, 0, 0, 2, 4],
            "book" | "link-list" => &[6, 5, 0],
            _ => &[6, 0, 2, 3, 7],
        };
        *self.random.pick(formats)
    }

    /// A real document of a genre, in its own format and mostly under its own name.
    pub(super) fn file(&mut self, parent: u32, folder: &str, genre: &str) {
        let files = &self.web.corpus.files;
        let fitting: Vec<u32> = (0..files.len() as u32)
            .filter(|at| files[*at as usize].genre == genre)
            .collect();
        if fitting.is_empty() {
            return;
        }
        let at = *self.random.pick(&fitting);
        let file = &files[at as usize];
        let ending = if file.format == "ps" && file.is_gzipped {
            "ps.gz"
        } else {
            file.format.as_str()
        };
        let stem: String = file
            .name
            .rsplit_once('.')
            .map_or(file.name.as_str(), |parts| parts.0)
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() || "-_.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        let path = format!("{folder}{stem}.{ending}");
        self.site_mut()
            .add(parent, NodeKind::File(at), NO_TOPIC, 0, &path);
    }

    pub(super) fn junk(&mut self, parent: u32, folder: &str) {
        let (sort, number) = (self.random.within(0, 4) as u8, self.random.within(1, 99));
        let path = format!(
            "{folder}{}{number}.pdf",
            self.random.pick(&["paper", "scan", "tr", "old"])
        );
        self.site_mut()
            .add(parent, NodeKind::Junk(sort), NO_TOPIC, 0, &path);
    }
}
