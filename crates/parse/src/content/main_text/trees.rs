//! Trees of questions whose answers add up: how likely is a block main text, a page of a type?

/// A question, or what is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DecisionNode {
    /// Is the number of this column above the border?
    Split {
        column: u16,
        border: f32,
        low: u16,
        high: u16,
    },
    Leaf(f32),
}

#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTree {
    nodes: Vec<DecisionNode>,
    steps: Vec<Step>,
}

/// A node in the form in which it is walked. A leaf leads to itself, so that a walk needs no other question than whether it
/// has moved.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Step {
    column: u16,
    /// The node for numbers up to the border; the one behind it is for those above.
    low: u16,
    border: f32,
    value: f32,
}

impl DecisionTree {
    /// The first node is the root, nodes come behind the one that leads to them, and the two that a question leads to stand
    /// beside each other.
    pub fn new(nodes: Vec<DecisionNode>) -> DecisionTree {
        let step = |(at, node): (usize, &DecisionNode)| match *node {
            DecisionNode::Leaf(value) => Step {
                column: 0,
                low: at as u16,
                border: f32::INFINITY,
                value,
            },
            DecisionNode::Split {
                column, border, low, ..
            } => Step {
                column,
                low,
                border,
                value: 0.0,
            },
        };
        let steps = nodes.iter().enumerate().map(step).collect();
        DecisionTree { nodes, steps }
    }

    pub fn nodes(&self) -> &[DecisionNode] {
        &self.nodes
    }

    pub fn value(&self, row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            let next = self.next(at, row);
            if next == at {
                return self.steps[at].value;
            }
            at = next;
        }
    }

    fn next(&self, at: usize, row: &[f32]) -> usize {
        let step = &self.steps[at];
        usize::from(step.low) + usize::from(row[usize::from(step.column)] > step.border)
    }

    /// Adds what is said of each of several rows: their walks do not wait for each other.
    fn add<const ROWS: usize>(&self, rows: &[f32], width: usize, sums: &mut [f32]) {
        let mut places = [0usize; ROWS];
        loop {
            let mut has_moved = false;
            for (number, at) in places.iter_mut().enumerate() {
                let next = self.next(*at, &rows[number * width..(number + 1) * width]);
                has_moved |= next != *at;
                *at = next;
            }
            if !has_moved {
                break;
            }
        }
        for (sum, at) in sums.iter_mut().zip(places) {
            *sum += self.steps[at].value;
        }
    }
}

/// From the logarithm of the odds to how likely it is.
pub fn likely(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// What the trees say together of one row.
pub fn sum(trees: &[DecisionTree], row: &[f32]) -> f32 {
    trees.iter().map(|tree| tree.value(row)).sum()
}

/// What the trees say together of each of the rows of `width` numbers.
pub fn sums(trees: &[DecisionTree], rows: &[f32], width: usize) -> Vec<f32> {
    const TOGETHER: usize = 8;
    let mut sums = vec![0.0; rows.len() / width];
    for (rows, sums) in rows.chunks(width * TOGETHER).zip(sums.chunks_mut(TOGETHER)) {
        for tree in trees {
            if sums.len() == TOGETHER {
                tree.add::<TOGETHER>(rows, width, sums);
                continue;
            }
            for (sum, row) in sums.iter_mut().zip(rows.chunks_exact(width)) {
                *sum += tree.value(row);
            }
        }
    }
    sums
}
