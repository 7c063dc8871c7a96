//! How often is a work held and cited? (G7: DLC, DLCC) Hosts and domains are counted, not links: the footer of one site has thousands.

use gleaner_model::url::registrable_domain;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A document of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldAt<'a> {
    pub host: &'a str,
    /// A version is not a copy, and its host holds none by it.
    pub is_version: bool,
}

/// Links from one host to one document of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CitedFrom<'a> {
    pub host: &'a str,
    /// Where the document lies that they lead to.
    pub to_host: &'a str,
    pub links: u64,
}

/// S1's counts as they are meant, and beside them the raw ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkCounts {
    /// DLC: hosts that hold a copy, in whatever format.
    pub holding_hosts: u64,
    pub documents: u64,
    pub versions: u64,
    /// DLCC: registrable domains that link to any address of the work from elsewhere.
    pub citing_domains: u64,
    pub citing_links: u64,
}

impl WorkCounts {
    pub fn of<'a>(
        held: impl IntoIterator<Item = HeldAt<'a>>,
        cited: impl IntoIterator<Item = CitedFrom<'a>>,
    ) -> WorkCounts {
        let mut counts = WorkCounts::default();
        let mut hosts = BTreeSet::new();
        for document in held {
            counts.documents += 1;
            counts.versions += u64::from(document.is_version);
            if !document.is_version {
                hosts.insert(document.host);
            }
        }
        let mut domains = BTreeSet::new();
        for links in cited {
            let from = domain(links.host);
            if from != domain(links.to_host) {
                counts.citing_links += links.links;
                domains.insert(from);
            }
        }
        counts.holding_hosts = hosts.len() as u64;
        counts.citing_domains = domains.len() as u64;
        counts
    }
}

fn domain(host: &str) -> &str {
    registrable_domain(host).unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_domains_are_counted_once_and_a_site_does_not_cite_itself() {
        let held = [
            ("a.test", false),
            ("a.test", false),
            ("b.test", false),
            ("c.test", true),
        ];
        let cited = [
            ("www.uni.edu", "a.test", 4000),
            ("cs.uni.edu", "b.test", 1),
            ("www.b.test", "b.test", 9),
            ("other.org", "c.test", 2),
        ];
        let counts = WorkCounts::of(
            held.map(|(host, is_version)| HeldAt { host, is_version }),
            cited.map(|(host, to_host, links)| CitedFrom { host, to_host, links }),
        );
        let expected = WorkCounts {
            holding_hosts: 2,
            documents: 4,
            versions: 1,
            citing_domains: 2,
            citing_links: 4003,
        };
        assert_eq!(counts, expected);
    }
}
