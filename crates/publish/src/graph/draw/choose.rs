//! Which nodes and bonds are shown, and how they look.

use super::places::NodePlaces;
use crate::graph::export::communities_of_hosts;
use crate::graph::tell::{RankOptions, best, scores};
use crate::graph::view::Structure;
use gleaner_graph::{
    CommunityOptions, Direction, Graph, GraphBuilder, Grouped, LayoutOptions, Level, Names, Node, Point,
    bow_tie, degree_counts, degrees, group_by_level, layout, neighbourhood, strong_components,
};
use gleaner_model::State;
use std::collections::HashMap;

/// Nodes in a file at most; those beyond the first appear when their neighbours are chosen.
const NODES_MAX: usize = 2_000;
/// Bonds in a file at most. Those that are not drawn light up when one of their ends is chosen.
const BONDS_MAX: usize = 8_000;
/// Bonds that a node brings into the picture, its strongest. Among nodes that are all linked with all, more would be a grey disc.
const BONDS_EACH: usize = 3;
/// How many times the strongest bond must be the weakest, as a logarithm, to be drawn as thick as can be.
const SPAN_MIN: f64 = 3.5;
/// Points at the outside, as a share, that may be pulled in so that the others have room.
const OUTSIDE: f64 = 0.02;
/// The colour behind the ten of communities.
const OTHER_COLOUR: u32 = 10;
/// Pages of a host that are named.
const INSIDE_MAX: usize = 6;
/// Hosts of the matrix.
pub(super) const MATRIX_MAX: usize = 40;
pub(super) const WIDTH: f64 = 1_000.0;
pub(super) const HEIGHT: f64 = 760.0;
const MARGIN: f64 = 40.0;
/// Names need room beside the outermost points.
const MARGIN_SIDE: f64 = 90.0;
const STRETCH_MAX: f64 = 1.35;

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
    /// One of the ten colours of communities, or grey.
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
    /// One of the strongest of either end.
    pub(super) is_drawn: bool,
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
    /// In and out, of pages.
    pub(super) degrees: (DegreeCounts, DegreeCounts),
    /// The bow-tie of pages.
    pub(super) parts: [u32; 6],
    /// How many pages at each depth; empty where nobody knows.
    pub(super) depths: Vec<u64>,
    pub(super) pages: usize,
    /// Names of hosts, and how often each links to each.
    pub(super) hosts: Vec<String>,
    pub(super) between: Vec<Vec<f64>>,
    pub(super) hosts_all: usize,
    /// Whether anybody knows the states of nodes.
    pub(super) has_states: bool,
    /// Where nodes stand, for the next drawing.
    pub places: NodePlaces,
}

impl Drawing {
    /// Whether all pages that are drawn are of one host, so that naming it says nothing.
    pub(super) fn has_one_host(&self) -> bool {
        let host = |spot: &Spot| gleaner_graph::host_of(&spot.name).to_owned();
        let first = self.spots.first().map(host);
        self.level == Level::Page
            && first.as_deref().is_some_and(|first| !first.is_empty())
            && self.spots.iter().all(|spot| Some(host(spot)) == first)
    }
}

pub fn drawing(
    structure: Structure,
    wish: &DrawWish,
    before: &NodePlaces,
) -> Result<Drawing, crate::graph::GraphError> {
    let hosts = group_by_level(&structure.graph, &structure.names, Level::Host);
    let (names, between) = matrix_of(&hosts);
    let depths = depths_of(&structure);
    let pages = structure.graph.nodes();
    let of_pages = degrees(&structure.graph);
    let page_degrees = (
        degree_counts(&of_pages.incoming),
        degree_counts(&of_pages.outgoing),
    );
    let parts = bow_tie(&structure.graph, &strong_components(&structure.graph)).counts;
    let inside = (wish.level == Level::Host).then(|| inside_of(&structure, &hosts));
    let hosts_all = hosts.members.len();
    drop(hosts);
    let view = structure.at(wish.level);
    // Nearly every host links to every other once, so between hosts and domains the number of links counts.
    let ranks = scores(
        &view,
        &RankOptions {
            is_weighted: wish.level != Level::Page,
            with_self_links: wish.level == Level::Page,
            ..RankOptions::default()
        },
    );
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
    let mut communities = communities_of_hosts(&view).unwrap_or_else(|| vec![0; view.nodes()]);
    if wish.level == Level::Page && chosen.iter().all(|node| communities[*node as usize] == 0) {
        // All of one community of hosts: then colours tell what belongs together among what is drawn.
        let found = gleaner_graph::communities(&sub, &CommunityOptions::default());
        for (place, node) in chosen.iter().enumerate() {
            communities[*node as usize] = found.of[place];
        }
    }
    let colour_of = colours_of(&communities, &chosen[..begin]);
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
                radius: 3.5 + (largest - 3.5) * (ranks[at] / top_score).sqrt(),
                colour: colour_of.get(&communities[at]).copied().unwrap_or(OTHER_COLOUR),
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
        degrees: page_degrees,
        parts,
        depths,
        pages,
        hosts: names,
        between,
        hosts_all,
        has_states: view.facts.is_some(),
        what: view.what.clone(),
        run: view.run,
        spots,
        places,
    })
}

