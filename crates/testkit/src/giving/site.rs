//! One site: its pages, what they say, and what a visitor gets under an address.

use super::address::Carried;
use super::style::{Giving, GivingStyle, Half, IdPlace, LookAlike};
use crate::hostile::{Request, Response, page, redirect, status};
use crate::sessions::Random;
use std::collections::BTreeSet;

const HEX: &str = "0123456789abcdef";
const WORDS: [&str; 40] = [
    "harbour", "lantern", "orchard", "willow", "granite", "meadow", "copper", "violin", "thistle", "pebble",
    "saddle", "marble", "heron", "cedar", "anchor", "barley", "cobalt", "ember", "falcon", "garnet", "hazel",
    "island", "jasper", "kettle", "linen", "mantle", "nettle", "otter", "quarry", "ribbon", "sparrow",
    "timber", "velvet", "walnut", "yarrow", "bramble", "canyon", "glacier", "juniper", "lagoon",
];

/// A site with its truth. Page 0 is the front page, which lists all others.
#[derive(Debug)]
pub struct GivingSite {
    pub style: GivingStyle,
    seed: u64,
    /// `http://127.0.0.9:1234`
    pub(super) origin: String,
    /// What comes before the question mark and what after it, without anything volatile.
    addresses: Vec<(String, Vec<(String, String)>)>,
    present: BTreeSet<usize>,
    edited: Option<usize>,
    /// How often the server was started.
    epoch: u64,
    visits: u64,
}

impl GivingSite {
    pub(super) fn new(number: usize, seed: u64, origin: String) -> GivingSite {
        let mut random = Random::of(&[seed, number as u64, 41]);
        let style = GivingStyle::nth(number, &mut random);
        let count = random.within(7, 14);
        let mut site = GivingSite {
            style,
            seed: seed.wrapping_mul(1000) + number as u64,
            origin,
            addresses: Vec::new(),
            present: (0..count).collect(),
            edited: None,
            epoch: 1,
            visits: 0,
        };
        // One more than there are: it is added later.
        site.addresses = (0..=count)
            .map(|page| site.address_of(page, &mut random))
            .collect();
        site
    }

    fn address_of(&self, page: usize, random: &mut Random) -> (String, Vec<(String, String)>) {
        if page == 0 {
            return ("/".to_owned(), Vec::new());
        }
        let word = WORDS[page * 2 % WORDS.len()];
        let own = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let digest = random.text(HEX, 32);
        let mut parameters = Vec::new();
        let path = match self.style.extra.look_alike {
            Some(LookAlike::Digest) => format!("/papers/{digest}.html"),
            Some(LookAlike::Sid) => {
                parameters.push(own("sid", word));
                "/story.php".to_owned()
            }
            Some(LookAlike::Uuid) => {
                parameters.push(own("doc", &uuid(random)));
                "/view".to_owned()
            }
            Some(LookAlike::Number) => {
                parameters.push(own("id", &random.within(1000, 99_999).to_string()));
                "/topic.php".to_owned()
            }
            Some(LookAlike::Name) => {
                parameters.push(own("view_ab12cd", &page.to_string()));
                "/show".to_owned()
            }
            None if page.is_multiple_of(3) => format!("/{}/{word}.html", WORDS[page % 5]),
            None => format!("/{word}.html"),
        };
        if self.style.extra.shuffled {
            parameters.push(own("cat", WORDS[page % 7]));
            parameters.push(own("n", &page.to_string()));
            parameters.push(own("view", "full"));
        }
        (path, parameters)
    }

    /// The address of the front page.
    pub fn entry(&self) -> String {
        format!("{}/", self.origin)
    }

    /// The pages that are there.
    pub fn pages(&self) -> BTreeSet<usize> {
        self.present.clone()
    }

    /// The page that was edited, removed, added; the front page lists the last two.
    pub fn changed(&self) -> (usize, usize, usize) {
        let last = self.addresses.len() - 1;
        (2, last - 1, last)
    }

    pub(super) fn change(&mut self) {
        let (edited, removed, added) = self.changed();
        self.edited = Some(edited);
        self.present.remove(&removed);
        self.present.insert(added);
    }

    pub(super) fn restart(&mut self) {
        self.epoch += 1;
    }

    /// Which page an address means, whatever ids it carries or is masked with; none where it means none.
    pub fn page_of(&self, url: &str) -> Option<usize> {
        let target = url.strip_prefix(&self.origin)?;
        self.find(&Carried::read(self.style.place, target))
    }

    fn find(&self, carried: &Carried) -> Option<usize> {
        let is_own = |(name, _): &&(String, String)| {
            Some(name.as_str()) != self.style.extra.random
                && !self.style.place.is_parameter(name, self.style.extra.look_alike)
        };
        let mut asked: Vec<&(String, String)> = carried.parameters.iter().filter(is_own).collect();
        asked.sort();
        self.addresses.iter().position(|(path, parameters)| {
            let mut own: Vec<&(String, String)> = parameters.iter().collect();
            own.sort();
            *path == carried.path && own == asked
        })
    }

    /// The id of the n-th session since the server was started.
    fn id(&self, nth: u64) -> String {
        let mut random = Random::of(&[self.seed, self.epoch, nth, 5]);
        match self.style.place {
            IdPlace::Brackets => random.text("abcdefghijklmnopqrstuvwxyz012345", 24),
            IdPlace::UuidSegment => uuid(&mut random),
            IdPlace::NameAndValue => {
                let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
                // The name is that of the server's process, the value that of the visitor.
                let process = Random::of(&[self.seed, self.epoch, 6]).text(letters, 8);
                let mut own = Random::of(&[self.seed, self.epoch, nth, 7]);
                let process = if own.percent(50) {
                    process
                } else {
                    own.text(letters, 8)
                };
                format!("{process}={}", random.text(letters, 24))
            }
            IdPlace::Name => random.text(HEX, 6),
            IdPlace::Matrix => random.text("0123456789ABCDEF", 32),
            IdPlace::Segment => random.text("abcdefghijklmnopqrstuvwxyz0123456789", 16),
            IdPlace::Query | IdPlace::Nowhere => random.text(HEX, 26),
        }
    }

