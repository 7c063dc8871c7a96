//! A graph with its names as bytes.
//!
//! ```text
//! magic 8 │ format 4 │ length of all 8 │ checksum 8 │ body: about, nodes, forward, backward, weights, own links, names
//! ```
//!
//! Rows point back to earlier rows that they resemble and list the rest as gaps ([`rows`]), in ζ codes ([`bits`]) with the parameters
//! that make each part shortest. Weights that are whole numbers are ζ codes as well, others are kept as they are. Names are front
//! coded apart ([`Names`]).
//!
//! Traps: bytes from a disk can be anything. The length says that a file was cut, the checksum that it was damaged, and the
//! reader believes neither: whatever the bytes say, no more is allocated than a few times their own number, and nothing panics.

mod bits;
mod rows;

use crate::error::SnapshotError;
use crate::graph::{Graph, Node, Rows};
use crate::names::{Names, push_number, read_number};
use crate::weights::{PlacedWeights, WeightList, Weights};
use bits::{BitReader, BitWriter};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"GLNGRAPH";
/// The format that this program writes. It changes with any change to what the bytes mean.
const FORMAT: u32 = 1;
const HEAD_BYTES: usize = 8 + 4 + 8 + 8;
/// Weights of whole numbers below this are coded as numbers.
const WHOLE_MAX: f64 = 4_294_967_296.0;

/// A graph, what its nodes are called, and what its owner wants to know when reading it again.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// For the owner: which catalog, project, run, kinds of links. Not looked into.
    pub about: String,
    pub graph: Graph,
    pub names: Names,
}

/// What the parts of a snapshot take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotSizes {
    pub forward_bytes: u64,
    pub backward_bytes: u64,
    pub weights_bytes: u64,
    pub names_bytes: u64,
}

impl Snapshot {
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_sized_bytes().0
    }

    /// The bytes, and how much of them each part takes.
    pub fn to_sized_bytes(&self) -> (Vec<u8>, SnapshotSizes) {
        assert_eq!(self.graph.nodes(), self.names.len(), "every node has a name");
        let mut bytes = vec![0; HEAD_BYTES];
        push_part(self.about.as_bytes(), &mut bytes);
        push_number(self.graph.nodes(), &mut bytes);
        push_number(self.graph.links(), &mut bytes);
        let (forward, backward) = rayon::join(
            || rows::coded(&self.graph.forward),
            || rows::coded(&self.graph.backward),
        );
        push_part(&forward, &mut bytes);
        push_part(&backward, &mut bytes);
        let weights = coded_weights(self.graph.forward.weights.as_ref());
        push_part(&weights, &mut bytes);
        push_part(&coded_self_links(&self.graph.self_links), &mut bytes);
        push_part(&self.names.coded, &mut bytes);
        let sizes = SnapshotSizes {
            forward_bytes: forward.len() as u64,
            backward_bytes: backward.len() as u64,
            weights_bytes: weights.len() as u64,
            names_bytes: self.names.coded.len() as u64,
        };
        let length = bytes.len() as u64;
        let sum = xxh3_64(&bytes[HEAD_BYTES..]);
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[12..20].copy_from_slice(&length.to_le_bytes());
        bytes[20..28].copy_from_slice(&sum.to_le_bytes());
        (bytes, sizes)
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Snapshot, SnapshotError> {
        let body = checked_body(bytes)?;
        let mut parts = Parts { body, at: 0 };
        let damaged = |part| move || SnapshotError::Damaged { part };
        let about = parts.part().and_then(|about| std::str::from_utf8(about).ok());
        let about = about.ok_or_else(damaged("its description"))?.to_owned();
        let sizes = parts.number().zip(parts.number());
        let (nodes, links) = sizes.ok_or_else(damaged("its sizes"))?;
        let five: [Option<&[u8]>; 5] = std::array::from_fn(|_| parts.part());
        let [forward, backward, weights, own, names] = five;
        let forward = || forward.and_then(|part| rows::read(part, nodes, links));
        let backward = || backward.and_then(|part| rows::read(part, nodes, links));
        let names = || names.and_then(|part| Names::from_coded(part.to_vec(), nodes));
        let (forward, (backward, names)) = rayon::join(forward, || rayon::join(backward, names));
        let mut forward = forward.ok_or_else(damaged("its forward links"))?;
        let mut backward = backward.ok_or_else(damaged("its backward links"))?;
        let weights = weights.and_then(|part| read_weights(part, links));
        let weights = weights.ok_or_else(damaged("its weights"))?;
        forward.weights = weights.finish();
        place_weights(&forward, &mut backward).ok_or_else(damaged("its two directions differ"))?;
        let own = own.and_then(|part| read_self_links(part, nodes));
        let self_links = own.ok_or_else(damaged("its links of nodes to themselves"))?;
        let names = names.ok_or_else(damaged("its names"))?;
        if parts.at != body.len() {
            return Err(SnapshotError::Damaged { part: "its end" });
        }
        let graph = Graph {
            forward,
            backward,
            self_links,
        };
        Ok(Snapshot { about, graph, names })
    }
}

