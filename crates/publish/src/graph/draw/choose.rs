//! Which nodes and bonds are shown, and how they look.

use super::places::Places;
use crate::graph::export::communities_of;
use crate::graph::tell::{RankOptions, best, scores};
use crate::graph::view::{Structure, View};
use gleaner_graph::{
    Direction, Graph, GraphBuilder, Grouped, LayoutOptions, Level, Names, Node, Point, degree_counts,
    degrees, group_by_level, layout, neighbourhood,
};
use gleaner_model::State;
use std::collections::HashMap;

/// Nodes in a file at most; those beyond the first appear when their neighbours are chosen.
const NODES_MAX: usize = 2_000;
/// Bonds that are drawn at most, the strongest; every node keeps its strongest one.
const BONDS_MAX: usize = 2_500;
/// Pages of a host that are named.
const INSIDE_MAX: usize = 6;
/// Hosts of the matrix.
pub(super) const MATRIX_MAX: usize = 40;
pub(super) const WIDTH: f64 = 1_000.0;
pub(super) const HEIGHT: f64 = 760.0;
const MARGIN: f64 = 46.0;

/// What to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawWish {
    pub level: Level,
    /// Nodes to begin with.
    pub nodes: usize,
    /// Only what lies around this, and how far.
    pub around: Option<(String, u32)>,
}

/// A node as it is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Spot {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) at: Point,
    pub(super) radius: f64,
    /// A community, as one of ten colours or as "another".
    pub(super) colour: u32,
    pub(super) community: u32,
    pub(super) score: f64,
    pub(super) place: usize,
    pub(super) links_in: u32,
    pub(super) links_out: u32,
    pub(super) state: Option<State>,
    pub(super) inside: Vec<String>,
}

/// Two nodes that link to each other, either way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bond {
    pub(super) ends: (usize, usize),
    pub(super) weight: f64,
    pub(super) width: f64,
    pub(super) opacity: f64,
}

/// Degree and how many nodes have it, ascending.
type DegreeCounts = Vec<(u32, u64)>;

/// Everything that the pictures need.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    pub(super) level: Level,
    pub(super) what: String,
    pub(super) run: Option<i64>,
    pub(super) all: usize,
    pub(super) links: usize,
    /// Shown at first; the others when somebody asks for them.
    pub(super) begin: usize,
    pub(super) spots: Vec<Spot>,
    pub(super) bonds: Vec<Bond>,
    /// In and out.
    pub(super) degrees: (DegreeCounts, DegreeCounts),
    pub(super) parts: [u32; 6],
    /// How many pages at each depth; empty where nobody knows.
    pub(super) depths: Vec<u64>,
    pub(super) pages: usize,
    /// Names of hosts, and how often each links to each.
    pub(super) hosts: Vec<String>,
    pub(super) between: Vec<Vec<f64>>,
    pub(super) hosts_all: usize,
    /// Where nodes stand, for the next drawing.
    pub places: Places,
}

pub fn drawing(
    structure: Structure,
    wish: &DrawWish,
    before: &Places,
) -> Result<Drawing, crate::graph::GraphError> {
    let hosts = group_by_level(&structure.graph, &structure.names, Level::Host);
    let (names, between) = matrix_of(&hosts);
    let depths = depths_of(&structure);
    let pages = structure.graph.nodes();
    let inside = (wish.level == Level::Host).then(|| inside_of(&structure, &hosts));
    let hosts_all = hosts.members.len();
    drop(hosts);
    let view = structure.at(wish.level);
    let ranks = scores(&view, &RankOptions::default());
    let chosen: Vec<Node> = match &wish.around {
        Some((given, hops)) => {
            let centre = view.find(given)?;
            let found = neighbourhood(&view.graph, centre, *hops, Direction::Both, NODES_MAX);
            found.nodes.iter().map(|near| near.node).collect()
        }
        None => best(&ranks, NODES_MAX),
    };
    let begin = wish.nodes.min(chosen.len());
    let (sub, bonds) = bonds_of(&view.graph, &chosen, begin);
    // Many points are smaller, so that lines between them are seen.
    let largest = (150.0 / (begin.max(1) as f64).sqrt()).clamp(7.0, 17.0);
    let found = degrees(&view.graph);
    let communities = communities_of(&view);
    let top_score = chosen
        .iter()
        .map(|node| ranks[*node as usize])
        .fold(f64::MIN_POSITIVE, f64::max);
    let mut place_of = vec![0; ranks.len()];
    for (place, node) in best(&ranks, 0).into_iter().enumerate() {
        place_of[node as usize] = place + 1;
    }
    let mut spots: Vec<Spot> = chosen
        .iter()
        .map(|&node| {
            let at = node as usize;
            Spot {
                name: view.names.get(node),
                title: view.title(node).to_owned(),
                at: Point::default(),
                radius: 2.5 + (largest - 2.5) * (ranks[at] / top_score).sqrt(),
                colour: communities[at].min(10),
                community: communities[at] + 1,
                score: ranks[at],
                place: place_of[at],
                links_in: found.incoming[at],
                links_out: found.outgoing[at],
                state: view.facts.as_ref().and_then(|facts| facts.state(node)),
                inside: inside.as_ref().map_or_else(Vec::new, |inside| inside[at].clone()),
            }
        })
        .collect();
    let places = put_in_place(&mut spots, &sub, begin, before);
    Ok(Drawing {
        level: wish.level,
        all: view.nodes(),
        links: view.graph.links(),
        begin,
        bonds,
        degrees: (degree_counts(&found.incoming), degree_counts(&found.outgoing)),
        parts: parts_of(&view),
        depths,
        pages,
        hosts: names,
        between,
        hosts_all,
        what: view.what.clone(),
        run: view.run,
        spots,
        places,
    })
}

