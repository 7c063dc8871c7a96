//! The site: a start page, a page for each place, and what lies where they lead.

use super::places::{LinkPlace, SCRIPTED, STATIC};
use crate::hostile::{HostileServer, Reply, Response, page, status};

/// A place of the site, and where it leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub name: &'static str,
    /// The page that holds it, and the address in it, as paths.
    pub page: String,
    pub target: String,
}

/// A running site; it stops when dropped.
pub struct LinkPlaces {
    server: HostileServer,
    statics: Vec<Spot>,
    scripted: Vec<Spot>,
}

impl LinkPlaces {
    pub fn start(seed: u64) -> LinkPlaces {
        let server = HostileServer::start();
        let mut dice = Dice(seed);
        let mut make = |places: &[(&'static str, LinkPlace)], is_static: bool| -> Vec<Spot> {
            let spots = places.iter().map(|(name, place)| {
                let spot = Spot {
                    name,
                    page: format!("/{}/{name}", if is_static { "s" } else { "d" }),
                    target: dice.target(name),
                };
                let address = dice.spelling(&server, &spot, *place);
                server.route(
                    &spot.page,
                    Reply::from(served(*place, &spot, &address, &server.url(""))),
                );
                server.route(path_of(&spot.target), page(found(&spot)));
                spot
            });
            spots.collect()
        };
        let (statics, scripted) = (make(STATIC, true), make(SCRIPTED, false));
        let list: Vec<String> = (statics.iter().chain(&scripted))
            .map(|spot| format!("<li><a href=\"{0}\">{0}</a></li>\n", spot.page))
            .collect();
        let start = format!(
            "<!DOCTYPE html><title>Places</title><h1>Places</h1><ul>{}</ul>",
            list.concat()
        );
        server.route("/", page(start));
        // What pages hold beside their place.
        server.route(
            "/a.png",
            status(200)
                .with_header("Content-Type", "image/png")
                .with_body(b"\x89PNG\r\n\x1a\n"),
        );
        LinkPlaces {
            server,
            statics,
            scripted,
        }
    }

    pub fn server(&self) -> &HostileServer {
        &self.server
    }

    /// The places whose addresses nobody has asked for, and how many there are: the static ones, then the others.
    pub fn missed(&self) -> [(Vec<&'static str>, usize); 2] {
        [&self.statics, &self.scripted].map(|spots| {
            let missed = spots
                .iter()
                .filter(|spot| self.server.hits(path_of(&spot.target)) == 0);
            (missed.map(|spot| spot.name).collect(), spots.len())
        })
    }
}

fn path_of(target: &str) -> &str {
    target.split('?').next().unwrap_or(target)
}

fn found(spot: &Spot) -> String {
    format!(
        "<!DOCTYPE html><title>Found by {0}</title><h1>{0}</h1><p>What {0} leads to lies at {1}, and nothing else does.</p>",
        spot.name, spot.target
    )
}

fn served(place: LinkPlace, spot: &Spot, address: &str, origin: &str) -> Response {
    let put = |text: &str| {
        let text = text.replace("@@", "\u{1}").replace('@', address);
        text.replace('\u{1}', "@")
    };
    let whole = |head: &str, body: &str| {
        format!(
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>Place {0}</title>{head}</head>\n\
             <body><h1>{0}</h1><p>This page holds one address, in the place that {0} names.</p>\n{body}\n</body></html>",
            spot.name
        )
    };
    match place {
        LinkPlace::Head(text) => page(whole(&put(text), "")),
        LinkPlace::Body(text) => page(whole("", &put(text))),
        LinkPlace::Page(text) => page(put(text)),
        LinkPlace::Field(name, value) => page(whole("", "")).with_header(name, &put(value)),
        LinkPlace::Document(media_type, text) => status(200)
            .with_header("Content-Type", media_type)
            .with_body(text.replace('#', origin).replace('@', address)),
    }
}

/// Chance from a seed.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn word(&mut self) -> String {
        const PARTS: [&str; 12] = [
            "ba", "ko", "mi", "ru", "ten", "sal", "vo", "lin", "de", "gar", "po", "shi",
        ];
        (0..2 + self.next(2))
            .map(|_| PARTS[self.next(PARTS.len())])
            .collect()
    }

    /// A path that nothing else has, named as sites name theirs.
    fn target(&mut self, name: &str) -> String {
        let folder = format!("/{}/{}", self.word(), self.word());
        let ends = [
            "",
            ".html",
            ".php",
            ".found",
            ".aspx",
            "/",
            ".htm",
            ".jsp?id=7",
            "?view=all",
        ];
        format!(
            "{folder}/{name}-{}{}",
            self.next(1000),
            ends[self.next(ends.len())]
        )
    }

    /// The address as the page spells it. What stands in code begins with a slash or a scheme, as it mostly does, or with dots;
    /// an origin before it wants a slash.
    fn spelling(&mut self, server: &HostileServer, spot: &Spot, place: LinkPlace) -> String {
        let (path, whole) = (spot.target.clone(), server.url(&spot.target));
        let is_fixed = spot.name == "script-origin" || matches!(place, LinkPlace::Document(..));
        if spot.name == "text-list" || is_fixed && spot.name != "script-origin" {
            return whole;
        }
        let without_scheme = whole.trim_start_matches("http:").to_owned();
        let relative = format!("..{path}");
        match self.next(5) {
            _ if spot.name == "script-origin" => path,
            0 => whole,
            // A host without a dot is no address that code could be told by.
            1 if !spot.page.starts_with("/d/") => without_scheme,
            2 if !matches!(place, LinkPlace::Page(_)) => relative,
            _ => path,
        }
    }
}
