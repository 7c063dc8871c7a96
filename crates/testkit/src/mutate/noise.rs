//! Noise: what differs between two fetches seconds apart and says nothing.

use super::dice::Dice;
pub use super::noise_kind::{KINDS, NoiseKind};
use super::places::{Places, attributes, replaced};
use std::ops::Range;

/// The noise of one page.
#[derive(Debug, Clone)]
pub struct PageNoise {
    pub kinds: Vec<NoiseKind>,
    seed: u64,
}

impl PageNoise {
    /// One to six kinds, chosen by the seed.
    pub fn of(seed: u64) -> PageNoise {
        let mut dice = Dice::new(seed);
        let mut left = KINDS.to_vec();
        let count = 1 + dice.below(6);
        let kinds = (0..count)
            .map(|_| left.swap_remove(dice.below(left.len())))
            .collect();
        PageNoise { kinds, seed }
    }

    /// Only this kind.
    pub fn only(kind: NoiseKind, seed: u64) -> PageNoise {
        PageNoise {
            kinds: vec![kind],
            seed,
        }
    }

    /// The page as the fetch of this number brings it.
    pub fn render(&self, html: &str, fetch: u64) -> String {
        let mut page = html.to_owned();
        for (at, kind) in self.kinds.iter().enumerate() {
            let site = Dice::new(self.seed ^ ((at as u64 + 1) << 32));
            let now = Dice::new(
                self.seed.wrapping_mul(31) ^ fetch.wrapping_mul(0x1_0001) ^ ((at as u64 + 7) << 40),
            );
            let places = Places::of(&page);
            let parts = Painter {
                html: &page,
                places: &places,
                site,
                now,
                fetch,
            }
            .paint(*kind);
            page = replaced(&page, parts);
        }
        page
    }
}

type Parts = Vec<(Range<usize>, String)>;

struct Painter<'a> {
    html: &'a str,
    places: &'a Places,
    /// What stays the same from fetch to fetch.
    site: Dice,
    /// What does not.
    now: Dice,
    fetch: u64,
}