    /// Whether the server made this id since it was started.
    fn is_known(&self, id: &str) -> bool {
        (1..=self.visits).any(|nth| self.id(nth) == id)
    }

    pub(super) fn answer(&mut self, request: &Request) -> Response {
        let carried = Carried::read(self.style.place, &request.target);
        if carried.path == "/robots.txt" {
            return status(404);
        }
        let cookie = (request.header("Cookie"))
            .and_then(|cookies| cookies.split("; ").find_map(|one| one.strip_prefix("session=")))
            .filter(|id| self.is_known(id))
            .map(str::to_owned);
        let is_lenient = matches!(
            self.style.giving,
            Giving::RedirectLenient | Giving::RedirectAtFront | Giving::Links
        );
        let given = carried.id.clone().filter(|id| is_lenient || self.is_known(id));
        self.visits += 1;
        let fresh = self.id(self.visits);
        let Some(number) = self.find(&carried).filter(|number| self.present.contains(number)) else {
            return status(404)
                .with_header("Content-Type", "text/html")
                .with_body("<title>Not found</title><p>Not found.");
        };
        let has_id = self.style.place != IdPlace::Nowhere;
        let is_led = match self.style.giving {
            Giving::Links => false,
            Giving::RedirectAtFront => number == 0,
            Giving::Redirect | Giving::RedirectLenient | Giving::RedirectEach => true,
        };
        if has_id && is_led && given.is_none() && cookie.is_none() {
            let (path, parameters) = &self.addresses[number];
            let mut parameters = parameters.clone();
            if let Some(name) = self.style.extra.random
                && let Some(own) = carried.parameters.iter().find(|(other, _)| other == name)
            {
                parameters.push(own.clone());
            }
            let to = Carried {
                path: path.clone(),
                parameters,
                id: Some(fresh.clone()),
            };
            let answer = redirect(&to.write(self.style.place));
            return if self.style.extra.cookie {
                answer.with_header("Set-Cookie", &format!("session={fresh}; path=/"))
            } else {
                answer
            };
        }
        let id = given.unwrap_or(fresh);
        page(self.html(number, &id, cookie.is_some()))
    }

    fn html(&self, number: usize, id: &str, has_cookie: bool) -> String {
        let mut random = Random::of(&[self.seed, self.epoch, self.visits, 9]);
        let mut words = Random::of(&[self.seed, number as u64, 11]);
        let mut sentence = || {
            let words: Vec<&str> = (0..9).map(|_| *words.pick(&WORDS)).collect();
            format!("The {}.", words.join(" "))
        };
        let mut paragraphs: Vec<String> = (0..4)
            .map(|_| [sentence(), sentence(), sentence()].join(" "))
            .collect();
        if self.edited == Some(number) {
            paragraphs[1] = paragraphs[1].replacen("The ", "Seldom does any ", 1);
        }
        let others: Vec<usize> = if number == 0 {
            self.present.iter().copied().filter(|page| *page > 0).collect()
        } else {
            // Pages that stay, and the front page.
            vec![0, 1, 2 + number % 2]
        };
        let links: Vec<String> = others
            .iter()
            .map(|other| {
                let address = self.link(*other, id, has_cookie, &mut random);
                format!(
                    "<li><a href=\"{}\">{}</a></li>",
                    address.replace('&', "&amp;"),
                    title(*other)
                )
            })
            .collect();
        let shown = if self.style.extra.shown {
            format!(
                "<p>Your visit has the number {}.</p>",
                id.split('=').next_back().unwrap_or(id)
            )
        } else {
            String::new()
        };
        format!(
            "<!DOCTYPE html><html><head><title>{}</title></head><body><h1>{}</h1><main><p>{}</p></main><ul>{}</ul>{shown}</body></html>",
            title(number),
            title(number),
            paragraphs.join("</p><p>"),
            links.join("")
        )
    }

    fn link(&self, to: usize, id: &str, has_cookie: bool, random: &mut Random) -> String {
        let (path, parameters) = &self.addresses[to];
        let mut parameters = parameters.clone();
        let extra = &self.style.extra;
        if let Some(name) = extra.random {
            parameters.push((name.to_owned(), random.within(1000, 999_999).to_string()));
        }
        if extra.shuffled {
            random.shuffle(&mut parameters);
        }
        let is_carried = self.style.place != IdPlace::Nowhere
            && self.style.giving != Giving::RedirectEach
            && !has_cookie
            && match extra.half {
                None => true,
                Some(Half::Fixed) => to.is_multiple_of(2),
                Some(Half::Drawn) => random.percent(50),
            };
        let carried = Carried {
            path: path.clone(),
            parameters,
            id: is_carried.then(|| id.to_owned()),
        };
        carried.write(self.style.place)
    }
}

fn title(page: usize) -> String {
    if page == 0 {
        return "Front page of the collection".to_owned();
    }
    format!(
        "On the {} and the {}",
        WORDS[page * 2 % WORDS.len()],
        WORDS[(page * 7 + 3) % WORDS.len()]
    )
}

fn uuid(random: &mut Random) -> String {
    let mut part = |length| random.text(HEX, length);
    format!("{}-{}-4{}-9{}-{}", part(8), part(4), part(3), part(3), part(12))
}
