//! Does this URL belong to the crawl? (A5)
//!
//! In: the kind of scope and the seeds, then one URL at a time. Out: inside, or outside with a short why. What lies
//! outside is not dropped by this room: the caller records it as a foreign link.
//!
//! Asked once per link, so every question is one or two hash look-ups and allocates nothing. Two addresses have the
//! same *endpoint* if name and port are the same; http and https on their default ports share one, and a trailing dot of
//! the name does not count.

use crate::prefixes::Prefixes;
use gleaner_model::{ScopeKind, Url};
use std::collections::{HashMap, HashSet};

/// The seeds, arranged for the question.
#[derive(Debug, Clone)]
pub struct Scope {
    kind: ScopeKind,
    places: Places,
    /// As given, for people; a few are enough.
    named: Vec<String>,
}

const NAMED_MAX: usize = 3;

#[derive(Debug, Clone)]
enum Places {
    Hosts(HashMap<Box<str>, Vec<u32>>),
    Domains(HashSet<Box<str>>),
    /// Host, then port, then folders.
    Folders(HashMap<Box<str>, Vec<(u32, Prefixes<()>)>>),
    Urls(HashSet<Box<str>>),
    Everything,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeVerdict {
    Inside,
    /// A few words that complete "outside: …".
    Outside(&'static str),
}

impl ScopeVerdict {
    pub fn is_inside(self) -> bool {
        self == ScopeVerdict::Inside
    }
}

impl Scope {
    pub fn new(kind: ScopeKind, seeds: &[Url]) -> Scope {
        let places = match kind {
            ScopeKind::Host => Places::Hosts(HashMap::new()),
            ScopeKind::Domain => Places::Domains(HashSet::new()),
            ScopeKind::Subtree => Places::Folders(HashMap::new()),
            ScopeKind::List => Places::Urls(HashSet::new()),
            ScopeKind::Web => Places::Everything,
        };
        let mut scope = Scope {
            kind,
            places,
            named: Vec::new(),
        };
        if let Places::Folders(endpoints) = &mut scope.places {
            scope.named = seeds
                .iter()
                .take(NAMED_MAX + 1)
                .map(ToString::to_string)
                .collect();
            *endpoints = folders_by_endpoint(seeds);
            return scope;
        }
        for seed in seeds {
            scope.admit(seed);
        }
        scope
    }

    /// Takes in one more seed, or the place a seed redirects to (`example.org` that answers from `www.example.org`).
    pub fn admit(&mut self, url: &Url) {
        if self.named.len() <= NAMED_MAX {
            self.named.push(url.to_string());
        }
        match &mut self.places {
            Places::Hosts(hosts) => {
                let (host, port) = endpoint(url);
                let ports = hosts.entry(host.into()).or_default();
                if !ports.contains(&port) {
                    ports.push(port);
                }
            }
            Places::Domains(domains) => {
                domains.insert(domain(url).into());
            }
            Places::Folders(endpoints) => {
                let (host, port) = endpoint(url);
                let ports = endpoints.entry(host.into()).or_default();
                let at = ports.iter().position(|(p, _)| *p == port).unwrap_or_else(|| {
                    ports.push((port, Prefixes::default()));
                    ports.len() - 1
                });
                ports[at].1.insert(folder(url).as_bytes().into(), ());
            }
            Places::Urls(urls) => {
                urls.insert(url.as_str().into());
            }
            Places::Everything => {}
        }
    }

    pub fn kind(&self) -> ScopeKind {
        self.kind
    }

    pub fn contains(&self, url: &Url) -> ScopeVerdict {
        let (inside, why) = match &self.places {
            Places::Hosts(hosts) => {
                let (host, port) = endpoint(url);
                (
                    ports_of(hosts, host).is_some_and(|ports| ports.contains(&port)),
                    "another host",
                )
            }
            Places::Domains(domains) => (is_web(url) && domains.contains(domain(url)), "another domain"),
            Places::Folders(endpoints) => {
                let (host, port) = endpoint(url);
                let folders = endpoints
                    .get(host)
                    .and_then(|ports| ports.iter().find(|(p, _)| *p == port));
                match folders {
                    Some((_, folders)) => (
                        folders.of(url.path().as_bytes()).next().is_some(),
                        "another folder of a seed's host",
                    ),
                    None => (false, "another host"),
                }
            }
            Places::Urls(urls) => (urls.contains(url.as_str()), "not on the list"),
            Places::Everything => (is_web(url), "not http or https"),
        };
        if inside {
            ScopeVerdict::Inside
        } else {
            ScopeVerdict::Outside(why)
        }
    }

    /// The scope in words, as `host of http://a.test/`.
    pub fn describe(&self) -> String {
        if self.kind == ScopeKind::Web {
            return "the whole web".to_owned();
        }
        let shown = self
            .named
            .iter()
            .take(NAMED_MAX)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        let more = if self.named.len() > NAMED_MAX { ", …" } else { "" };
        format!("{} of {shown}{more}", self.kind.as_str())
    }
}

/// All at once, because adding to [`Prefixes`] one by one sorts each time.
fn folders_by_endpoint(seeds: &[Url]) -> HashMap<Box<str>, Vec<(u32, Prefixes<()>)>> {
    type Entries = Vec<(Box<[u8]>, ())>;
    let mut lists: HashMap<(&str, u32), Entries> = HashMap::new();
    for seed in seeds {
        lists
            .entry(endpoint(seed))
            .or_default()
            .push((folder(seed).as_bytes().into(), ()));
    }
    let mut endpoints: HashMap<Box<str>, Vec<(u32, Prefixes<()>)>> = HashMap::new();
    for ((host, port), list) in lists {
        endpoints
            .entry(host.into())
            .or_default()
            .push((port, Prefixes::new(list, |(), ()| ())));
    }
    endpoints
}

/// Most projects have one host, and then nothing need be hashed.
fn ports_of<'a>(hosts: &'a HashMap<Box<str>, Vec<u32>>, host: &str) -> Option<&'a Vec<u32>> {
    if hosts.len() == 1 {
        let (_, ports) = hosts.iter().next().filter(|(name, _)| ***name == *host)?;
        return Some(ports);
    }
    hosts.get(host)
}