impl Painter<'_> {
    fn paint(&mut self, kind: NoiseKind) -> Parts {
        match kind {
            NoiseKind::AdSlot => self.ad(),
            NoiseKind::Nonce => self.nonce(),
            NoiseKind::Csrf => self.csrf(),
            NoiseKind::Clock => self.clock(),
            NoiseKind::Counter => self.counter(),
            NoiseKind::TrackingLinks => self.tracking(),
            NoiseKind::SessionIds => self.session(),
            NoiseKind::RotatedRelated => self.related(),
            NoiseKind::AttributeOrder => self.attribute_order(),
            NoiseKind::Blanks => self.blanks(),
            NoiseKind::ScriptHash => self.script_hash(),
            NoiseKind::VariantClasses => self.variants(),
        }
    }

    fn insert(at: usize, text: String) -> Parts {
        vec![(at..at, text)]
    }

    /// Somewhere a site would put a widget: between paragraphs, after a heading, or at an end of the body.
    fn widget_place(&mut self) -> usize {
        let ends: Vec<usize> = ["p", "h1", "h2", "ul", "table"]
            .iter()
            .flat_map(|name| self.places.elements(name))
            .map(|(_, end)| self.places.tags[end].span.end)
            .collect();
        match self.site.below(4) {
            0 => self.places.body_from.min(self.html.len()),
            1 => self.places.body_to,
            _ if ends.is_empty() => self.places.body_to,
            _ => *self.site.pick(&ends),
        }
    }

    fn ad(&mut self) -> Parts {
        let place = self.widget_place();
        // A slot is sometimes not sold.
        if self.now.chance(15) {
            return Vec::new();
        }
        let words = 3 + self.now.below(9);
        let text = self.now.sentence(words);
        let id = self.now.hex(8);
        let ad = match self.site.below(4) {
            0 => format!(
                "<div class=\"ad-slot\" id=\"ad-{id}\"><a href=\"https://ads.test/c?{id}\">{text}</a></div>"
            ),
            1 => format!("<aside class=\"sponsored\"><p>Sponsored</p><p>{text}</p></aside>"),
            2 => format!("<div id=\"promo-banner\"><span>Advertisement</span> {text}</div>"),
            _ => format!("<ins class=\"adsby\" data-slot=\"{id}\" style=\"display:block\">{text}</ins>"),
        };
        Painter::insert(place, ad)
    }

    fn nonce(&mut self) -> Parts {
        let nonce = self.now.hex(24);
        let mut parts: Parts = Vec::new();
        for tag in self
            .places
            .tags
            .iter()
            .filter(|tag| tag.name == "script" && !tag.is_end)
        {
            let at = tag.span.start + 7;
            parts.push((at..at, format!(" nonce=\"{nonce}\"")));
        }
        parts.push((
            self.places.body_to..self.places.body_to,
            format!("<script nonce=\"{nonce}\">var t='{nonce}';</script><!-- rendered {nonce} -->"),
        ));
        parts
    }

    fn csrf(&mut self) -> Parts {
        let token = self.now.hex(40);
        let name = *self.site.pick(&[
            "csrf_token",
            "authenticity_token",
            "__RequestVerificationToken",
            "_token",
        ]);
        let form = format!(
            "<form action=\"/search\"><input type=\"hidden\" name=\"{name}\" value=\"{token}\"></form>"
        );
        Painter::insert(self.places.body_to, form)
    }

    fn clock(&mut self) -> Parts {
        let seconds = self.fetch * 3_671 + self.now.below(50) as u64;
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let day = 1 + seconds / 86_400 % 28;
        let place = self.widget_place();
        let clock = match self.site.below(4) {
            0 => format!("<div class=\"clock\">{hour:02}:{minute:02}:{second:02}</div>"),
            1 => format!(
                "<p class=\"generated\">Page generated on {day} March 2026 at {hour:02}:{minute:02}:{second:02} UTC</p>"
            ),
            2 => format!("<div>Last refreshed {} seconds ago</div>", 1 + seconds % 59),
            _ => {
                format!("<footer><small>2026-03-{day:02}T{hour:02}:{minute:02}:{second:02}Z</small></footer>")
            }
        };
        Painter::insert(place, clock)
    }

    fn counter(&mut self) -> Parts {
        let count = 900 + self.fetch * 37 + self.now.below(30) as u64;
        let place = self.widget_place();
        let grouped = format!("{},{:03}", count / 1000, count % 1000);
        let counter = match self.site.below(5) {
            0 => format!("<p class=\"views\">{grouped} views</p>"),
            1 => format!("<div class=\"stats\"><span>{count}</span> people are reading this now</div>"),
            2 => format!("<span class=\"share-count\">Shared {count} times</span>"),
            3 => format!("<div class=\"meta\"><a href=\"#comments\">Comments ({count})</a></div>"),
            _ => format!("<p>You are visitor number {count}.</p>"),
        };
        Painter::insert(place, counter)
    }

    /// All link targets of the site itself, by the rule that they look like pages.
    fn targets(&self) -> Vec<Range<usize>> {
        let links = self
            .places
            .tags
            .iter()
            .filter(|tag| tag.name == "a" && !tag.is_end);
        links
            .flat_map(|tag| attributes(self.html, tag))
            .filter(|(name, _, _)| name == "href")
            .map(|(_, value, _)| value)
            .filter(|value| {
                let target = &self.html[value.clone()];
                !target.is_empty() && !target.starts_with('#') && !target.contains(':')
                    || target.starts_with("http")
            })
            .collect()
    }

    fn tracking(&mut self) -> Parts {
        let share = 20 + self.site.below(81) as u64;
        let style = self.site.below(4);
        let chosen: Vec<Range<usize>> = self.targets();
        let mut parts = Vec::new();
        for value in chosen {
            if !self.site.chance(share) {
                continue;
            }
            let mark = match style {
                0 => format!(
                    "utm_source={}&amp;utm_campaign={}",
                    self.now.word(5),
                    self.now.hex(6)
                ),
                1 => format!("fbclid={}", self.now.hex(22)),
                2 => format!("ref_={}", self.now.hex(8)),
                _ => format!("gclid={}", self.now.hex(16)),
            };
            parts.push((value.clone(), with_parameter(&self.html[value], &mark)));
        }
        parts
    }

    fn session(&mut self) -> Parts {
        let style = self.site.below(5);
        let id = self.now.hex(32);
        let short = self.now.hex(10);
        self.targets()
            .into_iter()
            .filter(|value| !self.html[value.clone()].starts_with("http"))
            .map(|value| {
                let target = &self.html[value.clone()];
                let new = match style {
                    0 => with_matrix(target, &format!("jsessionid={}", id.to_uppercase())),
                    1 => with_parameter(target, &format!("PHPSESSID={}", &id[..26])),
                    2 => with_parameter(target, &format!("sid={id}")),
                    3 => with_parameter(target, &format!("zx={short}")),
                    _ => with_matrix(target, &format!("sess={short}")),
                };
                (value, new)
            })
            .collect()
    }

    fn related(&mut self) -> Parts {
        let place = self.widget_place();
        let titles: Vec<String> = (0..8)
            .map(|_| {
                let words = 4 + self.site.below(5);
                self.site.sentence(words)
            })
            .collect();
        let mut order: Vec<usize> = (0..titles.len()).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, self.now.below(at + 1));
        }
        let style = self.site.below(3);
        let items: String = order[..5]
            .iter()
            .map(|&at| match style {
                0 => format!("<li><a href=\"/story/{at}\">{}</a></li>", titles[at]),
                1 => format!(
                    "<div class=\"card\"><a href=\"/story/{at}\">{}</a></div>",
                    titles[at]
                ),
                _ => format!("<p><a href=\"/story/{at}\">{}</a></p>", titles[at]),
            })
            .collect();
        let list = match style {
            0 => format!("<ul class=\"related\">{items}</ul>"),
            1 => format!("<section class=\"recommended\">{items}</section>"),
            _ => format!("<div id=\"more-stories\">{items}</div>"),
        };
        Painter::insert(place, list)
    }

    fn attribute_order(&mut self) -> Parts {
        let mut parts = Vec::new();
        for tag in self.places.tags.iter().filter(|tag| !tag.is_end) {
            let mut found = attributes(self.html, tag);
            if found.len() < 2 || !self.now.chance(60) {
                continue;
            }
            let from = found[0].2.start;
            let to = found[found.len() - 1].2.end;
            let turn = 1 + self.now.below(found.len() - 1);
            found.rotate_left(turn);
            let written: Vec<&str> = found
                .iter()
                .map(|(_, _, whole)| &self.html[whole.clone()])
                .collect();
            parts.push((from..to, written.join(" ")));
        }
        parts
    }

    fn blanks(&mut self) -> Parts {
        let breaking = [
            "div", "p", "ul", "ol", "section", "article", "table", "tr", "header", "footer", "nav", "main",
        ];
        let mut parts = Vec::new();
        for tag in &self.places.tags {
            if breaking.contains(&tag.name.as_str()) && self.now.chance(30) {
                let blanks = ["\n", "\n\n  ", " ", "\t\n"];
                parts.push((
                    tag.span.start..tag.span.start,
                    (*self.now.pick(&blanks)).to_owned(),
                ));
            }
        }
        parts
    }

    fn script_hash(&mut self) -> Parts {
        let hash = self.now.hex(12);
        let text = format!(
            "<link rel=\"stylesheet\" href=\"/assets/main.{hash}.css\"><script src=\"/assets/app-{hash}.js\"></script>\
             <script>window.__BUILD__=\"{hash}\";window.__T={}</script>",
            self.now.roll()
        );
        let head = self
            .places
            .tags
            .iter()
            .find(|tag| tag.name == "head" && tag.is_end);
        Painter::insert(head.map_or(self.places.body_to, |tag| tag.span.start), text)
    }

    fn variants(&mut self) -> Parts {
        let variant = *self
            .now
            .pick(&["variant-a", "variant-b", "exp-control", "exp-blue"]);
        let share = 1 + self.site.below(20) as u64;
        let mut parts = Vec::new();
        for tag in self
            .places
            .tags
            .iter()
            .filter(|tag| !tag.is_end && matches!(tag.name.as_str(), "div" | "body" | "section"))
        {
            if tag.name != "body" && !self.site.chance(share) {
                continue;
            }
            let class = attributes(self.html, tag)
                .into_iter()
                .find(|(name, _, _)| name == "class");
            match class {
                Some((_, value, _)) if !value.is_empty() => {
                    parts.push((value.end..value.end, format!(" {variant}")));
                }
                None => {
                    let at = tag.span.start + 1 + tag.name.len();
                    parts.push((at..at, format!(" class=\"{variant}\"")));
                }
                Some(_) => {}
            }
        }
        parts
    }
}

fn with_parameter(target: &str, parameter: &str) -> String {
    let (path, fragment) = target.split_at(target.find('#').unwrap_or(target.len()));
    let sign = if path.contains('?') { "&amp;" } else { "?" };
    format!("{path}{sign}{parameter}{fragment}")
}

fn with_matrix(target: &str, parameter: &str) -> String {
    let (path, rest) = target.split_at(target.find(['?', '#']).unwrap_or(target.len()));
    format!("{path};{parameter}{rest}")
}
