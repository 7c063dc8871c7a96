//! Which pages hang together, and the bow-tie.

use super::super::table::{Table, TableCell};
use super::super::view::{View, one};
use crate::graph::table::grouped;
use gleaner_graph::{BowTie, BowtiePart, Components, bow_tie, strong_components, weak_components};
use serde_json::{Value, json};

/// Said wherever a bow-tie is.
pub(crate) const BOW_TIE_CAVEAT: &str =
    "The proportions of a bow-tie depend on the crawl: where it began, how far it went and what it left out.";

/// The components of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ComponentsTold {
    pub strong: Components,
    pub weak: Components,
    pub bow_tie: BowTie,
    /// The largest of both kinds.
    pub table: Table,
    words: String,
}

/// What a part of the bow-tie is called.
pub(crate) fn part_name(part: BowtiePart) -> &'static str {
    match part {
        BowtiePart::Core => "core",
        BowtiePart::In => "in",
        BowtiePart::Out => "out",
        BowtiePart::Tube => "tubes",
        BowtiePart::Tendril => "tendrils",
        BowtiePart::Rest => "apart",
    }
}

/// The `top` largest components of each kind with their first node; 0: all.
pub fn components(view: &View, top: usize) -> ComponentsTold {
    let (strong, weak) = (strong_components(&view.graph), weak_components(&view.graph));
    let bow_tie = bow_tie(&view.graph, &strong);
    let mut table = Table::new(&["kind", "component", "size", "first"]);
    let top = if top == 0 { usize::MAX } else { top };
    for (kind, found) in [("strong", &strong), ("weak", &weak)] {
        let mut first = vec![u32::MAX; found.sizes.len()];
        for (node, component) in found.of.iter().enumerate() {
            let place = &mut first[*component as usize];
            *place = (*place).min(node as u32);
        }
        for (component, size) in found.sizes.iter().enumerate().take(top) {
            table.push(vec![
                kind.into(),
                (component as u64 + 1).into(),
                u64::from(*size).into(),
                TableCell::Text(view.names.get(first[component])),
            ]);
        }
    }
    ComponentsTold {
        words: words(view, &bow_tie),
        strong,
        weak,
        bow_tie,
        table,
    }
}

fn words(view: &View, bow_tie: &BowTie) -> String {
    let nodes = view.nodes().max(1) as f64;
    let name = one(view.level);
    let part = |place: usize| {
        let count = bow_tie.counts[place];
        let share = 100.0 * f64::from(count) / nodes;
        format!("{} ({share:.1} %)", grouped(u64::from(count)))
    };
    format!(
        "The core, whose {name}s reach each other, has {}. {} lead to the core and are not reached from it (in); {} are reached from it \
         and do not lead back (out). {} lead from in to out past the core (tubes), {} branch off in or out \
          (tendrils), {} are disconnected.",
        part(0),
        part(1),
        part(2),
        part(3),
        part(4),
        part(5)
    )
}

impl ComponentsTold {
    /// The bow-tie in words, with what must be said of it.
    pub fn in_words(&self) -> String {
        format!("{} {BOW_TIE_CAVEAT}", self.words)
    }

    /// The summary for programs.
    pub fn json(&self) -> Value {
        let size = |found: &Components| found.sizes.first().copied().unwrap_or(0);
        let parts: serde_json::Map<String, Value> = BowtiePart::ALL
            .into_iter()
            .zip(self.bow_tie.counts)
            .map(|(part, count)| (part_name(part).to_owned(), json!(count)))
            .collect();
        json!({
            "nodes": self.strong.of.len(),
            "strong": self.strong.sizes.len(),
            "weak": self.weak.sizes.len(),
            "largest_strong": size(&self.strong),
            "largest_weak": size(&self.weak),
            "bow_tie": parts,
            "caveat": BOW_TIE_CAVEAT,
        })
    }
}
