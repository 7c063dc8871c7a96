//! Links that lead nowhere, redirects one after the other, and pages that nothing links to.

use super::super::table::{Table, TableCell};
use super::super::{GraphError, View};
use gleaner_graph::{ChainEnd, Node, RedirectChain, broken_targets, orphans, redirect_chains};
use gleaner_model::{Reason, Remedy, State};

/// Pages with a link to a broken one that are named beside it.
const FROM_MAX: usize = 5;

/// Everything that is not in order with the links.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenLinks {
    /// Targets that do not answer, with who links there.
    pub targets: Table,
    /// Two redirects or more, one after the other.
    pub chains: Table,
    /// Documents that are there, and no page links to them.
    pub orphans: Table,
}

/// A URL that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadEnd {
    pub url: String,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
    /// The pages that link to it.
    pub from: Vec<String>,
}

/// URLs that lead nowhere and that pages link to; those with most such pages first.
pub fn dead_ends(view: &View) -> Result<Vec<DeadEnd>, GraphError> {
    let facts = view.facts.as_ref().ok_or(GraphError::NeedsCatalog)?;
    let is_broken: Vec<bool> = (0..view.nodes() as Node)
        .map(|node| {
            let (status, reason) = (facts.status(node), facts.reason(node));
            facts.state(node) == Some(State::Mis)
                || status.is_some_and(|status| status >= 400)
                || reason.is_some_and(leads_nowhere)
        })
        .collect();
    let found = broken_targets(&view.graph, &is_broken).into_iter();
    Ok(found
        .map(|found| DeadEnd {
            url: view.names.get(found.target),
            status: facts.status(found.target),
            reason: facts.reason(found.target),
            from: found
                .sources
                .iter()
                .map(|source| view.names.get(*source))
                .collect(),
        })
        .collect())
}

/// `is_for_people` names some of the pages with a broken link, otherwise all.
pub fn broken(view: &View, starts: &[String], is_for_people: bool) -> Result<BrokenLinks, GraphError> {
    let facts = view.facts.as_ref().ok_or(GraphError::NeedsCatalog)?;
    let mut targets = Table::new(&["links", "status", "reason", "url", "from"]);
    for found in dead_ends(view)? {
        let shown = if is_for_people { FROM_MAX } else { usize::MAX };
        let pages = found.from.len() as u64;
        targets.push(vec![
            pages.into(),
            found
                .status
                .map_or(TableCell::Nothing, |status| u64::from(status).into()),
            found.reason.map_or("", Reason::code).into(),
            found.url.into(),
            TableCell::List(found.from.into_iter().take(shown).collect()),
        ]);
    }
    let leads_to: Vec<Option<Node>> = (0..view.nodes() as Node)
        .map(|node| facts.leads_to(node))
        .collect();
    let mut chains = Table::new(&["hops", "end", "way"]);
    for RedirectChain { nodes, end } in redirect_chains(&leads_to, 2) {
        let way = nodes.iter().map(|node| view.names.get(*node)).collect();
        chains.push(vec![
            (nodes.len() as u64 - 1).into(),
            match end {
                ChainEnd::Arrives => "arrives",
                ChainEnd::Loop => "loop",
            }
            .into(),
            TableCell::List(way),
        ]);
    }
    let starts: Vec<Node> = starts.iter().filter_map(|url| view.names.find(url)).collect();
    let mut alone = Table::new(&["url", "title"]);
    for node in orphans(&view.graph, &starts) {
        if facts.is_kept(node) {
            alone.push(vec![view.names.get(node).into(), facts.title(node).into()]);
        }
    }
    Ok(BrokenLinks {
        targets,
        chains,
        orphans: alone,
    })
}

impl BrokenLinks {
    /// Everything as one table, `top` rows of each kind; 0: all. Of a chain of redirects, `from` is the way to its end.
    pub fn together(&self, top: usize) -> Table {
        let shown = if top == 0 { usize::MAX } else { top };
        let mut table = Table::new(&["kind", "links", "status", "reason", "url", "from"]);
        for row in self.targets.rows.iter().take(shown) {
            let mut told = vec!["broken".into()];
            told.extend(row.iter().cloned());
            table.push(told);
        }
        for row in self.chains.rows.iter().take(shown) {
            let [hops, end, TableCell::List(way)] = row.as_slice() else {
                continue;
            };
            let (last, before) = way.split_last().map_or(("", &[][..]), |(last, way)| (last, way));
            table.push(vec![
                "redirect-chain".into(),
                hops.clone(),
                TableCell::Nothing,
                end.clone(),
                last.into(),
                TableCell::List(before.to_vec()),
            ]);
        }
        for row in self.orphans.rows.iter().take(shown) {
            table.push(vec![
                "orphan".into(),
                0.into(),
                TableCell::Nothing,
                TableCell::Nothing,
                row[0].clone(),
                TableCell::Nothing,
            ]);
        }
        table
    }
}

/// Whoever follows the link finds nothing; what our own rules left out is no such case.
fn leads_nowhere(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Soft404
            | Reason::RedirectLoop
            | Reason::TooManyRedirects
            | Reason::BadRedirect
            | Reason::NotListed
            | Reason::NoSuchFile
            | Reason::Expired
    ) || (reason.remedy() != Remedy::ChangeTheProject && is_of_the_network(reason))
}

fn is_of_the_network(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::DnsNotFound
            | Reason::DnsTimeout
            | Reason::DnsFailed
            | Reason::ConnectTimeout
            | Reason::ConnectRefused
            | Reason::Unreachable
            | Reason::Reset
            | Reason::Closed
            | Reason::TlsTimeout
            | Reason::TlsProtocol
            | Reason::TlsExpired
            | Reason::TlsNotYetValid
            | Reason::TlsWrongHost
            | Reason::TlsUnknownIssuer
            | Reason::TlsBadCertificate
            | Reason::FirstByteTimeout
            | Reason::SilenceTimeout
            | Reason::FetchTimeout
    )
}
