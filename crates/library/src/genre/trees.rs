//! Trees of questions whose answers add up, and what each question contributed.

/// A question about a number, or an answer. Both know the mean answer of the documents that came to them in training, so that
/// the way through a tree says what each question changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GenreNode {
    pub column: u16,
    pub border: f32,
    /// The node for numbers up to the border; the one behind it is for those above. 0: an answer.
    pub low: u16,
    pub value: f32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct GenreTree {
    nodes: Vec<GenreNode>,
}

impl GenreTree {
    /// None where it has no root, asks for numbers that there are not, or a way through it might not end.
    pub fn new(nodes: Vec<GenreNode>, width: usize) -> Option<GenreTree> {
        let is_sound = nodes.iter().enumerate().all(|(at, node)| {
            let low = usize::from(node.low);
            low == 0 || (low > at && low + 1 < nodes.len() && usize::from(node.column) < width)
        });
        (is_sound && !nodes.is_empty()).then_some(GenreTree { nodes })
    }

    pub fn nodes(&self) -> &[GenreNode] {
        &self.nodes
    }

    pub(super) fn value(&self, row: &[f32]) -> f32 {
        let mut node = &self.nodes[0];
        while node.low != 0 {
            node = self.next(node, row);
        }
        node.value
    }

    fn next(&self, node: &GenreNode, row: &[f32]) -> &GenreNode {
        &self.nodes[usize::from(node.low) + usize::from(row[usize::from(node.column)] > node.border)]
    }

    /// Adds to each column by how much its questions changed the answer.
    pub(super) fn explain(&self, row: &[f32], shares: &mut [f32]) {
        let mut node = &self.nodes[0];
        while node.low != 0 {
            let next = self.next(node, row);
            shares[usize::from(node.column)] += next.value - node.value;
            node = next;
        }
    }

    /// `column>border:low~value` asks, `=value` answers.
    pub(super) fn write(&self) -> String {
        let words = self.nodes.iter().map(|node| match node.low {
            0 => format!("={}", node.value),
            low => format!("{}>{}:{low}~{}", node.column, node.border, node.value),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn read(line: &str, width: usize) -> Option<GenreTree> {
        let mut nodes = Vec::new();
        for word in line.split(' ') {
            nodes.push(if let Some(value) = word.strip_prefix('=') {
                GenreNode {
                    column: 0,
                    border: 0.0,
                    low: 0,
                    value: value.parse().ok()?,
                }
            } else {
                let (column, rest) = word.split_once('>')?;
                let (border, rest) = rest.split_once(':')?;
                let (low, value) = rest.split_once('~')?;
                GenreNode {
                    column: column.parse().ok()?,
                    border: border.parse().ok()?,
                    low: low.parse().ok().filter(|low| *low > 0)?,
                    value: value.parse().ok()?,
                }
            });
        }
        GenreTree::new(nodes, width)
    }
}
