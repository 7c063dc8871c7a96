//! Parquet: nodes.parquet and edges.parquet with typed columns.

use super::super::GraphError;
use super::super::view::View;
use super::attributes::{Attributes, COLUMNS, Kind, Value};
use crate::parquet::{Cell, ColumnKind, ParquetTable};
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Writes both tables into a folder, which is made where it is not there.
pub fn write_parquet(view: &View, attributes: &Attributes, folder: &Path) -> Result<(), GraphError> {
    let failed = |file: &Path, cause| GraphError::File {
        file: file.to_owned(),
        cause,
    };
    std::fs::create_dir_all(folder).map_err(|cause| failed(folder, cause))?;
    let nodes = folder.join("nodes.parquet");
    write_nodes(view, attributes, &nodes).map_err(|cause| failed(&nodes, cause))?;
    let edges = folder.join("edges.parquet");
    write_links(view, &edges).map_err(|cause| failed(&edges, cause))
}

fn write_nodes(view: &View, attributes: &Attributes, file: &Path) -> std::io::Result<()> {
    let mut columns = vec![("id", ColumnKind::Int)];
    columns.extend(COLUMNS.iter().map(|(name, kind)| {
        let kind = match kind {
            Kind::Text => ColumnKind::Text,
            Kind::Int => ColumnKind::Int,
            Kind::Float => ColumnKind::Float,
            Kind::Time => ColumnKind::Time,
        };
        (*name, kind)
    }));
    let mut table = ParquetTable::new(BufWriter::new(File::create(file)?), &columns)?;
    for (node, name) in view.names.iter().enumerate() {
        let row = attributes.row(view, node as u32, &name);
        let mut cells = vec![Cell::Int(node as i64)];
        cells.extend(row.iter().map(|value| match value {
            Value::Nothing => Cell::Empty,
            Value::Text(text) => Cell::Text(text),
            Value::Int(number) | Value::Time(number) => Cell::Int(*number),
            Value::Float(number) => Cell::Float(*number),
        }));
        table.push(&cells)?;
    }
    finish(table)
}

fn write_links(view: &View, file: &Path) -> std::io::Result<()> {
    let columns = [
        ("source", ColumnKind::Int),
        ("target", ColumnKind::Int),
        ("weight", ColumnKind::Float),
    ];
    let mut table = ParquetTable::new(BufWriter::new(File::create(file)?), &columns)?;
    for (from, to, weight) in view.every_link() {
        table.push(&[
            Cell::Int(i64::from(from)),
            Cell::Int(i64::from(to)),
            Cell::Float(weight),
        ])?;
    }
    finish(table)
}

fn finish(table: ParquetTable<BufWriter<File>>) -> std::io::Result<()> {
    let file = table
        .finish()?
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()
}