/// Colours of communities: the ten with the most members in the picture have one of their own, further ones share them. Who is alone
/// in the picture is grey.
fn colours_of(communities: &[u32], shown: &[Node]) -> HashMap<u32, u32> {
    let mut members: HashMap<u32, usize> = HashMap::new();
    for node in shown {
        *members.entry(communities[*node as usize]).or_default() += 1;
    }
    let mut order: Vec<(u32, usize)> = members.into_iter().filter(|(_, count)| *count > 1).collect();
    order.sort_by_key(|(community, count)| (std::cmp::Reverse(*count), *community));
    (0..)
        .zip(order)
        .map(|(place, (community, _))| (community, place % OTHER_COLOUR))
        .collect()
}

/// The bonds of the chosen nodes, and those that are drawn as a graph of its own.
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
    // What is shown at first has the first choice.
    sorted.sort_by_key(|((from, to), _)| *from >= begin || *to >= begin);
    let mut drawn_of = vec![0; chosen.len()];
    let mut bonds: Vec<Bond> = Vec::new();
    let mut builder = GraphBuilder::new(chosen.len());
    for &((from, to), weight) in &sorted {
        let is_drawn = drawn_of[from] < BONDS_EACH || drawn_of[to] < BONDS_EACH;
        if is_drawn {
            drawn_of[from] += 1;
            drawn_of[to] += 1;
            builder.weighted_link(from as Node, to as Node, weight);
        }
        bonds.push(Bond {
            ends: (from, to),
            weight,
            width: 0.0,
            opacity: 0.0,
            is_drawn,
        });
    }
    bonds.sort_by_key(|bond| !bond.is_drawn);
    bonds.truncate(BONDS_MAX);
    let strengths = || {
        bonds
            .iter()
            .filter(|bond| bond.is_drawn)
            .map(|bond| bond.weight.ln())
    };
    let (low, high) = (
        strengths().fold(f64::INFINITY, f64::min),
        strengths().fold(f64::NEG_INFINITY, f64::max),
    );
    // Many lines are thinner, so that points are seen.
    let thin = (9.0 / (begin.max(1) as f64).sqrt()).clamp(0.45, 1.0);
    for bond in &mut bonds {
        // Between the weakest and the strongest of the picture; twice the links are not yet the thickest line.
        let share = ((bond.weight.ln() - low) / (high - low).max(SPAN_MIN)).clamp(0.0, 1.0);
        bond.width = (1.2 + 4.3 * share * share.sqrt()) * thin;
        bond.opacity = 0.5 + 0.35 * share;
    }
    (builder.finish(), bonds)
}

/// Lays the nodes out and fits those shown at first into the picture. Gives back where they stand, unscaled.
fn put_in_place(spots: &mut [Spot], graph: &Graph, begin: usize, before: &NodePlaces) -> NodePlaces {
    let names: Vec<&str> = spots.iter().map(|spot| spot.name.as_str()).collect();
    let known: Vec<Option<Point>> = names.iter().map(|name| before.0.get(*name).copied()).collect();
    let options = LayoutOptions {
        radii: spots.iter().map(|spot| spot.radius).collect(),
        ..LayoutOptions::default()
    };
    let points = layout(graph, &names, &known, &options);
    let shown = &points[..begin];
    // A pair of nodes far away from all others must not make everything else small.
    let range = |of: fn(&Point) -> f64| {
        let mut values: Vec<f64> = shown.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        let outside = (OUTSIDE * values.len() as f64) as usize;
        let inner = &values[outside.min(values.len())..values.len() - outside];
        let (Some(low), Some(high), Some(first), Some(last)) =
            (inner.first(), inner.last(), values.first(), values.last())
        else {
            return (0.0, 1.0);
        };
        let more = (high - low) * 0.08;
        let (low, high) = (first.max(low - more), last.min(high + more));
        (low, (high - low).max(1e-9))
    };
    let ((left, wide), (top, high)) = (range(|point| point.x), range(|point| point.y));
    let (room_x, room_y) = ((WIDTH - 2.0 * MARGIN_SIDE) / wide, (HEIGHT - 2.0 * MARGIN) / high);
    let scale = room_x.min(room_y);
    // The picture is wider than it is high; a little stretching fills it and parts the names.
    let (scale_x, scale_y) = (room_x.min(scale * STRETCH_MAX), room_y.min(scale * STRETCH_MAX));
    let (free_x, free_y) = (WIDTH - wide * scale_x, HEIGHT - high * scale_y);
    for (spot, point) in spots.iter_mut().zip(&points) {
        spot.radius *= scale.clamp(0.8, 1.0);
        spot.at = Point {
            x: (point.x - left).clamp(0.0, wide) * scale_x + free_x / 2.0,
            y: (point.y - top).clamp(0.0, high) * scale_y + free_y / 2.0,
        };
    }
    NodePlaces(
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
    // In the order of their names: hosts of a domain side by side, addresses by their numbers.
    chosen.sort_unstable_by_key(|node| (numbers_of(&hosts.names.get(*node)), *node));
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

/// The numbers of an address such as 10.0.0.2; none of a name.
fn numbers_of(host: &str) -> Vec<u32> {
    let numbers: Result<Vec<u32>, _> = host.split('.').map(str::parse).collect();
    numbers.unwrap_or_default()
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
