//! A page's URL as one fetch in one session shows it: here the ids come in.

use super::pages::{LogicalPage, WORDS};
use super::random::Random;
use super::site::{HEX, Rendered, SessionSite};
use super::styles::IdStyle;

impl SessionSite {
    pub(super) fn rendered(&self, number: usize, page: &LogicalPage, session: u64, fetch: u64) -> Rendered {
        let (place, anchor) = if self.mix.is_bare {
            (String::new(), String::new())
        } else {
            (page.place.clone(), page.anchor.clone())
        };
        Rendered {
            url: self.url(number, page, session, fetch),
            place,
            anchor,
            page: number,
        }
    }

    pub(super) fn url(&self, number: usize, page: &LogicalPage, session: u64, fetch: u64) -> String {
        let mut host = self.host.clone();
        let mut segments = page.segments.clone();
        let mut parameters = page.parameters.clone();
        let mut matrix = String::new();
        let mut random = Random::of(&[self.seed, number as u64, 3]);
        let id = self.id(session, 0);
        if page.is_dynamic {
            let at = random.within(0, parameters.len());
            let mut add = |name: &str, value: &str| {
                parameters.insert(at.min(parameters.len()), (name.to_owned(), value.to_owned()));
            };
            match self.style {
                IdStyle::Jsessionid | IdStyle::JsessionidRoute | IdStyle::WebLogic => {
                    matrix = format!(";jsessionid={id}");
                }
                IdStyle::AspNet => segments.insert(0, format!("(S({id}))")),
                IdStyle::AspNetOld => segments.insert(0, format!("({id})")),
                IdStyle::Amazon => {
                    segments.push(format!("ref={}_{}", random.pick(WORDS), random.pick(WORDS)));
                    segments.push(id);
                    if page.has_second {
                        parameters.push(("pf_rd_r".to_owned(), self.id(session, 1)));
                    }
                }
                IdStyle::LoneSecondId => {
                    add(&self.id_name, &id);
                    if page.has_second {
                        parameters.push(("r".to_owned(), self.id(session, 1)));
                    }
                }
                IdStyle::ColdFusion => {
                    add("CFTOKEN", &self.id(session, 1));
                    parameters.push(("CFID".to_owned(), id));
                }
                IdStyle::Nested => {
                    add(&self.id_name, &id);
                    let inside = format!(
                        "/{}?x={}&{}={id}",
                        random.pick(WORDS),
                        random.within(1, 99),
                        self.id_name
                    );
                    parameters.push(("return".to_owned(), escaped(&inside)));
                }
                IdStyle::OnlyNested => {
                    let inside = format!(
                        "/{}?x={}&{}={id}",
                        random.pick(WORDS),
                        random.within(1, 99),
                        self.id_name
                    );
                    add("return", &escaped(&inside));
                }
                IdStyle::TwiceNested => {
                    let inmost = format!("/{}?{}={id}&y=1", random.pick(WORDS), self.id_name);
                    let inside = format!("http://{}/go?to={}&n=2", self.host, escaped(&inmost));
                    add("url", &escaped(&inside));
                }
                IdStyle::HostLabel => host = format!("{id}.{host}"),
                IdStyle::HexInHost => host = format!("s-{id}.{host}"),
                IdStyle::NoncePerLink => add("nonce", &self.nonce(session, fetch, number)),
                IdStyle::NonceInPath => segments.insert(0, self.nonce(session, fetch, number)),
                IdStyle::UtmAndClock => add("_ts", &self.clock(session, fetch)),
                IdStyle::ClockAndId => {
                    add(&self.id_name, &id);
                    parameters.push(("t".to_owned(), self.clock(session, fetch)));
                }
                IdStyle::SignedLinks => {
                    let signature = Random::of(&[self.seed, session, number as u64, 11]).text(HEX, 20);
                    add(&self.id_name, &id);
                    parameters.push(("sig".to_owned(), signature));
                }
                IdStyle::Glued => {
                    let last = segments.len() - 1;
                    segments[last] = format!("{}-s{id}.html", segments[last]);
                }
                IdStyle::LastSegment => segments.push(id),
                IdStyle::FirstSegmentShort => segments.insert(0, id),
                IdStyle::BareQuery => parameters = vec![(String::new(), id)],
                IdStyle::AfterWord => {
                    let at = random.within(0, segments.len());
                    segments.insert(at, id);
                    segments.insert(at, self.id_name.clone());
                }
                IdStyle::KeyInSegment => {
                    segments.insert(random.within(0, 1), format!("{}={id}", self.id_name));
                }
                IdStyle::TwoPlaces => {
                    segments.insert(0, id.clone());
                    add(&self.id_name, &id);
                }
                IdStyle::GluedInValue => add("state", &format!("{}.{id}", random.pick(WORDS))),
                IdStyle::RepeatedName => {
                    add(&self.id_name, &id);
                    if random.percent(30) {
                        parameters.push((self.id_name.clone(), id));
                    }
                }
                IdStyle::Base64Standard => add(&self.id_name, &escaped(&format!("{}=", &id[1..]))),
                IdStyle::NoId | IdStyle::NoIdConstants | IdStyle::StoryDigest | IdStyle::StoryNumber => {}
                _ => add(&self.id_name, &id),
            }
            if self.style == IdStyle::Shuffled {
                Random::of(&[self.seed, session, fetch, number as u64, 13]).shuffle(&mut parameters);
            }
        }
        let query: Vec<String> = parameters
            .iter()
            .map(|(name, value)| {
                if name.is_empty() {
                    value.clone()
                } else {
                    format!("{name}={value}")
                }
            })
            .collect();
        let mark = if query.is_empty() { "" } else { "?" };
        format!(
            "http://{host}/{}{matrix}{mark}{}",
            segments.join("/"),
            query.join("&")
        )
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
            out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    out
}