/// The body, when the head says that it is whole.
fn checked_body(bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    let found_bytes = bytes.len() as u64;
    let known = bytes.len().min(MAGIC.len());
    if bytes[..known] != MAGIC[..known] {
        return Err(SnapshotError::Foreign);
    }
    if bytes.len() < HEAD_BYTES {
        return Err(SnapshotError::Cut {
            found_bytes,
            expected_bytes: HEAD_BYTES as u64,
        });
    }
    let four = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let eight = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let format = four(8);
    if format != FORMAT {
        return Err(SnapshotError::OtherFormat {
            found: format,
            known: FORMAT,
        });
    }
    let expected_bytes = eight(12);
    if found_bytes < expected_bytes {
        return Err(SnapshotError::Cut {
            found_bytes,
            expected_bytes,
        });
    }
    if found_bytes > expected_bytes || xxh3_64(&bytes[HEAD_BYTES..]) != eight(20) {
        return Err(SnapshotError::Damaged { part: "its checksum" });
    }
    Ok(&bytes[HEAD_BYTES..])
}

fn push_part(part: &[u8], bytes: &mut Vec<u8>) {
    push_number(part.len(), bytes);
    bytes.extend_from_slice(part);
}

/// Reads one part after the other.
struct Parts<'a> {
    body: &'a [u8],
    at: usize,
}

impl<'a> Parts<'a> {
    fn number(&mut self) -> Option<usize> {
        read_number(self.body, &mut self.at)
    }

    fn part(&mut self) -> Option<&'a [u8]> {
        let length = self.number()?;
        let part = self.body.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(part)
    }
}

fn is_whole(weight: f64) -> bool {
    weight.fract() == 0.0 && weight < WHOLE_MAX
}

/// Nothing for a graph without weights; else a byte that says how, and the weights.
fn coded_weights(weights: Option<&Weights>) -> Vec<u8> {
    let Some(weights) = weights else {
        return Vec::new();
    };
    if !weights.iter().all(is_whole) {
        let mut bytes = vec![0];
        bytes.extend(weights.iter().flat_map(f64::to_le_bytes));
        return bytes;
    }
    let numbers = || weights.iter().map(|weight| weight as u64 - 1);
    let mut totals = bits::Totals::default();
    let step = bits::sample_step(numbers().size_hint().0);
    numbers().step_by(step).for_each(|number| totals.add(number));
    let parameter = totals.best();
    let mut writer = BitWriter::default();
    numbers().for_each(|number| writer.push(number, parameter));
    let mut bytes = vec![parameter as u8];
    bytes.extend(writer.finish());
    bytes
}

/// The weights; an empty list when there are none.
fn read_weights(bytes: &[u8], links: usize) -> Option<WeightList> {
    let mut weights = WeightList::default();
    let Some((&parameter, coded)) = bytes.split_first() else {
        return Some(weights);
    };
    if parameter == 0 {
        if Some(coded.len()) != links.checked_mul(8) {
            return None;
        }
        for raw in coded.chunks_exact(8) {
            let weight = f64::from_le_bytes(std::array::from_fn(|i| raw[i]));
            if !(weight.is_finite() && weight > 0.0) {
                return None;
            }
            weights.push(weight);
        }
        return Some(weights);
    }
    let mut reader = BitReader::new(coded);
    let parameter = bits::checked_parameter(parameter)?;
    if links > coded.len().checked_mul(8)? {
        return None;
    }
    for _ in 0..links {
        weights.push((reader.read(parameter)? + 1) as f64);
    }
    Some(weights)
}

/// Gives the backward rows the weights of the forward ones; nothing when they are not the same links.
fn place_weights(forward: &Rows, backward: &mut Rows) -> Option<()> {
    let nodes = forward.nodes();
    let mut next = backward.starts[..nodes].to_vec();
    let given = forward.weights.as_ref();
    let mut weights = given.map(|given| PlacedWeights::like(given, forward.ends.len()));
    for node in 0..nodes as Node {
        for at in forward.range(node) {
            let end = forward.ends[at] as usize;
            let place = next[end];
            if place >= backward.starts[end + 1] || backward.ends[place] != node {
                return None;
            }
            if let (Some(weights), Some(given)) = (&mut weights, given) {
                weights.put(place, given.at(at));
            }
            next[end] += 1;
        }
    }
    backward.weights = weights.map(PlacedWeights::finish);
    Some(())
}

fn coded_self_links(self_links: &[(Node, f64)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_number(self_links.len(), &mut bytes);
    let mut before = 0;
    for &(node, weight) in self_links {
        push_number((node - before) as usize, &mut bytes);
        before = node;
        // Whole weights are even numbers; behind an odd one stand the bytes of the weight.
        if is_whole(weight) {
            push_number((weight as usize) << 1, &mut bytes);
        } else {
            push_number(1, &mut bytes);
            bytes.extend_from_slice(&weight.to_le_bytes());
        }
    }
    bytes
}

fn read_self_links(bytes: &[u8], nodes: usize) -> Option<Vec<(Node, f64)>> {
    let mut at = 0;
    let count = read_number(bytes, &mut at)?;
    let mut found: Vec<(Node, f64)> = Vec::new();
    let mut node = 0usize;
    for index in 0..count {
        let gap = read_number(bytes, &mut at)?;
        node = node.checked_add(gap)?;
        if node >= nodes || (index > 0 && gap == 0) {
            return None;
        }
        let number = read_number(bytes, &mut at)?;
        let weight = if number & 1 == 0 {
            (number >> 1) as f64
        } else {
            let raw = bytes.get(at..at + 8)?;
            at += 8;
            f64::from_le_bytes(std::array::from_fn(|i| raw[i]))
        };
        if !(weight.is_finite() && weight > 0.0) {
            return None;
        }
        found.push((node as Node, weight));
    }
    (at == bytes.len()).then_some(found)
}
