//! The rows of one direction as bits.
//!
//! Pages of a site link to much the same pages, so a row may point back to an earlier one that it resembles (as in Boldi and Vigna's
//! `WebGraph`, but to any earlier row, because a site is larger than a window):
//!
//! ```text
//! length │ how far back the model is, 0 for none │ a bit for each end of the model: is it here too? │ the other ends
//! ```
//!
//! The first of the other ends is a signed distance from the row's own number, the next are gaps less 1. Gaps have a parameter for
//! each class of rows by the logarithm of how many ends follow: long rows have small gaps.
//!
//! Trap: ends come from two places and are merged, so a reader must refuse an end that comes from both.

use super::bits::{self, BitReader, BitWriter};
use crate::graph::{Node, Rows};

/// Parameters: of lengths, of models, of first ends, then of gaps by class.
const CLASSES: usize = 12;
const PARAMETERS: usize = 3 + CLASSES;
/// Rows that are compared with a row at most.
const CANDIDATES_MAX: usize = 12;
/// What an end costs that is not copied, about, in bits. Only for choosing.
const END_BITS: usize = 13;

fn class(others: usize) -> usize {
    (usize::BITS - others.leading_zeros()).min(CLASSES as u32 - 1) as usize
}

/// How a row is written.
struct Plan {
    length: usize,
    back: Node,
    copied: Vec<bool>,
    others: Vec<Node>,
}

pub(super) fn coded(rows: &Rows) -> Vec<u8> {
    let backs = models(rows);
    let mut counts: Vec<bits::Totals> = vec![bits::Totals::default(); PARAMETERS];
    for node in (0..rows.nodes()).step_by(bits::sample_step(rows.nodes())) {
        let plan = plan(rows, node as Node, backs[node]);
        each_number(node as Node, &plan, |place, number| counts[place].add(number));
    }
    let parameters: Vec<u32> = counts.iter().map(bits::Totals::best).collect();
    let mut writer = BitWriter::default();
    for (node, &back) in (0..).zip(&backs) {
        let plan = plan(rows, node, back);
        let mut copied = Some(&plan.copied);
        each_number(node, &plan, |place, number| {
            writer.push(number, parameters[place]);
            // The bits of the model stand behind its number.
            if place == 1 {
                copied
                    .take()
                    .into_iter()
                    .flatten()
                    .for_each(|&bit| writer.bit(bit));
            }
        });
    }
    let mut bytes: Vec<u8> = parameters.into_iter().map(|parameter| parameter as u8).collect();
    bytes.extend(writer.finish());
    bytes
}

/// The numbers of a row in their order, each with the place of its parameter.
fn each_number(node: Node, plan: &Plan, mut take: impl FnMut(usize, u64)) {
    take(0, plan.length as u64);
    if plan.length == 0 {
        return;
    }
    take(1, u64::from(plan.back));
    if let Some(&first) = plan.others.first() {
        take(2, distance(node, first));
        let place = 3 + class(plan.others.len());
        for pair in plan.others.windows(2) {
            take(place, u64::from(pair[1] - pair[0] - 1));
        }
    }
}

fn plan(rows: &Rows, node: Node, back: Node) -> Plan {
    let row = rows.of(node);
    let model: &[Node] = if back == 0 { &[] } else { rows.of(node - back) };
    let mut copied = Vec::with_capacity(model.len());
    let mut others = Vec::with_capacity(row.len());
    let mut at = 0;
    for &end in model {
        while at < row.len() && row[at] < end {
            others.push(row[at]);
            at += 1;
        }
        let here = row.get(at) == Some(&end);
        copied.push(here);
        at += usize::from(here);
    }
    others.extend_from_slice(&row[at..]);
    Plan {
        length: row.len(),
        back,
        copied,
        others,
    }
}

