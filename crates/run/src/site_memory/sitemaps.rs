//! How many sitemaps does a host name? An index could name thousands, so there is a limit.

use gleaner_model::{Reason, Url, defaults};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Sitemaps taken up so far, by the host that named them.
#[derive(Default)]
pub struct SitemapCounts(Mutex<HashMap<Box<str>, u32>>);

impl SitemapCounts {
    /// Whether one more sitemap is left out, named by `site`.
    pub fn refuses(&self, url: &Url, site: &Url) -> Option<Reason> {
        if !url.is_web() {
            return Some(Reason::OutOfScope);
        }
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(site.origin().into()).or_default();
        *count = count.saturating_add(1);
        (*count > defaults::SITEMAPS_PER_HOST_MAX).then_some(Reason::LimitSitemaps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_names_so_many_sitemaps_and_no_more() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        let (counts, map) = (SitemapCounts::default(), url("http://a.test/map.xml"));
        for _ in 0..defaults::SITEMAPS_PER_HOST_MAX {
            assert_eq!(counts.refuses(&map, &url("http://a.test/robots.txt")), None);
        }
        let more = counts.refuses(&map, &url("http://a.test/"));
        assert_eq!(more, Some(Reason::LimitSitemaps));
        assert_eq!(counts.refuses(&map, &url("http://b.test/")), None, "another host");
        let file = counts.refuses(&url("ftp://b.test/map.xml"), &url("http://b.test/"));
        assert_eq!(file, Some(Reason::OutOfScope));
    }
}