/// Name and port. Ports of other protocols are kept apart from the web's.
fn endpoint(url: &Url) -> (&str, u32) {
    let port = u32::from(url.port());
    let port = match (url.scheme(), port) {
        ("http", 80) | ("https", 443) => 0,
        ("http" | "https", port) => port,
        (_, port) => 0x1_0000 | port,
    };
    (undotted(url.host()), port)
}

fn domain(url: &Url) -> &str {
    undotted(url.domain())
}

fn undotted(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// `/a/b/` of `/a/b/c.html`.
fn folder(url: &Url) -> &str {
    let path = url.path();
    &path[..path.rfind('/').map_or(0, |slash| slash + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn inside(kind: ScopeKind, seeds: &[&str], text: &str) -> bool {
        let seeds: Vec<Url> = seeds.iter().map(|s| url(s)).collect();
        Scope::new(kind, &seeds).contains(&url(text)).is_inside()
    }

    #[test]
    fn a5_each_kind_has_its_border() {
        use ScopeKind::{Domain, Host, List, Subtree, Web};
        let seed = ["http://www.example.co.uk/a/b/c.html?x=1"];
        let cases = [
            (Host, "http://www.example.co.uk/other", true),
            (Host, "https://www.example.co.uk/", true),
            (Host, "https://www.example.co.uk:443/", true),
            (Host, "http://WWW.Example.CO.UK./", true),
            (Host, "http://www.example.co.uk:8080/", false),
            (Host, "http://example.co.uk/", false),
            (Host, "http://www.example.co.uk.evil.test/", false),
            (Host, "http://user@www.example.co.uk@evil.test/", false),
            (Host, "ftp://www.example.co.uk/", false),
            (Domain, "http://example.co.uk/", true),
            (Domain, "https://deep.down.example.co.uk:8443/", true),
            (Domain, "http://other.co.uk/", false),
            (Domain, "http://notexample.co.uk/", false),
            (Domain, "ftp://example.co.uk/", false),
            (Subtree, "http://www.example.co.uk/a/b/", true),
            (Subtree, "https://www.example.co.uk/a/b/d/e?f", true),
            (Subtree, "http://www.example.co.uk/a/b", false),
            (Subtree, "http://www.example.co.uk/a/bc/", false),
            (Subtree, "http://www.example.co.uk/a/b/../x", false),
            (Subtree, "http://example.co.uk/a/b/x", false),
            (List, "http://www.example.co.uk/a/b/c.html?x=1#top", true),
            (List, "http://www.example.co.uk/a/b/c.html", false),
            (Web, "http://anything.test/", true),
            (Web, "ftp://anything.test/", false),
        ];
        for (kind, text, wanted) in cases {
            assert_eq!(inside(kind, &seed, text), wanted, "{} {text}", kind.as_str());
        }
    }

    #[test]
    fn a5_a_seed_that_redirects_takes_its_target_in() {
        for kind in [ScopeKind::Host, ScopeKind::Subtree] {
            let mut scope = Scope::new(kind, &[url("http://example.org/")]);
            let target = url("https://www.example.org/start/");
            assert!(!scope.contains(&target).is_inside());
            scope.admit(&target);
            assert!(
                scope
                    .contains(&url("https://www.example.org/start/x"))
                    .is_inside()
            );
            assert!(scope.contains(&url("http://example.org/y")).is_inside());
        }
    }

    #[test]
    fn hc028_one_host_in_many_spellings_is_one_host() {
        let spellings = [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
        ];
        for text in spellings {
            assert!(inside(ScopeKind::Host, &["http://127.0.0.1/"], text), "{text}");
        }
        assert!(inside(
            ScopeKind::Host,
            &["http://localhost/"],
            "http://LOCALHOST./x"
        ));
        assert!(inside(
            ScopeKind::Host,
            &["http://[::1]/"],
            "http://[0:0:0:0:0:0:0:1]/x"
        ));
    }

    #[test]
    fn the_scope_says_what_it_is() {
        let seeds: Vec<Url> = (0..9).map(|i| url(&format!("http://h{i}.test/"))).collect();
        assert_eq!(
            Scope::new(ScopeKind::Host, &seeds[..1]).describe(),
            "host of http://h0.test/"
        );
        assert!(
            Scope::new(ScopeKind::List, &seeds)
                .describe()
                .ends_with("h2.test/, …")
        );
        assert_eq!(Scope::new(ScopeKind::Web, &seeds).describe(), "the whole web");
        let verdict = Scope::new(ScopeKind::Host, &seeds[..1]).contains(&seeds[1]);
        assert_eq!(verdict, ScopeVerdict::Outside("another host"));
    }
}
