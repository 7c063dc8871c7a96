//! One site: its pages, how a session sees them, and what any URL would show.

use std::collections::HashMap;

use super::oracle::decoded;
use super::pages::{LogicalPage, WORDS};
use super::random::Random;
use super::styles::IdStyle;

pub(super) const HEX: &str = "0123456789abcdef";
pub(super) const HEX_UPPER: &str = "0123456789ABCDEF";
pub(super) const BASE36: &str = "0123456789abcdefghijklmnopqrstuvwxyz";
pub(super) const BASE32: &str = "0123456789abcdefghijklmnopqrstuv";
pub(super) const BASE64_URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
pub(super) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub(super) const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(super) const DIGITS: &str = "0123456789";

const ID_NAMES: &[&str] = &[
    "sid",
    "session",
    "s",
    "PHPSESSID",
    "token",
    "zx",
    "_k",
    "SESS",
    "osCsid",
    "ticket",
    "vid",
    "x-id",
];

/// Sessions whose ids the oracle knows.
pub(super) const SESSIONS: u64 = 8;

/// What is varied beside the seed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mix {
    /// Names, lengths (6 to 64) and alphabets of plain parameters are drawn, not those of the style.
    pub is_wild: bool,
    /// Anchors and places are not told, as in a bare list of URLs.
    pub is_bare: bool,
    /// Links stand in another order on every fetch.
    pub is_reordered: bool,
}

/// A link of a rendered page with the truth about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub url: String,
    pub place: String,
    pub anchor: String,
    /// Which logical page it leads to.
    pub page: usize,
}

/// What the server would answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    Page(usize),
    /// Session missing, or not this visitor's.
    Refused,
    NotFound,
}

/// One site. The same seed always makes the same one.
#[derive(Debug)]
pub struct SessionSite {
    pub(super) style: IdStyle,
    pub(super) seed: u64,
    pub(super) mix: Mix,
    pub(super) host: String,
    pub(super) pages: Vec<LogicalPage>,
    pub(super) advertisements: Vec<LogicalPage>,
    pub(super) shown_advertisements: usize,
    pub(super) id_name: String,
    pub(super) alphabet: &'static str,
    pub(super) length: usize,
    pub(super) constant: String,
    pub(super) is_required: bool,
    /// Every id the oracle knows, for erasing.
    pub(super) ids: Vec<String>,
    pub(super) known: HashMap<String, usize>,
}

impl SessionSite {
    pub fn new(style: IdStyle, seed: u64, mix: Mix) -> SessionSite {
        let mut random = Random::of(&[seed, style.number(), 1]);
        let (id_name, alphabet, length) = if mix.is_wild && style.is_plain_parameter() {
            let alphabet = *random.pick(&[HEX, HEX_UPPER, BASE36, BASE32, BASE64_URL, ALNUM, DIGITS]);
            // Digits alone need some length to be anybody's id.
            let least = if alphabet == DIGITS { 8 } else { 6 };
            (
                (*random.pick(ID_NAMES)).to_owned(),
                alphabet,
                random.within(least, 64),
            )
        } else {
            let (name, alphabet, length) = match style {
                IdStyle::Phpsessid | IdStyle::RepeatedName => ("PHPSESSID", BASE32, 26),
                IdStyle::Base64Url => ("session", BASE64_URL, 32),
                IdStyle::Base64Standard => ("session", BASE64, 32),
                IdStyle::StoryDigestAndId | IdStyle::StoryNumberAndId => ("PHPSESSID", HEX, 32),
                IdStyle::SharedName => ("id", HEX, 32),
                _ => ("sid", HEX, 32),
            };
            (name.to_owned(), alphabet, length)
        };
        let mut site = SessionSite {
            style,
            seed,
            mix,
            host: format!(
                "{}{}.example.com",
                random.pick(&["www.", "", "shop.", "m."]),
                random.pick(WORDS)
            ),
            pages: Vec::new(),
            advertisements: Vec::new(),
            shown_advertisements: if style == IdStyle::Churn {
                8
            } else {
                random.within(0, 2)
            },
            id_name,
            alphabet,
            length,
            constant: random.text(HEX, 32),
            is_required: random.percent(50),
            ids: Vec::new(),
            known: HashMap::new(),
        };
        site.make_pages(&mut random);
        site.learn_truth();
        site
    }

