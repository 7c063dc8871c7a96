//! What is told of each node: who it is, what is known of it, and what the graph says of it.

use super::super::facts::NodeFacts;
use super::super::view::View;
use super::xml;
use crate::time::iso;
use gleaner_graph::{
    CommunityOptions, Degrees, HitsOptions, Level, Node, citations, communities, core_numbers, degrees,
    group_by_level, hits, strong_components,
};
use gleaner_model::Timestamp;

/// Figures of all nodes, by node.
#[derive(Debug, Clone, PartialEq)]
pub struct Attributes {
    pub pagerank: Vec<f64>,
    pub hub: Vec<f64>,
    pub authority: Vec<f64>,
    /// Strongly connected; 1 is the largest.
    pub component: Vec<u32>,
    /// Of the node's host, found in the graph of hosts; 1 is the largest. Of a domain, in the graph of domains.
    pub community: Vec<u32>,
    pub degrees: Degrees,
    /// How many other domains link to it.
    pub cited_by: Vec<u32>,
    /// The greatest k whose k-core has it.
    pub core: Vec<u32>,
}

/// A value with its kind, for formats that want to know it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(String),
    Int(i64),
    Float(f64),
    /// Milliseconds since 1970.
    Time(i64),
    Nothing,
}

/// Names and kinds of the attributes, in the order of [`Attributes::row`]. The kinds are those of an example.
pub(super) const COLUMNS: [(&str, Kind); 18] = [
    ("url", Kind::Text),
    ("title", Kind::Text),
    ("type", Kind::Text),
    ("host", Kind::Text),
    ("state", Kind::Text),
    ("status", Kind::Int),
    ("depth", Kind::Int),
    ("links_in", Kind::Int),
    ("links_out", Kind::Int),
    ("cited_by", Kind::Int),
    ("pagerank", Kind::Float),
    ("hub", Kind::Float),
    ("authority", Kind::Float),
    ("core", Kind::Int),
    ("component", Kind::Int),
    ("community", Kind::Int),
    ("first_seen", Kind::Time),
    ("last_seen", Kind::Time),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int,
    Float,
    Time,
}

impl Kind {
    /// As the XML formats call it: all of them have dates as text.
    pub(super) fn in_xml(self) -> &'static str {
        match self {
            Kind::Text | Kind::Time => "string",
            Kind::Int => "long",
            Kind::Float => "double",
        }
    }
}

impl Value {
    /// As text for XML; none for nothing.
    pub(super) fn in_xml(self) -> Option<String> {
        Some(match self {
            Value::Nothing => return None,
            Value::Text(text) => xml(&text),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => format!("{number:?}"),
            Value::Time(at) => iso(Timestamp(at)),
        })
    }
}

impl Attributes {
    pub fn of(view: &View) -> Attributes {
        let found = hits(&view.graph, &HitsOptions::default());
        let domains = group_by_level(&view.graph, &view.names, Level::Domain);
        let numbers = |of: Vec<u32>| of.into_iter().map(|number| number + 1).collect::<Vec<u32>>();
        Attributes {
            pagerank: view.pagerank(),
            hub: found.hubs,
            authority: found.authorities,
            component: numbers(strong_components(&view.graph).of),
            community: numbers(communities_of(view)),
            degrees: degrees(&view.graph),
            cited_by: citations(&view.graph, &domains.group_of).domains,
            core: core_numbers(&view.graph),
        }
    }

    /// All attributes of a node.
    pub(super) fn row(&self, view: &View, node: Node, name: &str) -> [Value; 18] {
        let at = node as usize;
        let facts = view
            .facts
            .as_ref()
            .map_or_else(NodeFacts::default, |facts| facts.get(node));
        let text = |text: &str| {
            if text.is_empty() {
                Value::Nothing
            } else {
                Value::Text(text.to_owned())
            }
        };
        let int = |number: Option<u32>| number.map_or(Value::Nothing, |number| Value::Int(i64::from(number)));
        let time = |at: Option<Timestamp>| at.map_or(Value::Nothing, |at| Value::Time(at.0));
        [
            text(name),
            text(&facts.title),
            text(&facts.media_type),
            text(gleaner_graph::host_of(name)),
            text(facts.state.map_or("", gleaner_model::State::as_str)),
            int(facts.status.map(u32::from)),
            int(facts.depth),
            int(Some(self.degrees.incoming[at])),
            int(Some(self.degrees.outgoing[at])),
            int(Some(self.cited_by[at])),
            Value::Float(self.pagerank[at]),
            Value::Float(self.hub[at]),
            Value::Float(self.authority[at]),
            int(Some(self.core[at])),
            int(Some(self.component[at])),
            int(Some(self.community[at])),
            time(facts.first_seen),
            time(facts.last_seen),
        ]
    }
}

/// Communities are those of hosts: inside a host everything links to everything. Where there is one host alone, those of its pages.
fn communities_of(view: &View) -> Vec<u32> {
    communities_of_hosts(view).unwrap_or_else(|| communities(&view.graph, &CommunityOptions::default()).of)
}

/// The same without those of pages, which take a while on a large host.
pub(crate) fn communities_of_hosts(view: &View) -> Option<Vec<u32>> {
    let options = CommunityOptions::default();
    if view.level != Level::Page {
        return Some(communities(&view.graph, &options).of);
    }
    let hosts = group_by_level(&view.graph, &view.names, Level::Host);
    if hosts.members.len() < 2 {
        return None;
    }
    let found = communities(&hosts.graph, &options).of;
    Some(hosts.group_of.iter().map(|host| found[*host as usize]).collect())
}
