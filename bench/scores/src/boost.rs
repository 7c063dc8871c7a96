//! Gradient-boosted trees for yes-or-no questions, small and the same on every machine.
//!
//! In: rows of numbers, how much of each is "yes" (0 to 1), and how much each counts. Out: trees whose values add up to the
//! logarithm of the odds. Numbers are sorted into at most 255 bins first; trees grow leaf by leaf, the best split first.

use gleaner_parse::content::training::{DecisionNode, DecisionTree};

pub(crate) struct Settings {
    pub(crate) rounds: usize,
    pub(crate) leaves_max: usize,
    pub(crate) rate: f64,
    /// A leaf weighs at least this much.
    pub(crate) leaf_weight_min: f64,
    /// Pulls the values of leaves towards nothing.
    pub(crate) ridge: f64,
    /// Share of the columns that a tree looks at.
    pub(crate) columns: f64,
    /// Share of the groups that a tree looks at.
    pub(crate) groups: f64,
    pub(crate) seed: u64,
}

pub(crate) struct Table<'a> {
    pub(crate) width: usize,
    /// `width` numbers a row.
    pub(crate) rows: &'a [f32],
    pub(crate) yes: &'a [f32],
    pub(crate) weights: &'a [f32],
    /// Rows of one page go together.
    pub(crate) groups: &'a [u32],
}

/// Numbers without a source: splitmix64.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn is_below(&mut self, share: f64) -> bool {
        ((self.next() >> 11) as f64 / (1u64 << 53) as f64) < share
    }
}

#[derive(Clone, Copy, Default)]
struct Bin {
    gradient: f64,
    weight: f64,
}

/// What falls into each bin of each column that is looked at, one column after the other.
type Histogram = Vec<Bin>;

struct Split {
    gain: f64,
    column: usize,
    bin: usize,
}

struct Leaf {
    rows: Vec<u32>,
    sums: Bin,
    histogram: Histogram,
    best: Option<Split>,
    /// Its place in the tree.
    node: usize,
}

/// Columns with more different numbers than this share bins.
const BINS_MAX: usize = 64;

/// The borders between the bins of each column: a number belongs to the first bin whose border is not below it.
fn borders(table: &Table<'_>) -> Vec<Vec<f32>> {
    (0..table.width)
        .map(|column| {
            let mut values: Vec<f32> = table
                .rows
                .iter()
                .skip(column)
                .step_by(table.width)
                .copied()
                .collect();
            values.sort_unstable_by(f32::total_cmp);
            let mut distinct = values.clone();
            distinct.dedup();
            if distinct.len() <= BINS_MAX {
                return distinct
                    .windows(2)
                    .map(|pair| f32::midpoint(pair[0], pair[1]))
                    .collect();
            }
            let mut borders: Vec<f32> = (1..BINS_MAX)
                .map(|part| values[part * values.len() / BINS_MAX])
                .collect();
            borders.dedup();
            borders
        })
        .collect()
}

/// Four digits are more than enough, and keep the table small.
fn rounded(value: f64) -> f32 {
    (value * 10_000.0).round() as f32 / 10_000.0
}

pub(crate) fn grow(table: &Table<'_>, settings: &Settings) -> Vec<DecisionTree> {
    let count = table.yes.len();
    let borders = borders(table);
    // A column after the other: a tree looks at some columns only.
    let mut bins = vec![0u8; count * table.width];
    for (column, borders) in borders.iter().enumerate() {
        for row in 0..count {
            let value = table.rows[row * table.width + column];
            bins[column * count + row] = borders.partition_point(|border| *border < value) as u8;
        }
    }
    let mut scores = vec![0.0f64; count];
    let mut dice = Dice(settings.seed);
    let mut trees = Vec::new();
    for _ in 0..settings.rounds {
        let columns: Vec<usize> = (0..table.width)
            .filter(|_| dice.is_below(settings.columns))
            .collect();
        let salt = dice.next();
        let mut gradients = vec![0.0f64; count];
        let mut weights = vec![0.0f64; count];
        let mut rows = Vec::new();
        for row in 0..count {
            let weight = f64::from(table.weights[row]);
            if weight <= 0.0 || !Dice(salt ^ u64::from(table.groups[row])).is_below(settings.groups) {
                continue;
            }
            let odds = 1.0 / (1.0 + (-scores[row]).exp());
            gradients[row] = (f64::from(table.yes[row]) - odds) * weight;
            weights[row] = (odds * (1.0 - odds)).max(1e-6) * weight;
            rows.push(row as u32);
        }
        let grown = Growing {
            bins: &bins,
            count,
            borders: &borders,
            columns: &columns,
            gradients: &gradients,
            weights: &weights,
            settings,
        };
        let tree = grown.tree(rows);
        for (score, values) in scores.iter_mut().zip(table.rows.chunks(table.width)) {
            *score += f64::from(tree.value(values));
        }
        trees.push(tree);
    }
    trees
}

