//! How does one get there, and what lies around?

use super::super::table::{Table, weight_cell};
use super::super::view::View;
use gleaner_graph::{Direction, Neighbourhood, Node, neighbourhood, shortest_path};

/// A shortest way along links.
#[derive(Debug, Clone, PartialEq)]
pub enum Route {
    Found(Vec<Node>),
    /// Only the other way round, in so many steps.
    OnlyBack(usize),
    None,
}

pub fn route(view: &View, from: Node, to: Node) -> Route {
    if let Some(found) = shortest_path(&view.graph, from, to, Direction::Forward) {
        return Route::Found(found);
    }
    match shortest_path(&view.graph, to, from, Direction::Forward) {
        Some(back) => Route::OnlyBack(back.len().saturating_sub(1)),
        None => Route::None,
    }
}

impl Route {
    /// The steps of the way.
    pub fn table(&self, view: &View) -> Table {
        let mut table = Table::new(&["step", "url", "title"]);
        if let Route::Found(nodes) = self {
            for (step, node) in nodes.iter().enumerate() {
                table.push(vec![
                    (step as u64).into(),
                    view.names.get(*node).into(),
                    view.title(*node).into(),
                ]);
            }
        }
        table
    }
}

/// What lies around a node, with the strength of each bond.
pub fn near(
    view: &View,
    centre: Node,
    hops: u32,
    direction: Direction,
    top: usize,
) -> (Table, Neighbourhood) {
    let top = if top == 0 {
        usize::MAX
    } else {
        top.saturating_add(1)
    };
    let found = neighbourhood(&view.graph, centre, hops, direction, top);
    let mut table = Table::new(&["hops", "bond", "links_to", "linked_from", "url", "title"]);
    for near in found.nodes.iter().filter(|near| near.node != centre) {
        let strength = |weight: Option<f64>| weight_cell(weight.unwrap_or(0.0));
        table.push(vec![
            u64::from(near.hops).into(),
            weight_cell(near.bond),
            strength(view.graph.link(near.node, centre)),
            strength(view.graph.link(centre, near.node)),
            view.names.get(near.node).into(),
            view.title(near.node).into(),
        ]);
    }
    (table, found)
}
