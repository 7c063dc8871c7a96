//! A graph of pages, and the same seen as hosts or as registrable domains.

use super::GraphError;
use super::facts::Facts;
use gleaner_graph::{
    Communities, CommunityOptions, Graph, HitsOptions, HubsAndAuthorities, Level, Names, Node,
    PageRankOptions, Weighting, communities, group_by_level, hits, pagerank,
};

/// Pages, their links, and what is known of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    pub graph: Graph,
    pub names: Names,
    /// None for a list of links of others.
    pub facts: Option<Facts>,
    /// What it is of, in words for a title.
    pub what: String,
    /// The run as of which it is, if it is of one.
    pub run: Option<i64>,
}

/// A structure at one level.
#[derive(Debug, Clone)]
pub struct View {
    pub level: Level,
    pub graph: Graph,
    pub names: Names,
    pub facts: Option<Facts>,
    pub what: String,
    pub run: Option<i64>,
    /// How many pages each node has; none at the level of pages.
    pub members: Option<Vec<u32>>,
}

impl View {
    /// Every link with its weight, those of nodes to themselves last.
    pub fn every_link(&self) -> impl Iterator<Item = (Node, Node, f64)> + '_ {
        let selves = self.graph.self_links().iter();
        let selves = selves.map(|(node, weight)| (*node, *node, *weight));
        self.graph.all_links().chain(selves)
    }
}

impl Structure {
    /// Everything at a level.
    pub fn at(self, level: Level) -> View {
        if level == Level::Page {
            return View {
                level,
                graph: self.graph,
                names: self.names,
                facts: self.facts,
                what: self.what,
                run: self.run,
                members: None,
            };
        }
        let grouped = group_by_level(&self.graph, &self.names, level);
        let facts = self.facts.as_ref();
        View {
            level,
            facts: facts.map(|facts| facts.grouped(&grouped.group_of, grouped.members.len())),
            graph: grouped.graph,
            names: grouped.names,
            what: self.what,
            run: self.run,
            members: Some(grouped.members),
        }
    }
}

/// What a node of a level is called, as in "1 page".
pub(crate) fn one(level: Level) -> &'static str {
    match level {
        Level::Page => "page",
        Level::Host => "host",
        Level::Domain => "domain",
    }
}

impl View {
    pub fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    /// The node that a person means: an address, a host's or a domain's name.
    pub fn find(&self, given: &str) -> Result<Node, GraphError> {
        let given = given.trim();
        let mut tried = vec![given.to_owned()];
        if let Ok(url) = gleaner_model::Url::from_user(given) {
            tried.push(match self.level {
                Level::Page => url.as_str().to_owned(),
                Level::Host => url.host().to_owned(),
                Level::Domain => url.domain().to_owned(),
            });
        }
        let found = tried.iter().find_map(|name| self.names.find(name));
        found.ok_or_else(|| GraphError::NoNode {
            level: one(self.level),
            given: gleaner_model::GivenUrl::from(given).to_string(),
        })
    }

    pub fn title(&self, node: Node) -> &str {
        self.facts.as_ref().map_or("", |facts| facts.title(node))
    }

    pub fn pagerank(&self) -> Vec<f64> {
        pagerank(&self.graph, &PageRankOptions::default()).scores
    }

    pub fn hits(&self, options: &HitsOptions) -> HubsAndAuthorities {
        hits(&self.graph, options)
    }

    pub fn communities(&self) -> Communities {
        communities(&self.graph, &CommunityOptions::default())
    }

    /// The host of each node, for the guards of HITS and for tables of hosts.
    pub fn hosts(&self) -> (Vec<Node>, Names) {
        let grouped = group_by_level(&self.graph, &self.names, Level::Host);
        (grouped.group_of, grouped.names)
    }
}

/// Whether weights count, as the room `graph` says it.
pub(super) fn weighted(is_weighted: bool) -> Weighting {
    if is_weighted {
        Weighting::Used
    } else {
        Weighting::Ignored
    }
}
