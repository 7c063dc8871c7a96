//! The whole graph on one screen: how large, how dense, how it hangs together, what matters most, and what it costs to keep.

use super::super::Structure;
use super::super::table::{Table, TableCell, TableForm, grouped, many};
use super::super::view::one;
use super::components::{ComponentsTold, components};
use super::rank::{RankOptions, best, scores};
use crate::text::{Colour, Paint, safe};
use crate::time::{count, size};
use gleaner_graph::{
    DistanceOptions, Level, degrees, domain_of, group_by_level, reciprocity, sample_distances,
};
use gleaner_store::ledger::Sizes;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io::{self, Write};

/// Nodes of the top list.
const TOP: usize = 10;

/// What keeping pages costs here, measured, and what more pages would.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    pub sizes: Sizes,
    /// Distinct links of the graph, and of the lists that hold them.
    pub links: u64,
    pub graph_bytes: u64,
    /// Pages to forecast for.
    pub pages: u64,
}

impl Forecast {
    fn per(bytes: u64, count: u64) -> f64 {
        bytes as f64 / count.max(1) as f64
    }

    /// Catalog and archive for each document, its links and its host left out.
    fn page_bytes(&self) -> f64 {
        let all = self.sizes.catalog_bytes + self.sizes.archive_bytes;
        let others = self.sizes.list_bytes + self.sizes.host_bytes;
        Self::per(all.saturating_sub(others), self.sizes.documents)
    }

    fn host_bytes(&self) -> f64 {
        Self::per(self.sizes.host_bytes, self.sizes.hosts)
    }

    fn link_bytes(&self) -> f64 {
        Self::per(self.sizes.list_bytes, self.links)
    }

    /// So many documents with as many links and hosts as these have.
    fn forecast_bytes(&self) -> u64 {
        let all = self.sizes.catalog_bytes + self.sizes.archive_bytes;
        (Self::per(all, self.sizes.documents) * self.pages as f64) as u64
    }

    fn json(&self) -> Value {
        json!({
            "documents": self.sizes.documents,
            "resources": self.sizes.resources,
            "hosts": self.sizes.hosts,
            "catalog_bytes": self.sizes.catalog_bytes,
            "archive_bytes": self.sizes.archive_bytes,
            "bytes_per_page": self.page_bytes(),
            "bytes_per_host": self.host_bytes(),
            "bytes_per_link": self.link_bytes(),
            "graph_bytes": self.graph_bytes,
            "graph_bytes_per_link": Self::per(self.graph_bytes, self.links),
            "forecast_pages": self.pages,
            "forecast_bytes": self.forecast_bytes(),
        })
    }
}

/// Figures of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    level: Level,
    what: String,
    run: Option<i64>,
    nodes: usize,
    kept: Option<u64>,
    hosts: usize,
    domains: usize,
    links: u64,
    weight: f64,
    self_links: usize,
    reciprocity: f64,
    inside_host: f64,
    most_in: (u32, String),
    most_out: (u32, String),
    without_in: usize,
    without_out: usize,
    distance: (f64, f64, usize),
    components: ComponentsTold,
    top: Vec<(String, f64, String)>,
    forecast: Option<Forecast>,
}

pub fn summary(structure: Structure, level: Level, forecast: Option<Forecast>) -> Summary {
    let host_level = group_by_level(&structure.graph, &structure.names, Level::Host);
    let hosts = host_level.members.len();
    let names: Vec<String> = host_level.names.iter().collect();
    let domains = names
        .iter()
        .map(|host| domain_of(host))
        .collect::<HashSet<_>>()
        .len();
    let all = structure.graph.weight() + self_weight(&structure.graph);
    let inside = self_weight(&host_level.graph);
    let view = structure.at(level);
    let found = degrees(&view.graph);
    // Three questions that do not wait for each other.
    let (ranks, (components, (distances, reciprocity))) = rayon::join(
        || scores(&view, &RankOptions::default()),
        || {
            rayon::join(
                || components(&view, 1),
                || {
                    (
                        sample_distances(&view.graph, &DistanceOptions::default()),
                        reciprocity(&view.graph),
                    )
                },
            )
        },
    );
    let most = |counts: &[u32]| {
        let best = (0..counts.len()).max_by_key(|node| (counts[*node], std::cmp::Reverse(*node)));
        best.map_or((0, String::new()), |node| {
            (counts[node], view.names.get(node as u32))
        })
    };
    let none = |counts: &[u32]| counts.iter().filter(|count| **count == 0).count();
    let top = best(&ranks, TOP)
        .into_iter()
        .filter(|_| view.nodes() > 0)
        .map(|node| {
            (
                view.names.get(node),
                ranks[node as usize],
                view.title(node).to_owned(),
            )
        })
        .collect();
    Summary {
        level,
        kept: view.facts.as_ref().map(|facts| {
            let nodes = 0..view.nodes() as u32;
            nodes.filter(|node| facts.is_kept(*node)).count() as u64
        }),
        hosts,
        domains,
        links: view.graph.links() as u64,
        weight: view.graph.weight(),
        self_links: view.graph.self_links().len(),
        reciprocity,
        inside_host: if all > 0.0 { inside / all } else { 0.0 },
        most_in: most(&found.incoming),
        most_out: most(&found.outgoing),
        without_in: none(&found.incoming),
        without_out: none(&found.outgoing),
        distance: (distances.mean, distances.effective_diameter, distances.sources),
        components,
        top,
        nodes: view.nodes(),
        what: view.what.clone(),
        run: view.run,
        forecast,
    }
}

fn self_weight(graph: &gleaner_graph::Graph) -> f64 {
    graph.self_links().iter().map(|(_, weight)| weight).sum()
}

