//! The table as the concept engine of the seed stored it: one row for each order of the words.
//!
//! Columns: see [`COLUMNS`]. `Perm` numbers the orders in
//! which the words of one concept stand, the commonest being 0; the other columns are those of the concept, so that the
//! frequency of a part is never below that of the whole in any order.

use crate::table::ConceptTable;

/// A row as an existing reader expects it.
#[derive(Clone, Debug, PartialEq)]
pub struct CompatibleRow {
    pub id: u64,
    pub tokens: String,
    pub token_count: usize,
    pub frequency: u32,
    pub document_frequency: u32,
    pub permutation: usize,
    pub tokens_origin: String,
    pub first_position: u32,
    pub distance: u32,
}

/// The names of the columns, as they stand in the table.
pub const COLUMNS: [&str; 9] = [
    "ID",
    "Tokens",
    "TokenCount",
    "Frequency",
    "DocFrequency",
    "Perm",
    "TokensOrigin",
    "FirstPos",
    "Distance",
];

/// The rows of a table, in the order of their tokens, numbered from 1.
pub fn compatible_rows(table: &ConceptTable) -> Vec<CompatibleRow> {
    let mut rows = Vec::new();
    for concept in &table.rows {
        for (permutation, order) in concept.orders.iter().enumerate() {
            let tokens: Vec<&str> = order
                .iter()
                .map(|token| concept.tokens[usize::from(*token)].as_str())
                .collect();
            rows.push(CompatibleRow {
                id: 0,
                tokens: tokens.join(" "),
                token_count: concept.count,
                frequency: concept.frequency,
                document_frequency: concept.documents,
                permutation,
                tokens_origin: if permutation == 0 {
                    concept.original.clone()
                } else {
                    tokens.join(" ")
                },
                first_position: concept.first_position,
                distance: concept.distance,
            });
        }
    }
    rows.sort_by(|left, right| (&left.tokens, left.permutation).cmp(&(&right.tokens, right.permutation)));
    for (number, row) in rows.iter_mut().enumerate() {
        row.id = number as u64 + 1;
    }
    rows
}
