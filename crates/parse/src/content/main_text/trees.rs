//! Trees of questions whose answers add up: how likely is a block main text, a page of a type?

/// A question, or what is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Node {
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
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// The first node is the root, and nodes come behind the one that leads to them.
    pub fn new(nodes: Vec<Node>) -> Tree {
        Tree { nodes }
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub fn value(&self, row: &[f32]) -> f32 {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Leaf(value) => return value,
                Node::Split {
                    column,
                    border,
                    low,
                    high,
                } => {
                    let is_above = row[usize::from(column)] > border;
                    at = usize::from(if is_above { high } else { low });
                }
            }
        }
    }
}

/// From the logarithm of the odds to how likely it is.
pub fn likely(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// What the trees say together.
pub fn sum(trees: &[Tree], row: &[f32]) -> f32 {
    trees.iter().map(|tree| tree.value(row)).sum()
}
