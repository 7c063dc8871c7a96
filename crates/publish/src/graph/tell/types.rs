//! Which type of document links to which.

use super::super::table::{Table, weight_cell};
use super::super::{GraphError, Structure};
use gleaner_graph::type_matrix;

/// What a target is called that was not collected, so that nobody knows its type.
const UNKNOWN: &str = "not collected";

/// A row for each pair of types that has links, those with the most links first.
pub fn types(structure: &Structure) -> Result<Table, GraphError> {
    let facts = structure.facts.as_ref().ok_or(GraphError::NeedsCatalog)?;
    let (type_of, names) = facts.types();
    let matrix = type_matrix(&structure.graph, &type_of, names.len());
    let mut cells: Vec<usize> = (0..matrix.links.len())
        .filter(|&cell| matrix.links[cell] > 0)
        .collect();
    cells.sort_by_key(|&cell| (std::cmp::Reverse(matrix.links[cell]), cell));
    let name = |number: usize| match names[number].as_str() {
        "" => UNKNOWN,
        name => name,
    };
    let mut table = Table::new(&["from_type", "to_type", "links", "weight"]);
    for cell in cells {
        table.push(vec![
            name(cell / matrix.types).into(),
            name(cell % matrix.types).into(),
            matrix.links[cell].into(),
            weight_cell(matrix.weights[cell]),
        ]);
    }
    Ok(table)
}
