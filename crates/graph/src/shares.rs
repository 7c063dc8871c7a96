//! How much of a host's links stays at home.
//!
//! Per host: distinct links between two of its pages (internal), to pages of other hosts (outgoing) and from them (incoming).
//! Links of pages to themselves are left out.
//!
//! Trap: the share of external links falls with the size of a site, because menus grow with it. Compare hosts of like size.

use crate::graph::{Graph, Node};

/// The links of the pages of a host.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HostShare {
    pub pages: u32,
    /// Links that stay on the host.
    pub internal: u64,
    /// Links to other hosts.
    pub outgoing: u64,
    /// Links from other hosts.
    pub incoming: u64,
}

impl HostShare {
    /// The share of the host's links that stay on it; `None` when its pages have none.
    pub fn internal_share(&self) -> Option<f64> {
        let all = self.internal + self.outgoing;
        (all > 0).then(|| self.internal as f64 / all as f64)
    }
}

/// `host_of[node]` is below `hosts`. Links of pages to themselves are left out.
pub fn host_shares(graph: &Graph, host_of: &[Node], hosts: usize) -> Vec<HostShare> {
    let mut shares = vec![HostShare::default(); hosts];
    for (node, &host) in host_of.iter().enumerate() {
        shares[host as usize].pages += 1;
        for &end in graph.forward.of(node as Node) {
            let other = host_of[end as usize];
            if other == host {
                shares[host as usize].internal += 1;
            } else {
                shares[host as usize].outgoing += 1;
                shares[other as usize].incoming += 1;
            }
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GraphBuilder;

    #[test]
    fn links_are_internal_outgoing_or_incoming() {
        let mut builder = GraphBuilder::new(4);
        for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 2)] {
            builder.link(from, to);
        }
        let shares = host_shares(&builder.finish(), &[0, 0, 1, 1], 2);
        let seen: Vec<_> = shares
            .iter()
            .map(|s| (s.pages, s.internal, s.outgoing, s.incoming))
            .collect();
        assert_eq!(seen, [(2, 2, 1, 0), (2, 0, 0, 1)]);
        assert_eq!(shares[0].internal_share(), Some(2.0 / 3.0));
        assert_eq!(shares[1].internal_share(), None);
    }
}