fn parts_of(view: &View) -> [u32; 6] {
    gleaner_graph::bow_tie(&view.graph, &gleaner_graph::strong_components(&view.graph)).counts
}

/// The chosen nodes as a graph of their own, and its strongest bonds.
fn bonds_of(graph: &Graph, chosen: &[Node], begin: usize) -> (Graph, Vec<Bond>) {
    let place: HashMap<Node, usize> = chosen.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let mut pairs: HashMap<(usize, usize), f64> = HashMap::new();
    for (from, node) in chosen.iter().enumerate() {
        for (end, weight) in graph.forward().weighted(*node) {
            if let Some(&to) = place.get(&end) {
                *pairs.entry((from.min(to), from.max(to))).or_default() += weight;
            }
        }
    }
    let mut sorted: Vec<((usize, usize), f64)> = pairs.into_iter().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut builder = GraphBuilder::new(chosen.len());
    for ((from, to), weight) in &sorted {
        builder.weighted_link(*from as Node, *to as Node, *weight);
    }
    let strongest = sorted.first().map_or(1.0, |(_, weight)| *weight);
    let mut has_one = vec![false; chosen.len()];
    let mut bonds = Vec::new();
    // What is shown at first has the first choice.
    sorted.sort_by_key(|((from, to), _)| *from >= begin || *to >= begin);
    for ((from, to), weight) in sorted {
        let is_first = !has_one[from] || !has_one[to];
        if bonds.len() >= BONDS_MAX && !is_first {
            continue;
        }
        (has_one[from], has_one[to]) = (true, true);
        let share = (1.0 + weight).ln() / (1.0 + strongest).ln();
        bonds.push(Bond {
            ends: (from, to),
            weight,
            width: 0.5 + 4.5 * share * share,
            opacity: 0.16 + 0.5 * share,
        });
    }
    (builder.finish(), bonds)
}

/// Lays the nodes out and fits those shown at first into the picture. Gives back where they stand, unscaled.
fn put_in_place(spots: &mut [Spot], graph: &Graph, begin: usize, before: &Places) -> Places {
    let names: Vec<&str> = spots.iter().map(|spot| spot.name.as_str()).collect();
    let known: Vec<Option<Point>> = names.iter().map(|name| before.0.get(*name).copied()).collect();
    let options = LayoutOptions {
        radii: spots.iter().map(|spot| spot.radius).collect(),
        ..LayoutOptions::default()
    };
    let points = layout(graph, &names, &known, &options);
    let shown = &points[..begin];
    let range = |of: fn(&Point) -> f64| {
        let (mut low, mut high) = (f64::MAX, f64::MIN);
        for point in shown {
            (low, high) = (low.min(of(point)), high.max(of(point)));
        }
        (low, (high - low).max(1e-9))
    };
    let ((left, wide), (top, high)) = (range(|point| point.x), range(|point| point.y));
    let scale = ((WIDTH - 2.0 * MARGIN) / wide).min((HEIGHT - 2.0 * MARGIN) / high);
    let (free_x, free_y) = (WIDTH - wide * scale, HEIGHT - high * scale);
    for (spot, point) in spots.iter_mut().zip(&points) {
        spot.radius *= scale.clamp(0.6, 1.0);
        spot.at = Point {
            x: (point.x - left) * scale + free_x / 2.0,
            y: (point.y - top) * scale + free_y / 2.0,
        };
    }
    Places(
        spots
            .iter()
            .zip(&points)
            .map(|(spot, point)| (spot.name.clone(), *point))
            .collect(),
    )
}

fn matrix_of(hosts: &Grouped) -> (Vec<String>, Vec<Vec<f64>>) {
    let found = degrees(&hosts.graph);
    let weights: Vec<f64> = found
        .weight_in
        .iter()
        .zip(&found.weight_out)
        .map(|(one, other)| one + other)
        .collect();
    let mut chosen = best(&weights, MATRIX_MAX);
    chosen.sort_unstable();
    let between = chosen
        .iter()
        .map(|from| {
            let row = chosen
                .iter()
                .map(|to| hosts.graph.link(*from, *to).unwrap_or(0.0));
            row.collect()
        })
        .collect();
    (named(&hosts.names, &chosen), between)
}

fn named(names: &Names, nodes: &[Node]) -> Vec<String> {
    nodes.iter().map(|node| names.get(*node)).collect()
}

fn depths_of(structure: &Structure) -> Vec<u64> {
    let mut depths = Vec::new();
    let Some(facts) = &structure.facts else {
        return depths;
    };
    for node in 0..structure.graph.nodes() as Node {
        let Some(depth) = facts.depth(node).filter(|_| facts.is_kept(node)) else {
            continue;
        };
        let depth = (depth as usize).min(10_000);
        if depths.len() <= depth {
            depths.resize(depth + 1, 0);
        }
        depths[depth] += 1;
    }
    depths
}

/// The highest ranked pages of each host.
fn inside_of(structure: &Structure, hosts: &Grouped) -> Vec<Vec<String>> {
    let ranks = gleaner_graph::pagerank(&structure.graph, &gleaner_graph::PageRankOptions::default()).scores;
    let mut inside: Vec<Vec<Node>> = vec![Vec::new(); hosts.members.len()];
    let mut open = hosts.members.len();
    for node in best(&ranks, 0) {
        if open == 0 {
            break;
        }
        let host = hosts.group_of[node as usize] as usize;
        if inside[host].len() < INSIDE_MAX {
            inside[host].push(node);
            let wanted = INSIDE_MAX.min(hosts.members[host] as usize);
            open -= usize::from(inside[host].len() == wanted);
        }
    }
    inside
        .iter()
        .map(|nodes| named(&structure.names, nodes))
        .collect()
}