struct Growing<'a> {
    bins: &'a [u8],
    count: usize,
    borders: &'a [Vec<f32>],
    columns: &'a [usize],
    gradients: &'a [f64],
    weights: &'a [f64],
    settings: &'a Settings,
}

impl Growing<'_> {
    fn tree(&self, rows: Vec<u32>) -> DecisionTree {
        let mut nodes = vec![DecisionNode::Leaf(0.0)];
        let histogram = self.histogram(&rows);
        let mut leaves = vec![self.leaf(rows, histogram, 0)];
        while leaves.len() < self.settings.leaves_max {
            let gain = |leaf: &Leaf| leaf.best.as_ref().map_or(0.0, |best| best.gain);
            let Some(at) = (0..leaves.len())
                .filter(|at| gain(&leaves[*at]) > 1e-9)
                .max_by(|a, b| gain(&leaves[*a]).total_cmp(&gain(&leaves[*b])))
            else {
                break;
            };
            let leaf = leaves.swap_remove(at);
            let Some(split) = leaf.best else { break };
            let column = &self.bins[split.column * self.count..(split.column + 1) * self.count];
            let (low, high): (Vec<u32>, Vec<u32>) = leaf
                .rows
                .iter()
                .partition(|row| usize::from(column[**row as usize]) <= split.bin);
            let (first, second) = (nodes.len(), nodes.len() + 1);
            nodes[leaf.node] = DecisionNode::Split {
                column: split.column as u16,
                border: self.borders[split.column][split.bin],
                low: first as u16,
                high: second as u16,
            };
            nodes.extend([DecisionNode::Leaf(0.0), DecisionNode::Leaf(0.0)]);
            // Only the smaller side is counted; the other one is what is left.
            let is_low_smaller = low.len() <= high.len();
            let counted = self.histogram(if is_low_smaller { &low } else { &high });
            let rest = minus(leaf.histogram, &counted);
            let (of_low, of_high) = if is_low_smaller {
                (counted, rest)
            } else {
                (rest, counted)
            };
            leaves.push(self.leaf(low, of_low, first));
            leaves.push(self.leaf(high, of_high, second));
        }
        for leaf in &leaves {
            let value = self.settings.rate * leaf.sums.gradient / (leaf.sums.weight + self.settings.ridge);
            nodes[leaf.node] = DecisionNode::Leaf(rounded(value));
        }
        DecisionTree::new(nodes)
    }

    fn leaf(&self, rows: Vec<u32>, histogram: Histogram, node: usize) -> Leaf {
        let mut sums = Bin::default();
        for row in &rows {
            sums.gradient += self.gradients[*row as usize];
            sums.weight += self.weights[*row as usize];
        }
        let best = self.best(&histogram, sums);
        Leaf {
            rows,
            sums,
            histogram,
            best,
            node,
        }
    }

    fn histogram(&self, rows: &[u32]) -> Histogram {
        let mut histogram = vec![Bin::default(); self.columns.len() * BINS_MAX];
        let values: Vec<Bin> = rows
            .iter()
            .map(|row| Bin {
                gradient: self.gradients[*row as usize],
                weight: self.weights[*row as usize],
            })
            .collect();
        for (column, bins) in self.columns.iter().zip(histogram.chunks_mut(BINS_MAX)) {
            let of = &self.bins[column * self.count..(column + 1) * self.count];
            for (row, value) in rows.iter().zip(&values) {
                let bin = &mut bins[usize::from(of[*row as usize])];
                bin.gradient += value.gradient;
                bin.weight += value.weight;
            }
        }
        histogram
    }

    fn best(&self, histogram: &Histogram, all: Bin) -> Option<Split> {
        let ridge = self.settings.ridge;
        let worth = |gradient: f64, weight: f64| gradient * gradient / (weight + ridge);
        let mut best: Option<Split> = None;
        for (column, bins) in self.columns.iter().zip(histogram.chunks(BINS_MAX)) {
            let mut low = Bin::default();
            for (at, bin) in bins.iter().enumerate().take(self.borders[*column].len()) {
                low.gradient += bin.gradient;
                low.weight += bin.weight;
                let high = all.weight - low.weight;
                if low.weight < self.settings.leaf_weight_min || high < self.settings.leaf_weight_min {
                    continue;
                }
                let gain = worth(low.gradient, low.weight) + worth(all.gradient - low.gradient, high)
                    - worth(all.gradient, all.weight);
                if best.as_ref().is_none_or(|best| best.gain < gain) {
                    best = Some(Split {
                        gain,
                        column: *column,
                        bin: at,
                    });
                }
            }
        }
        best
    }
}

fn minus(mut all: Histogram, part: &Histogram) -> Histogram {
    for (all, part) in all.iter_mut().zip(part) {
        all.gradient -= part.gradient;
        all.weight -= part.weight;
    }
    all
}
