//! Which cookies go with this request? A jar per run, by RFC 6265 with the stricter rules browsers have since taken
//! on (control bytes, `Secure` from plain http, name prefixes).
//!
//! Cookies lie by site (registrable domain), which is as far as one can reach; so a lookup sees the cookies of one site
//! only. Every number is limited (HC069): cookies per response and per site, bytes per cookie and per request.
//! Measured against the http-state corpus in `tests.rs` beside this file.

pub(crate) mod date;
mod file;
pub use file::CookiesTaken;
mod set_cookie;

use crate::{Headers, UnitError};
use gleaner_model::{Timestamp, Url, defaults};
use serde::{Deserialize, Serialize};
use set_cookie::SetCookie;
use std::collections::HashMap;

/// Cookies over all sites together; past this the sites that were quiet longest are forgotten.
const COOKIES_MAX: usize = 50_000;
/// RFC 6265bis §5.5: no cookie lives longer than 400 days.
const LIFE_MAX_MS: i64 = 400 * 24 * 3600 * 1000;

#[derive(Default)]
pub struct Jar {
    sites: HashMap<String, Vec<Cookie>>,
    count: usize,
    /// Counts cookies as they are made: the order of equals.
    made: u64,
}

#[derive(Clone, Serialize, Deserialize)]
struct Cookie {
    name: String,
    value: String,
    domain: String,
    host_only: bool,
    path: String,
    secure: bool,
    /// Milliseconds since 1970; `None` lasts as long as the run.
    expires_ms: Option<i64>,
    made: u64,
}

impl Jar {
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn len(&self) -> usize {
        self.count
    }

    /// Takes the cookies of a response; says whether any was kept, changed or removed.
    pub fn take(&mut self, url: &Url, headers: &Headers, now: Timestamp) -> bool {
        let mut changed = false;
        for text in headers.all("set-cookie").take(defaults::COOKIES_PER_RESPONSE_MAX) {
            changed |= self.take_one(url, text, now);
        }
        changed
    }

    fn take_one(&mut self, url: &Url, text: &str, now: Timestamp) -> bool {
        let Some(set) = SetCookie::parse(text) else {
            return false;
        };
        let Some(mut cookie) = self.admitted(url, set, now) else {
            return false;
        };
        let site = self.sites.entry(site_of(url.host()).to_owned()).or_default();
        let before = site.len();
        let place = site.iter().position(|old| {
            old.name == cookie.name && old.domain == cookie.domain && old.path == cookie.path
        });
        if let Some(place) = place {
            // A plain page may not overwrite what a secure one set.
            if site[place].secure && url.scheme() != "https" {
                return false;
            }
            cookie.made = site.remove(place).made;
        }
        let expired = cookie.is_expired(now);
        if !expired {
            if site.len() >= defaults::COOKIES_PER_SITE_MAX {
                make_room(site, now);
            }
            site.push(cookie);
        }
        let changed = !expired || site.len() != before;
        self.count = (self.count + site.len()) - before;
        if site.is_empty() {
            self.sites.remove(site_of(url.host()));
        }
        if self.count > COOKIES_MAX {
            self.forget_quiet_sites();
        }
        changed
    }

    /// RFC 6265 §5.3, steps 2 to 10.
    fn admitted(&mut self, url: &Url, set: SetCookie, now: Timestamp) -> Option<Cookie> {
        let host = url.host().trim_end_matches('.').to_ascii_lowercase();
        let is_name = matches!(url.parsed_host(), Some(url::Host::Domain(_)));
        let (domain, host_only) = match set.domain {
            Some(domain) if domain == host => (domain, !is_name || is_public_suffix(&host)),
            Some(domain) if is_name && is_below(&host, &domain) && !is_public_suffix(&domain) => {
                (domain, false)
            }
            Some(_) => return None,
            None => (host, true),
        };
        let secure_origin = url.scheme() == "https";
        if set.secure && !secure_origin {
            return None;
        }
        let path = set.path.unwrap_or_else(|| default_path(url.path()).to_owned());
        let lower = set.name.get(..9).unwrap_or(&set.name).to_ascii_lowercase();
        if lower.starts_with("__secure-") && !set.secure
            || lower.starts_with("__host-") && !(set.secure && host_only && path == "/")
        {
            return None;
        }
        let expires_ms = match (set.max_age_s, set.expires_s) {
            (Some(seconds), _) if seconds <= 0 => Some(i64::MIN),
            (Some(seconds), _) => Some(now.0.saturating_add(seconds.saturating_mul(1000))),
            (None, Some(seconds)) => Some(seconds.saturating_mul(1000)),
            (None, None) => None,
        };
        self.made += 1;
        Some(Cookie {
            name: set.name,
            value: set.value,
            domain,
            host_only,
            path,
            secure: set.secure,
            expires_ms: expires_ms.map(|end| end.min(now.0.saturating_add(LIFE_MAX_MS))),
            made: self.made,
        })
    }

