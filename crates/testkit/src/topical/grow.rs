//! How does a site come to be? From parts (publications, people, courses, news, lists of letters), each as large as is still due.

use super::corpus::KEPT;
use super::naming::{
    NEWS_FOLDERS, PEOPLE_FOLDERS, PROJECT_FOLDERS, PUBLICATION_FOLDERS, TEACHING_FOLDERS, file_name,
    site_title, slug,
};
use super::people::person;
use super::site::{FORMATS, NO_TOPIC, NodeKind, Site};
use super::spec::SiteKind;
use super::web::Web;
use super::works::Work;
use crate::sessions::Random;

/// So many entries on one listing.
const LISTED_MAX: usize = 60;

/// A site while it is planned.
pub(super) struct Plot<'a> {
    web: &'a mut Web,
    at: usize,
    random: Random,
    /// The ending of page addresses: `.html`, `.htm`, `.php`, `/` or none.
    ending: &'static str,
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

    fn site(&self) -> &Site {
        &self.web.sites[self.at]
    }

    fn site_mut(&mut self) -> &mut Site {
        &mut self.web.sites[self.at]
    }

    /// A text of the topic: mostly of this site's source.
    fn text_of(&mut self, topic: u8) -> u32 {
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

    fn page(&mut self, parent: u32, kind: NodeKind, topic: u8, path: &str) -> u32 {
        let text = self.text_of(topic);
        self.site_mut().add(parent, kind, topic, text, path)
    }

    /// A page whose address has this site's ending.
    fn leaf(&mut self, parent: u32, kind: NodeKind, topic: u8, folder: &str, name: &str) -> u32 {
        let path = format!("{folder}{name}{}", self.ending);
        self.page(parent, kind, topic, &path)
    }

    fn folder(&mut self, parent: u32, topic: u8, under: &str, names: &[&str]) -> (u32, String) {
        let path = format!("{under}{}/", self.random.pick(names));
        let id = self.page(parent, NodeKind::Listing, topic, &path);
        let path = self.site().path(id).to_owned();
        (id, path)
    }

    fn another_topic(&mut self, topic: u8) -> u8 {
        let topics = self.web.corpus.topics.len();
        let other = self.random.within(0, topics - 2) as u8;
        if other >= topic { other + 1 } else { other }
    }

    /// A document of a genre, new or a copy; sometimes in a second format beside.
    fn document(&mut self, parent: u32, folder: &str, topic: u8, genre: &'static str) {
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

    fn placed(&mut self, parent: u32, folder: &str, name: &str, topic: u8, work: u32, format: u8) {
        let path = format!("{folder}{name}.{}", FORMATS[usize::from(format)]);
        let node = self
            .site_mut()
            .add(parent, NodeKind::Document { work, format }, topic, 0, &path);
        let spot = (self.at as u16, node);
        self.web.works.spots[work as usize].push(spot);
    }

    fn known_work(&mut self, topic: u8, genre: &str) -> Option<u32> {
        let all = &self.web.works.all;
        if all.is_empty() {
            return None;
        }
        (0..200)
            .map(|_| self.random.within(0, all.len() - 1) as u32)
            .find(|at| all[*at as usize].topic == topic && all[*at as usize].genre == genre)
    }

    fn new_work(&mut self, topic: u8, genre: &'static str) -> u32 {
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

    fn format_of(&mut self, genre: &str) -> u8 {
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
    fn file(&mut self, parent: u32, folder: &str, genre: &str) {
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

    fn junk(&mut self, parent: u32, folder: &str) {
        let (sort, number) = (self.random.within(0, 4) as u8, self.random.within(1, 99));
        let path = format!(
            "{folder}{}{number}.pdf",
            self.random.pick(&["paper", "scan", "tr", "old"])
        );
        self.site_mut()
            .add(parent, NodeKind::Junk(sort), NO_TOPIC, 0, &path);
    }

    fn kept_genre(&mut self) -> &'static str {
        *self.random.pick(&[
            "paper",
            "paper",
            "paper",
            "paper",
            "technical-report",
            "technical-report",
            "thesis",
            "faq-or-manual",
        ])
    }

    /// Documents in one of the four ways in which people list them. Gives the pages that it took.
    fn publications(&mut self, parent: u32, under: &str, topic: u8, documents: usize) -> usize {
        let (list, folder) = self.folder(parent, topic, under, PUBLICATION_FOLDERS);
        let before = self.site().nodes.len();
        match self.random.within(0, 3) {
            // One page, or as many as are needed.
            0 => {
                let mut page = list;
                for at in 0..documents {
                    if at > 0 && at % LISTED_MAX == 0 {
                        page = self.leaf(
                            page,
                            NodeKind::Listing,
                            topic,
                            &folder,
                            &format!("more{}", at / LISTED_MAX),
                        );
                    }
                    self.good_or_other(page, &folder, topic);
                }
            }
            // Year by year.
            1 => {
                let years = (documents / 12).clamp(2, 25);
                for year in 0..years {
                    let page = self.leaf(
                        list,
                        NodeKind::Listing,
                        topic,
                        &folder,
                        &(2024 - year).to_string(),
                    );
                    for _ in 0..documents / years {
                        self.good_or_other(page, &folder, topic);
                    }
                }
            }
            // A page about each.
            2 => {
                let mut page = list;
                for at in 0..documents {
                    if at > 0 && at % LISTED_MAX == 0 {
                        page = self.leaf(
                            page,
                            NodeKind::Listing,
                            topic,
                            &folder,
                            &format!("list{}", at / LISTED_MAX),
                        );
                    }
                    let about = self.leaf(
                        page,
                        NodeKind::Abstract,
                        topic,
                        &folder,
                        &format!("abs-{}", 1000 + at),
                    );
                    self.good_or_other(about, &folder, topic);
                }
            }
            // As a server lists its files, in folders.
            _ => {
                let folders = (documents / 25).max(1);
                for number in 0..folders {
                    let name = format!(
                        "{folder}{}{number}/",
                        self.random.pick(&["vol", "tr", "set", "s"])
                    );
                    let page = self.page(list, NodeKind::Listing, topic, &name);
                    for _ in 0..documents / folders {
                        self.good_or_other(page, &name, topic);
                    }
                }
            }
        }
        self.site().nodes.len() - before
    }

    /// Mostly what a list of publications is for.
    fn good_or_other(&mut self, parent: u32, folder: &str, topic: u8) {
        match self.random.within(0, 19) {
            0..=14 => {
                let genre = self.kept_genre();
                self.document(parent, folder, topic, genre);
            }
            15 | 16 => self.document(parent, folder, topic, "slides"),
            17 => self.document(parent, folder, topic, "book"),
            18 => self.file(parent, folder, "paper"),
            _ => self.junk(parent, folder),
        }
    }

    fn people(&mut self, parent: u32, under: &str, topic: u8, people: usize) {
        let (list, _) = self.folder(parent, topic, under, PEOPLE_FOLDERS);
        for _ in 0..people {
            let name = person(&mut self.random);
            let login = name.rsplit(' ').next().unwrap_or_default().to_lowercase();
            let mut folder = format!("{under}~{login}/");
            let topic = if self.random.percent(80) {
                topic
            } else {
                self.another_topic(topic)
            };
            let page = self.page(list, NodeKind::Person, topic, &folder);
            self.site().path(page).clone_into(&mut folder);
            if self.random.percent(60) {
                self.file(page, &folder, "cv");
            }
            // A few write much, many hardly anything.
            let written = if self.random.percent(25) {
                self.random.within(4, 14)
            } else {
                self.random.within(0, 3)
            };
            let place = if self.random.percent(50) {
                folder.clone()
            } else {
                format!("{folder}papers/")
            };
            for _ in 0..written {
                self.good_or_other(page, &place, topic);
            }
            for (name, share) in [
                ("hobbies", 40),
                ("photos", 25),
                ("links", 30),
                ("vita", 20),
                ("contact", 30),
                ("family", 15),
            ] {
                if self.random.percent(share) {
                    let kind = if name == "links" {
                        NodeKind::Links
                    } else {
                        NodeKind::Content
                    };
                    let other = self.another_topic(topic);
                    let about = if name == "links" { topic } else { other };
                    self.leaf(page, kind, about, &folder, name);
                }
            }
        }
    }

    fn teaching(&mut self, parent: u32, under: &str, topic: u8, courses: usize) {
        let (list, folder) = self.folder(parent, topic, under, TEACHING_FOLDERS);
        for _ in 0..courses {
            let number = self.random.within(101, 699);
            let folder = format!("{folder}cs{number}/");
            let page = self.page(list, NodeKind::Listing, topic, &folder);
            self.document(page, &folder, topic, "syllabus");
            for _ in 0..self.random.within(3, 10) {
                let genre = *self.random.pick(&[
                    "slides",
                    "slides",
                    "slides",
                    "assignment-or-exam",
                    "assignment-or-exam",
                ]);
                if self.random.percent(20) {
                    self.file(page, &folder, genre);
                } else {
                    self.document(page, &folder, topic, genre);
                }
            }
            for at in 0..self.random.within(0, 6) {
                self.leaf(page, NodeKind::Content, topic, &folder, &format!("notes{at}"));
            }
            // Student theses and readings stand among it.
            if self.random.percent(20) {
                self.document(page, &folder, topic, "thesis");
            }
            if self.random.percent(15) {
                self.document(page, &folder, topic, "paper");
            }
        }
    }

    fn projects(&mut self, parent: u32, under: &str, topic: u8, projects: usize) {
        let (list, folder) = self.folder(parent, topic, under, PROJECT_FOLDERS);
        for _ in 0..projects {
            let text = self.text_of(topic);
            let title = &self.web.corpus.topics[usize::from(topic)].texts[text as usize].title;
            let name = slug(title, 3);
            let path = format!("{folder}{name}/");
            let page = self.site_mut().add(list, NodeKind::Content, topic, text, &path);
            for at in 0..self.random.within(0, 5) {
                self.leaf(page, NodeKind::Content, topic, &path, &format!("part{at}"));
            }
            if self.random.percent(40) {
                for _ in 0..self.random.within(1, 4) {
                    let genre = *self
                        .random
                        .pick(&["technical-report", "faq-or-manual", "slides", "paper"]);
                    self.document(page, &path, topic, genre);
                }
            }
        }
    }

    /// News, letters, threads: listings of posts, newest first, the last listing pointing at none.
    fn posts(&mut self, parent: u32, under: &str, topic: u8, posts: usize, what: &str) {
        let folder = format!("{under}/");
        let list = self.page(parent, NodeKind::Listing, topic, &folder);
        let months = (posts / LISTED_MAX).max(1);
        let mut left = posts;
        let mut before = list;
        for month in 0..months {
            let (year, number) = (2024 - month / 12, 12 - month % 12);
            let folder = format!("{folder}{year}-{number:02}/");
            // A chain: each month knows the one before; the first twelve stand on the list.
            let parent = if month < 12 { list } else { before };
            let page = self.page(parent, NodeKind::Listing, topic, &folder);
            before = page;
            for at in 0..LISTED_MAX.min(left) {
                self.leaf(
                    page,
                    NodeKind::Post,
                    topic,
                    &folder,
                    &format!("{what}{:04}", month * LISTED_MAX + at),
                );
            }
            left = left.saturating_sub(LISTED_MAX);
        }
    }

    fn group(&mut self, parent: u32, under: &str, topic: u8, pages: usize) {
        let documents = pages * 22 / 100;
        self.publications(parent, under, topic, documents.max(3));
        self.people(parent, under, topic, (pages / 28).max(2));
        self.teaching(parent, under, topic, (pages / 90).max(1));
        self.projects(parent, under, topic, (pages / 40).max(2));
        let (at, ending) = (NEWS_FOLDERS, pages * 20 / 100);
        let name = format!("{under}{}", self.random.pick(at));
        let about = if self.random.percent(50) { topic } else { NO_TOPIC };
        self.posts(parent, &name, about, ending, "item");
        self.leaf(parent, NodeKind::Links, topic, under, "links");
        self.leaf(parent, NodeKind::Content, NO_TOPIC, under, "contact");
        self.files(parent, under, pages / 60);
    }

    /// Forms, minutes, price lists: real documents nobody collects.
    fn files(&mut self, parent: u32, under: &str, files: usize) {
        let folder = format!(
            "{under}{}/",
            self.random
                .pick(&["admin", "office", "downloads", "info", "internal"])
        );
        let page = self.page(parent, NodeKind::Listing, NO_TOPIC, &folder);
        for _ in 0..files.clamp(2, 120) {
            let genre = *self.random.pick(&[
                "form",
                "letter-or-minutes",
                "flyer-or-pricelist",
                "source-or-data",
                "link-list",
                "book",
                "cv",
            ]);
            self.file(page, &folder, genre);
        }
    }

    fn archive(&mut self, topic: u8, pages: usize) {
        // Half of the archives have one subject, the others several.
        let subjects = if self.random.percent(50) {
            1
        } else {
            self.random.within(2, 4)
        };
        for number in 0..subjects {
            let subject = if number == 0 {
                topic
            } else {
                self.another_topic(topic)
            };
            let name = self.web.corpus.topics[usize::from(subject)].name.clone();
            let folder = format!(
                "/{}/",
                if self.random.percent(70) {
                    name
                } else {
                    format!("subject{number}")
                }
            );
            let list = self.page(0, NodeKind::Listing, subject, &folder);
            let records = pages / subjects * 45 / 100;
            let mut page = list;
            let per_list = 40;
            for at in 0..records {
                if at % per_list == 0 {
                    let parent = if at / per_list < 15 { list } else { page };
                    page = self.leaf(
                        parent,
                        NodeKind::Listing,
                        subject,
                        &folder,
                        &format!("browse-{}", at / per_list),
                    );
                }
                let about = self.leaf(
                    page,
                    NodeKind::Abstract,
                    subject,
                    &format!("{folder}abs/"),
                    &format!("{:05}", 10_000 + at),
                );
                let files = format!(
                    "{folder}{}/",
                    if self.ending == ".php" { "download" } else { "pdf" }
                );
                self.good_or_other(about, &files, subject);
            }
        }
        self.leaf(0, NodeKind::Content, NO_TOPIC, "/", "about");
        self.leaf(0, NodeKind::Links, topic, "/", "related");
        let browse = "/authors/";
        let list = self.page(0, NodeKind::Listing, NO_TOPIC, browse);
        for _ in 0..pages / 15 {
            let name = slug(&person(&mut self.random), 2);
            self.leaf(list, NodeKind::Person, topic, browse, &name);
        }
    }

    fn university(&mut self, pages: usize) {
        let departments = self.random.within(7, 12);
        let list = self.page(0, NodeKind::Listing, NO_TOPIC, "/departments/");
        let is_on = self.site().is_on;
        let topic = self.site().topic;
        for number in 0..departments {
            let subject = if is_on && number == departments / 2 {
                topic
            } else {
                self.another_topic(topic)
            };
            let name = self.web.corpus.topics[usize::from(subject)].name.clone();
            let short: String = if self.random.percent(60) {
                name
            } else {
                format!("dept{}", 10 + number)
            };
            let under = format!("/{short}/");
            let home = self.page(list, NodeKind::Listing, subject, &under);
            let under = self.site().path(home).to_owned();
            self.group(home, &under, subject, (pages / 40).clamp(60, 500));
        }
        let left = pages.saturating_sub(self.site().nodes.len());
        self.posts(0, "/news", NO_TOPIC, left * 30 / 100, "story");
        self.posts(0, "/events", NO_TOPIC, left * 25 / 100, "event");
        let catalogue = self.page(0, NodeKind::Listing, NO_TOPIC, "/catalogue/");
        let mut page = catalogue;
        for at in 0..left * 40 / 100 {
            if at % LISTED_MAX == 0 {
                page = self.leaf(
                    catalogue,
                    NodeKind::Listing,
                    NO_TOPIC,
                    "/catalogue/",
                    &format!("shelf{}", at / LISTED_MAX),
                );
            }
            self.leaf(
                page,
                NodeKind::Goods,
                NO_TOPIC,
                "/catalogue/",
                &format!("record{at}"),
            );
        }
        self.files(0, "/", (left / 100).min(100));
        for name in ["admissions", "campus", "history", "jobs", "contact", "alumni"] {
            self.leaf(0, NodeKind::Content, NO_TOPIC, "/", name);
        }
    }

    fn manual(&mut self, parent: u32, under: &str, topic: u8, pages: usize) {
        let (list, folder) = self.folder(
            parent,
            topic,
            under,
            &["docs", "manual", "guide", "documentation", "handbook"],
        );
        let chapters = (pages / 25).clamp(2, 40);
        for chapter in 0..chapters {
            let path = format!("{folder}ch{chapter:02}/");
            let page = self.page(list, NodeKind::Content, topic, &path);
            for section in 0..(pages * 75 / 100 / chapters).max(1) {
                self.leaf(page, NodeKind::Content, topic, &path, &format!("sec{section}"));
            }
        }
        let (list, folder) = self.folder(parent, topic, under, &["faq", "support", "help", "resources"]);
        for _ in 0..(pages * 12 / 100).max(2) {
            let genre = *self.random.pick(&[
                "faq-or-manual",
                "faq-or-manual",
                "faq-or-manual",
                "technical-report",
                "paper",
            ]);
            self.document(list, &folder, topic, genre);
        }
        self.leaf(parent, NodeKind::Content, NO_TOPIC, under, "license");
        self.leaf(parent, NodeKind::Links, topic, under, "related");
    }

    /// Documents near the home page, and then letters upon letters.
    fn tail(&mut self, topic: u8, pages: usize) {
        let documents = (pages / 40).clamp(12, 120);
        self.publications(0, "/", topic, documents);
        let (list, folder) = self.folder(0, topic, "/", &["docs", "drafts", "charter"]);
        for _ in 0..4 {
            self.document(list, &folder, topic, "faq-or-manual");
        }
        self.leaf(0, NodeKind::Links, topic, "/", "links");
        let left = pages.saturating_sub(self.site().nodes.len());
        self.posts(0, "/pipermail/discuss", topic, left * 70 / 100, "msg");
        self.posts(0, "/pipermail/commits", topic, left * 25 / 100, "msg");
        self.files(0, "/", 10);
    }

    fn shop(&mut self, topic: u8, pages: usize) {
        let list = self.page(0, NodeKind::Listing, NO_TOPIC, "/products/");
        let mut page = list;
        for at in 0..pages * 80 / 100 {
            if at % 40 == 0 {
                page = self.leaf(
                    list,
                    NodeKind::Listing,
                    NO_TOPIC,
                    "/products/",
                    &format!("cat{}", at / 40),
                );
            }
            let goods = self.leaf(
                page,
                NodeKind::Goods,
                NO_TOPIC,
                "/products/",
                &format!("item{at}"),
            );
            if self.random.percent(12) {
                let genre = *self.random.pick(&["flyer-or-pricelist", "form", "faq-or-manual"]);
                self.document_or_file(goods, "/files/", topic, genre);
            }
        }
        self.files(0, "/", 5);
    }

    fn document_or_file(&mut self, parent: u32, folder: &str, topic: u8, genre: &'static str) {
        if matches!(genre, "flyer-or-pricelist" | "form") || self.random.percent(30) {
            self.file(parent, folder, genre);
        } else {
            self.document(parent, folder, topic, genre);
        }
    }

    fn blog(&mut self, topic: u8, pages: usize) {
        self.posts(0, "/posts", topic, pages * 85 / 100, "post");
        let page = self.leaf(0, NodeKind::Person, topic, "/", "about");
        self.file(page, "/", "cv");
        for _ in 0..self.random.within(0, 3) {
            let genre = *self.random.pick(&["slides", "paper", "slides"]);
            self.document(page, "/files/", topic, genre);
        }
        self.leaf(0, NodeKind::Links, topic, "/", "blogroll");
    }

    fn hub(&mut self, topic: u8, pages: usize) {
        for number in 0..pages {
            let about = if self.random.percent(80) {
                topic
            } else {
                self.another_topic(topic)
            };
            self.leaf(
                0,
                NodeKind::Links,
                about,
                "/",
                &format!("{}{number}", ["resources", "sites", "list"][number % 3]),
            );
        }
        if self.random.percent(50) {
            self.document(0, "/", topic, "faq-or-manual");
        }
    }

    fn foreign(&mut self, pages: usize) {
        self.posts(0, "/aktuell", NO_TOPIC, pages / 2, "a");
        let list = self.page(0, NodeKind::Listing, NO_TOPIC, "/dokumente/");
        for at in 0..pages * 20 / 100 {
            let about = self.leaf(
                list,
                NodeKind::Content,
                NO_TOPIC,
                "/dokumente/",
                &format!("seite{at}"),
            );
            let genre = *self.random.pick(&[
                "thesis",
                "cv",
                "syllabus",
                "assignment-or-exam",
                "faq-or-manual",
                "letter-or-minutes",
            ]);
            self.file(about, "/dokumente/", genre);
        }
        self.files(0, "/", 10);
    }
}
