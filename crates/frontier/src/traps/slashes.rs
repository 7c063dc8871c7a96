//! Does a doubled slash in a path mean anything? (A9)
//!
//! Many servers merge slashes, so that one wrong link (`..//x`) makes a second site below the first, and that one a third. On
//! other servers an address follows a slash (`/web/2020//http://a.test/`). Only the server can tell, so each host is asked
//! once, and its answer holds from then on.

use super::Traps;
use gleaner_model::Url;

/// Hosts that are remembered.
pub(super) const HOSTS_MAX: usize = 1_000;

/// What a doubled slash is on a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slashes {
    /// As good as one: the same page came under both addresses, and another one under an address that is not there.
    Merge,
    Matter,
}

/// The address with one slash for several; none where it has no several. What follows a colon is the slashes of an address.
pub fn merged(url: &Url) -> Option<Url> {
    // Nearly every address ends here; a search that must be set up first costs more than it saves.
    let path = url.path().as_bytes();
    memchr::memchr_iter(b'/', path).find(|at| path.get(at + 1) == Some(&b'/'))?;
    let mut path = String::with_capacity(url.path().len());
    for sign in url.path().chars() {
        if sign != '/' || !path.ends_with('/') || path.ends_with(":/") {
            path.push(sign);
        }
    }
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let merged = Url::parse(&format!("{}{path}{query}", url.origin())).ok()?;
    (merged != *url).then_some(merged)
}

impl Traps {
    /// What is known about a host, by its name and port.
    pub fn slashes(&self, host: &str) -> Option<Slashes> {
        self.slashes.get(host).copied()
    }

    pub fn learn_slashes(&mut self, host: &str, slashes: Slashes) {
        if self.slashes.len() < HOSTS_MAX {
            self.slashes.insert(host.to_owned(), slashes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case26_slashes_are_merged_but_not_those_of_an_address() {
        for (from, to) in [
            ("//a/x.html", "/a/x.html"),
            ("/a///b//", "/a/b/"),
            ("/a//?q=//", "/a/?q=//"),
            ("/web/2020//http://b.test//x", "/web/2020/http://b.test/x"),
        ] {
            let url = |path: &str| Url::parse(&format!("http://a.test{path}")).unwrap();
            assert_eq!(merged(&url(from)), Some(url(to)), "{from}");
            assert_eq!(merged(&url(to)), None, "{to}");
        }
    }
}