    pub fn base(&self) -> String {
        format!("http://{}/", self.host)
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// Length of the (main) id in a session: the seed's method must be told it.
    pub fn id_length(&self, session: u64) -> usize {
        self.id(session, 0).len()
    }

    /// The base page's links as one fetch in one session shows them.
    pub fn fetch(&self, session: u64, fetch: u64) -> Vec<Rendered> {
        let mut links: Vec<Rendered> = self
            .pages
            .iter()
            .enumerate()
            .map(|(number, page)| self.rendered(number, page, session, fetch))
            .collect();
        let mut random = Random::of(&[self.seed, session, fetch, 77]);
        for _ in 0..self.shown_advertisements {
            let number = random.within(0, self.advertisements.len() - 1);
            let advertisement = &self.advertisements[number];
            let link = self.rendered(self.pages.len() + number, advertisement, session, fetch);
            let at = random.within(0, links.len());
            links.insert(at, link);
        }
        if self.mix.is_reordered {
            random.shuffle(&mut links);
        }
        links
    }

    /// What a visitor of `session` gets under a URL; `None` is a visitor without any.
    pub fn show(&self, url: &str, session: Option<u64>) -> Shown {
        let Some(page) = self.known.get(&self.erased(url)) else {
            return Shown::NotFound;
        };
        let is_dynamic = self.logical(*page).is_dynamic;
        if self.is_required && is_dynamic && self.style.has_id() {
            let decoded = decoded(url);
            let carries = |session: u64| decoded.contains(&self.id(session, 0));
            let is_right = session.is_some_and(carries);
            let is_foreign = (1..SESSIONS).any(|other| Some(other) != session && carries(other));
            if !is_right || is_foreign {
                return Shown::Refused;
            }
        }
        Shown::Page(*page)
    }

    pub(super) fn logical(&self, number: usize) -> &LogicalPage {
        self.pages
            .get(number)
            .unwrap_or_else(|| &self.advertisements[number - self.pages.len()])
    }

    /// The n-th id of a session.
    pub(super) fn id(&self, session: u64, nth: u64) -> String {
        let mut random = Random::of(&[self.seed, self.style.number(), session, nth, 5]);
        match (self.style, nth) {
            (IdStyle::Jsessionid, _) => random.text(HEX_UPPER, 32),
            (IdStyle::JsessionidRoute, _) => {
                format!("{}.node{}", random.text(HEX_UPPER, 32), random.within(1, 4))
            }
            (IdStyle::AspNet | IdStyle::AspNetOld, _) => random.text("abcdefghijklmnopqrstuvwxyz012345", 24),
            (IdStyle::Amazon, 0) => format!(
                "{}-{}-{}",
                random.text(DIGITS, 3),
                random.text(DIGITS, 7),
                random.text(DIGITS, 7)
            ),
            (IdStyle::Amazon | IdStyle::LoneSecondId, _) => {
                random.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 20)
            }
            (IdStyle::Base36Varying, _) => {
                let length = random.within(8, 14);
                random.text(BASE36, length)
            }
            (IdStyle::FirstSegmentShort, _) => random.text(BASE36, 12),
            (IdStyle::WebLogic, _) => {
                let sign = if random.percent(50) { "-" } else { "" };
                format!(
                    "{}!{sign}{}!NONE",
                    random.text(ALNUM, 52),
                    random.within(100_000, 2_000_000_000)
                )
            }
            (IdStyle::ColdFusion, 0) => (3_300_000 + self.seed % 100_000 + session).to_string(),
            (IdStyle::ColdFusion, _) => random.text(DIGITS, 8),
            (IdStyle::Counter, _) => (10_000 + self.seed % 80_000 + session * 3).to_string(),
            (IdStyle::Glued | IdStyle::HexInHost, _) => random.text(HEX, 12),
            (IdStyle::HostLabel, _) => random.text(BASE36, 10),
            _ => random.text(self.alphabet, self.length),
        }
    }

    pub(super) fn nonce(&self, session: u64, fetch: u64, page: usize) -> String {
        Random::of(&[self.seed, session, fetch, page as u64, 9]).text(HEX, 16)
    }

    pub(super) fn clock(&self, session: u64, fetch: u64) -> String {
        (1_700_000_000 + session * 1000 + fetch * 7 + self.seed % 1000).to_string()
    }
}
