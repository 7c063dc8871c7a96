//! The pages of a site: what a link would be if nobody put an id into it.

use std::collections::HashSet;

use super::random::Random;
use super::site::{DIGITS, HEX, HEX_UPPER, SessionSite};
use super::styles::IdStyle;

pub(super) const WORDS: &[&str] = &[
    "about", "archive", "article", "basket", "blog", "books", "catalog", "category", "contact", "detail",
    "download", "events", "faq", "forum", "gallery", "garden", "guide", "help", "history", "home", "images",
    "index", "info", "items", "jobs", "kitchen", "library", "list", "login", "main", "maps", "members",
    "music", "news", "offers", "order", "page", "people", "photos", "press", "product", "products",
    "profile", "reports", "reviews", "search", "section", "services", "shop", "show", "sports", "store",
    "story", "support", "team", "terms", "topics", "travel", "users", "video", "view", "weather", "wiki",
    "world",
];
const NAMES: &[&str] = &[
    "id", "cat", "page", "lang", "sort", "q", "view", "type", "node", "ref", "tag", "year",
];
const PLACES: &[&str] = &[
    "nav/ul/li",
    "main/div/p",
    "main/ul/li",
    "footer/ul/li",
    "aside/div",
];

#[derive(Debug, Clone)]
pub(super) struct LogicalPage {
    pub(super) segments: Vec<String>,
    pub(super) parameters: Vec<(String, String)>,
    pub(super) anchor: String,
    pub(super) place: String,
    pub(super) is_dynamic: bool,
    /// Carries the second id, in styles that have one.
    pub(super) has_second: bool,
}

impl SessionSite {
    pub(super) fn make_pages(&mut self, random: &mut Random) {
        let count = match self.style {
            IdStyle::FewDynamic => 60,
            _ => random.within(12, 60),
        };
        let dynamic_percent = random.within(50, 95);
        let mut seen = HashSet::new();
        while self.pages.len() < count {
            let mut page = self.page(random, dynamic_percent);
            if self.style == IdStyle::FewDynamic {
                page.is_dynamic = self.pages.len() % 20 == 7;
            }
            if self.style == IdStyle::LoneSecondId {
                page.has_second = self.pages.iter().all(|other| !other.has_second) && page.is_dynamic;
            }
            if self.style == IdStyle::BareQuery {
                page.parameters.clear();
            }
            if seen.insert((page.segments.clone(), page.parameters.clone())) {
                self.pages.push(page);
            }
        }
        for number in 0..40 {
            let mut page = self.page(random, dynamic_percent);
            page.segments = vec!["ads".to_owned(), format!("{}-{number}", random.pick(WORDS))];
            page.parameters = vec![("c".to_owned(), random.text(DIGITS, 6))];
            page.anchor = format!("{} {} {number}", random.pick(WORDS), random.pick(WORDS));
            "aside/div".clone_into(&mut page.place);
            page.has_second = false;
            self.advertisements.push(page);
        }
    }

    pub(super) fn page(&self, random: &mut Random, dynamic_percent: usize) -> LogicalPage {
        let mut segments: Vec<String> = (0..random.within(1, 4)).map(|_| word(random)).collect();
        let mut parameters: Vec<(String, String)> = Vec::new();
        for _ in 0..random.within(0, 3) {
            let name = (*random.pick(NAMES)).to_owned();
            if name != self.id_name && parameters.iter().all(|(other, _)| *other != name) {
                let value = if random.percent(50) {
                    word(random)
                } else {
                    random.within(1, 99_999).to_string()
                };
                parameters.push((name, value));
            }
        }
        let is_dynamic = random.percent(dynamic_percent);
        let last = segments.len() - 1;
        match self.style {
            IdStyle::PageByDigest => segments[last] = random.text(HEX, 32),
            IdStyle::StoryDigest | IdStyle::StoryDigestAndId if random.percent(80) => {
                parameters.push(("sid".to_owned(), random.text(HEX, 32)));
            }
            IdStyle::StoryNumber | IdStyle::StoryNumberAndId if random.percent(80) => {
                parameters.push(("sid".to_owned(), random.within(10_000, 99_999).to_string()));
            }
            IdStyle::NoIdConstants => {
                parameters.push(("build".to_owned(), self.constant.clone()));
                parameters.push(("h".to_owned(), random.text(HEX_UPPER, 40)));
            }
            IdStyle::Affiliate => parameters.push(("aff".to_owned(), self.constant.clone())),
            IdStyle::Amazon => parameters.push(("token".to_owned(), random.text(HEX_UPPER, 40))),
            IdStyle::StaticLonger if !is_dynamic => {
                segments.extend((0..6).map(|_| word(random)));
                parameters.push((
                    "description".to_owned(),
                    format!("{}-{}-{}", word(random), word(random), word(random)),
                ));
            }
            IdStyle::StaticSharing if !is_dynamic => {
                segments.extend((0..6).map(|_| word(random)));
                parameters.push(("v".to_owned(), self.constant.clone()));
            }
            IdStyle::SharedName if !is_dynamic => {
                parameters.retain(|(name, _)| name != "id");
                parameters.push((self.id_name.clone(), random.within(1, 9999).to_string()));
            }
            IdStyle::UtmAndClock => {
                parameters.push((
                    "utm_source".to_owned(),
                    (*random.pick(&["home", "nav"])).to_owned(),
                ));
                parameters.push(("utm_campaign".to_owned(), word(random)));
            }
            IdStyle::Glued => segments[last] = format!("{}-{}", random.pick(WORDS), random.pick(WORDS)),
            _ => {}
        }
        let anchor = if random.percent(15) {
            (*random.pick(&["Read more", "Details", "Next"])).to_owned()
        } else {
            format!(
                "{} {} {}",
                random.pick(WORDS),
                random.pick(WORDS),
                random.within(1, 99)
            )
        };
        LogicalPage {
            segments,
            parameters,
            anchor,
            place: (*random.pick(PLACES)).to_owned(),
            is_dynamic,
            has_second: random.percent(40),
        }
    }
}

fn word(random: &mut Random) -> String {
    match random.within(0, 9) {
        0 => random.within(1, 9999).to_string(),
        1 => format!("{}-{}", random.pick(WORDS), random.pick(WORDS)),
        2 => format!("{}{}", random.pick(WORDS), random.within(1, 50)),
        3 => format!("{}.html", random.pick(WORDS)),
        _ => (*random.pick(WORDS)).to_owned(),
    }
}
