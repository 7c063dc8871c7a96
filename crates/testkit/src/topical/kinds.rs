//! Which parts does a site of each kind have, and how much of each?

use super::grow::Plot;
use super::naming::{NEWS_FOLDERS, slug};
use super::parts::LISTED_MAX;
use super::people::person;
use super::site::{NO_TOPIC, NodeKind};

impl Plot<'_> {
    pub(super) fn group(&mut self, parent: u32, under: &str, topic: u8, pages: usize) {
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

    pub(super) fn archive(&mut self, topic: u8, pages: usize) {
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

    pub(super) fn university(&mut self, pages: usize) {
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

    pub(super) fn manual(&mut self, parent: u32, under: &str, topic: u8, pages: usize) {
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
    pub(super) fn tail(&mut self, topic: u8, pages: usize) {
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

    pub(super) fn shop(&mut self, topic: u8, pages: usize) {
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

    pub(super) fn document_or_file(&mut self, parent: u32, folder: &str, topic: u8, genre: &'static str) {
        if matches!(genre, "flyer-or-pricelist" | "form") || self.random.percent(30) {
            self.file(parent, folder, genre);
        } else {
            self.document(parent, folder, topic, genre);
        }
    }

    pub(super) fn blog(&mut self, topic: u8, pages: usize) {
        self.posts(0, "/posts", topic, pages * 85 / 100, "post");
        let page = self.leaf(0, NodeKind::Person, topic, "/", "about");
        self.file(page, "/", "cv");
        for _ in 0..self.random.within(0, 3) {
            let genre = *self.random.pick(&["slides", "paper", "slides"]);
            self.document(page, "/files/", topic, genre);
        }
        self.leaf(0, NodeKind::Links, topic, "/", "blogroll");
    }

    pub(super) fn hub(&mut self, topic: u8, pages: usize) {
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

    pub(super) fn foreign(&mut self, pages: usize) {
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
