//! Which parts do sites have? Publications, people, courses, projects, news and letters, files of the office.

use super::grow::Plot;
use super::naming::{PEOPLE_FOLDERS, PROJECT_FOLDERS, PUBLICATION_FOLDERS, TEACHING_FOLDERS, slug};
use super::people::person;
use super::site::{NO_TOPIC, NodeKind};

/// So many entries on one listing.
pub(super) const LISTED_MAX: usize = 60;

impl Plot<'_> {
    pub(super) fn kept_genre(&mut self) -> &'static str {
        match self.random.within(0, 7) {
            0..=3 => "paper",
            4 | 5 => "technical-report",
            6 => "thesis",
            _ => "faq-or-manual",
        }
    }

    /// Documents in one of the four ways in which people list them. Gives the pages that it took.
    pub(super) fn publications(&mut self, parent: u32, under: &str, topic: u8, documents: usize) -> usize {
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
    pub(super) fn good_or_other(&mut self, parent: u32, folder: &str, topic: u8) {
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

    pub(super) fn people(&mut self, parent: u32, under: &str, topic: u8, people: usize) {
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

    pub(super) fn teaching(&mut self, parent: u32, under: &str, topic: u8, courses: usize) {
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

    pub(super) fn projects(&mut self, parent: u32, under: &str, topic: u8, projects: usize) {
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
    pub(super) fn posts(&mut self, parent: u32, under: &str, topic: u8, posts: usize, what: &str) {
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

    /// Forms, minutes, price lists: real documents nobody collects.
    pub(super) fn files(&mut self, parent: u32, under: &str, files: usize) {
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
}