/// For each row how far back the earlier row lies that saves most; 0 where none saves anything.
fn models(rows: &Rows) -> Vec<Node> {
    const NEVER: Node = Node::MAX;
    let mut last_with = vec![NEVER; rows.nodes()];
    let mut candidates: Vec<Node> = Vec::new();
    let mut found = Vec::with_capacity(rows.nodes());
    for node in 0..rows.nodes() as Node {
        let row = rows.of(node);
        candidates.clear();
        let stride = row.len().div_ceil(CANDIDATES_MAX).max(1);
        let seen = row.iter().step_by(stride).map(|&end| last_with[end as usize]);
        candidates.extend(seen.filter(|&other| other != NEVER));
        candidates.sort_unstable();
        candidates.dedup();
        let mut best = (0, 0);
        for &other in &candidates {
            let model = rows.of(other);
            if model.len() > 4 * row.len() + 64 {
                continue;
            }
            let back = node - other;
            let cost = model.len() + 2 * (Node::BITS - back.leading_zeros()) as usize;
            let saved = (common(row, model) * END_BITS).saturating_sub(cost);
            if saved > best.0 {
                best = (saved, back);
            }
        }
        found.push(best.1);
        for &end in row {
            last_with[end as usize] = node;
        }
    }
    found
}

fn common(one: &[Node], other: &[Node]) -> usize {
    let (mut a, mut b, mut found) = (0, 0, 0);
    while a < one.len() && b < other.len() {
        let order = one[a].cmp(&other[b]);
        a += usize::from(order.is_le());
        b += usize::from(order.is_ge());
        found += usize::from(order.is_eq());
    }
    found
}

/// Small for near nodes on either side: 0, -1, 1, -2, 2 … as 0, 1, 2, 3, 4.
fn distance(node: Node, end: Node) -> u64 {
    let signed = i64::from(end) - i64::from(node);
    ((signed << 1) ^ (signed >> 63)) as u64
}

pub(super) fn read(bytes: &[u8], nodes: usize, links: usize) -> Option<Rows> {
    let (given, coded) = bytes.split_at_checked(PARAMETERS)?;
    let parameters: Option<Vec<u32>> = given.iter().map(|&byte| bits::checked_parameter(byte)).collect();
    let parameters = parameters?;
    // Every node and every link takes a bit at least: bytes that claim more are not believed.
    let bits = coded.len().checked_mul(8)?;
    if nodes.checked_add(links)? > bits || nodes > Node::MAX as usize {
        return None;
    }
    let mut reader = BitReader::new(coded);
    let mut rows = Rows {
        starts: Vec::with_capacity(nodes + 1),
        ends: Vec::with_capacity(links),
        weights: None,
    };
    rows.starts.push(0);
    let mut copied = Vec::new();
    for node in 0..nodes {
        let length = reader.read(parameters[0])? as usize;
        if length > links - rows.ends.len() {
            return None;
        }
        if length > 0 {
            copied.clear();
            let back = usize::try_from(reader.read(parameters[1])?).ok()?;
            if back > 0 {
                let model = node.checked_sub(back)?;
                for at in rows.range(model as Node) {
                    if reader.bit()? {
                        copied.push(rows.ends[at]);
                    }
                }
            }
            let others = length.checked_sub(copied.len())?;
            read_row(
                &mut reader,
                &parameters,
                (node, nodes),
                others,
                &copied,
                &mut rows.ends,
            )?;
        }
        rows.starts.push(rows.ends.len());
    }
    (rows.ends.len() == links).then_some(rows)
}

/// Reads the other ends of a row and merges them with the copied ones.
fn read_row(
    reader: &mut BitReader<'_>,
    parameters: &[u32],
    (node, nodes): (usize, usize),
    others: usize,
    copied: &[Node],
    ends: &mut Vec<Node>,
) -> Option<()> {
    let mut waiting = copied.iter().copied().peekable();
    let place = 3 + class(others);
    let mut end = 0i64;
    for at in 0..others {
        if at == 0 {
            let coded = reader.read(parameters[2])? as i64;
            end = node as i64 + ((coded >> 1) ^ -(coded & 1));
        } else {
            end += reader.read(parameters[place])? as i64 + 1;
        }
        if end < 0 || end >= nodes as i64 || end == node as i64 {
            return None;
        }
        while let Some(before) = waiting.next_if(|&copied| i64::from(copied) < end) {
            ends.push(before);
        }
        if waiting.peek() == Some(&(end as Node)) {
            return None;
        }
        ends.push(end as Node);
    }
    ends.extend(waiting);
    // A model may link to this row, which may not link to itself.
    (!copied.contains(&(node as Node))).then_some(())
}