impl Summary {
    pub fn json(&self) -> Value {
        json!({
            "of": self.what,
            "run": self.run,
            "level": one(self.level),
            "nodes": self.nodes,
            "collected": self.kept,
            "hosts": self.hosts,
            "domains": self.domains,
            "links": self.links,
            "weight": self.weight,
            "self_links": self.self_links,
            "reciprocity": self.reciprocity,
            "inside_host": self.inside_host,
            "mean_degree": self.links as f64 / self.nodes.max(1) as f64,
            "most_in": {"url": self.most_in.1, "links": self.most_in.0},
            "most_out": {"url": self.most_out.1, "links": self.most_out.0},
            "without_in": self.without_in,
            "without_out": self.without_out,
            "distance_mean": self.distance.0,
            "distance_effective_diameter": self.distance.1,
            "distance_sources": self.distance.2,
            "components": self.components.json(),
            "top": self.top.iter().map(|(url, score, _)| json!({"url": url, "score": score})).collect::<Vec<_>>(),
            "storage": self.forecast.as_ref().map(Forecast::json),
        })
    }

    /// The same as `json`, a figure a row: `components.bow_tie.core,120`.
    pub fn table(&self) -> Table {
        let mut table = Table::new(&["figure", "value"]);
        flatten(String::new(), &self.json(), &mut table);
        table
    }

    pub fn write_text(&self, paint: Paint, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let name = one(self.level);
        let title = match self.run {
            Some(run) => format!("{} as of run {run}", safe(&self.what)),
            None => safe(&self.what),
        };
        writeln!(out, "{}", paint.put(Colour::Bold, &title))?;
        let collected = self
            .kept
            .map_or_else(String::new, |kept| format!(" ({} collected)", grouped(kept)));
        writeln!(
            out,
            "{}{collected}, {}, {}; {}, {} from a {name} to itself",
            many(self.nodes as u64, name),
            many(self.hosts as u64, "host"),
            many(self.domains as u64, "domain"),
            many(self.links, "link"),
            grouped(self.self_links as u64)
        )?;
        writeln!(
            out,
            "{:.2} links per {name}; {:.1} % go both ways; {:.1} % of all links stay on their host",
            self.links as f64 / self.nodes.max(1) as f64,
            100.0 * self.reciprocity,
            100.0 * self.inside_host
        )?;
        writeln!(
            out,
            "most links in: {} ({}); most links out: {} ({})",
            safe(&self.most_in.1),
            many(u64::from(self.most_in.0), name),
            safe(&self.most_out.1),
            grouped(u64::from(self.most_out.0))
        )?;
        writeln!(
            out,
            "{} that nothing links to, {} that {} to nothing; a shortest path has {:.1} links on average (by {})",
            many(self.without_in as u64, name),
            grouped(self.without_out as u64),
            if self.without_out == 1 { "links" } else { "link" },
            self.distance.0,
            many(self.distance.2 as u64, "sample")
        )?;
        writeln!(out)?;
        let strong = self.components.strong.sizes.len() as u64;
        let weak = self.components.weak.sizes.len() as u64;
        let told = format!(
            "{}, {}. {}",
            count(strong, "strong component"),
            count(weak, "weak component"),
            self.components.in_words()
        );
        for line in wrapped(&told, width) {
            writeln!(out, "{line}")?;
        }
        writeln!(out)?;
        let mut table = Table::new(&["place", "pagerank", "url"]);
        for (place, (url, score, _)) in self.top.iter().enumerate() {
            table.push(vec![
                (place as u64 + 1).into(),
                TableCell::Score(*score),
                url.as_str().into(),
            ]);
        }
        table.write(TableForm::Text(paint), out)?;
        if let Some(forecast) = &self.forecast {
            writeln!(out)?;
            writeln!(
                out,
                "disk space: {} per document (catalog {}, archive {}), {} per host, {:.0} B per link; the graph takes \
                 {} ({:.1} B per link)",
                size(forecast.page_bytes() as u64),
                size(forecast.sizes.catalog_bytes),
                size(forecast.sizes.archive_bytes),
                size(forecast.host_bytes() as u64),
                forecast.link_bytes(),
                size(forecast.graph_bytes),
                Forecast::per(forecast.graph_bytes, forecast.links),
            )?;
            writeln!(
                out,
                "{} like these would take {}",
                many(forecast.pages, "document"),
                size(forecast.forecast_bytes())
            )?;
        }
        Ok(())
    }
}

/// Adds a row for every plain value; places in lists count from 1.
fn flatten(name: String, value: &Value, table: &mut Table) {
    let inside = |key: &str| {
        if name.is_empty() {
            key.to_owned()
        } else {
            format!("{name}.{key}")
        }
    };
    match value {
        Value::Object(parts) => {
            for (key, value) in parts {
                flatten(inside(key), value, table);
            }
        }
        Value::Array(parts) => {
            for (place, value) in parts.iter().enumerate() {
                flatten(inside(&(place + 1).to_string()), value, table);
            }
        }
        plain => {
            let cell = match plain {
                Value::String(text) => text.as_str().into(),
                Value::Number(number) => match (number.as_u64(), number.as_f64()) {
                    (Some(count), _) => count.into(),
                    (None, Some(score)) => TableCell::Score(score),
                    (None, None) => TableCell::Nothing,
                },
                other => TableCell::from(other.as_bool().map_or("", |is| if is { "true" } else { "false" })),
            };
            table.push(vec![name.into(), cell]);
        }
    }
}

/// Lines of at most so many characters, broken between words.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.len() - 1;
        let needed = lines[last].chars().count() + 1 + word.chars().count();
        if needed > width.max(40) && !lines[last].is_empty() {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}
