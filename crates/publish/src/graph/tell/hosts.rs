//! Each host with its pages, and how much of its links stays at home.

use super::super::Structure;
use super::super::table::{Table, TableCell};
use gleaner_graph::{CommunityOptions, Level, Node, communities, group_by_level, host_shares};

/// All hosts, those with the most pages first.
pub fn hosts(structure: &Structure) -> Table {
    let grouped = group_by_level(&structure.graph, &structure.names, Level::Host);
    let count = grouped.members.len();
    let shares = host_shares(&structure.graph, &grouped.group_of, count);
    let groups = communities(&grouped.graph, &CommunityOptions::default()).of;
    let mut collected = vec![0u64; count];
    if let Some(facts) = &structure.facts {
        for (node, &host) in grouped.group_of.iter().enumerate() {
            collected[host as usize] += u64::from(facts.is_kept(node as Node));
        }
    }
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&host| (std::cmp::Reverse(shares[host].pages), host));
    let mut table = Table::new(&[
        "host",
        "pages",
        "collected",
        "links_inside",
        "links_out",
        "links_in",
        "inside_share",
        "community",
    ]);
    for host in order {
        let share = shares[host];
        table.push(vec![
            grouped.names.get(host as Node).into(),
            u64::from(share.pages).into(),
            if structure.facts.is_some() {
                collected[host].into()
            } else {
                TableCell::Nothing
            },
            share.internal.into(),
            share.outgoing.into(),
            share.incoming.into(),
            share
                .internal_share()
                .map_or(TableCell::Nothing, TableCell::Score),
            (u64::from(groups[host]) + 1).into(),
        ]);
    }
    table
}