    /// The `Cookie` field for a request (RFC 6265 §5.4), of sane size.
    pub fn field_for(&self, url: &Url, now: Timestamp) -> Option<String> {
        let site = self.sites.get(site_of(url.host()))?;
        let host = url.host().trim_end_matches('.').to_ascii_lowercase();
        let secure_origin = url.scheme() == "https";
        let mut fitting: Vec<&Cookie> = site
            .iter()
            .filter(|cookie| {
                (cookie.domain == host || !cookie.host_only && is_below(&host, &cookie.domain))
                    && (secure_origin || !cookie.secure)
                    && path_matches(url.path(), &cookie.path)
                    && !cookie.is_expired(now)
            })
            .collect();
        // Longer paths first, then older cookies first.
        fitting.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then(a.made.cmp(&b.made)));
        let mut field = String::new();
        for cookie in fitting {
            let more = cookie.name.len() + cookie.value.len() + 3;
            if field.len() + more > defaults::COOKIES_SENT_BYTES_MAX {
                continue;
            }
            if !field.is_empty() {
                field.push_str("; ");
            }
            field.push_str(&cookie.name);
            field.push('=');
            field.push_str(&cookie.value);
        }
        (!field.is_empty()).then_some(field)
    }

    /// The jar as bytes (JSON), so that a resumed run goes on with its cookies. They are secrets: keep them so.
    pub fn export(&self) -> Vec<u8> {
        let mut cookies: Vec<&Cookie> = self.sites.values().flatten().collect();
        cookies.sort_by_key(|cookie| cookie.made);
        serde_json::to_vec(&cookies).unwrap_or_default()
    }

    pub fn import(bytes: &[u8]) -> Result<Jar, UnitError> {
        let cookies: Vec<Cookie> = serde_json::from_slice(bytes).map_err(UnitError::Cookies)?;
        let mut jar = Jar::default();
        for cookie in cookies.into_iter().take(COOKIES_MAX) {
            jar.made = jar.made.max(cookie.made);
            jar.count += 1;
            let site = site_of(&cookie.domain).to_owned();
            jar.sites.entry(site).or_default().push(cookie);
        }
        Ok(jar)
    }

    fn forget_quiet_sites(&mut self) {
        let newest = |site: &[Cookie]| site.iter().map(|cookie| cookie.made).max().unwrap_or(0);
        let mut ages: Vec<u64> = self.sites.values().map(|site| newest(site)).collect();
        ages.sort_unstable();
        let middle = ages.get(ages.len() / 2).copied().unwrap_or(0);
        self.sites.retain(|_, site| newest(site) > middle);
        self.count = self.sites.values().map(Vec::len).sum();
    }
}

impl Cookie {
    fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_ms.is_some_and(|end| end <= now.0)
    }
}

/// Drops what has expired, else the oldest.
fn make_room(site: &mut Vec<Cookie>, now: Timestamp) {
    site.retain(|cookie| !cookie.is_expired(now));
    if site.len() >= defaults::COOKIES_PER_SITE_MAX
        && let Some(oldest) = (0..site.len()).min_by_key(|&place| site[place].made)
    {
        site.remove(oldest);
    }
}

/// The registrable domain, or the host itself where there is none. Addresses have none, though their ends look like one.
fn site_of(host: &str) -> &str {
    let host = host.trim_end_matches('.');
    if host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}

fn is_public_suffix(domain: &str) -> bool {
    psl::suffix_str(domain) == Some(domain)
}

/// Whether `host` lies below `domain` (RFC 6265 §5.1.3, the second part).
fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain)
        .is_some_and(|front| front.ends_with('.'))
}

/// RFC 6265 §5.1.4.
fn default_path(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) | None => "/",
        Some(last) => &path[..last],
    }
}

fn path_matches(path: &str, cookie_path: &str) -> bool {
    match path.strip_prefix(cookie_path) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || cookie_path.ends_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests;
