//! A table in columns: Parquet, as every tool of data analysis reads it.
//!
//! In: the names and kinds of columns, then rows, one after the other. Out: a file, compressed with zstd, in groups of rows that
//! fit into memory. Any column may be empty in any row. Nothing else is possible here: no lists, no nesting.

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::sync::Arc;

/// A group of rows is written when it has this many.
const GROUP_ROWS_MAX: usize = 65_536;
/// … or this much in its columns.
const GROUP_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Quick: texts shrink well enough.
const ZSTD_LEVEL: i32 = 3;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Int,
    Float,
    Bool,
    Text,
    /// Milliseconds since 1970, in UTC.
    Time,
}

/// What a row has in one column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    Empty,
    /// Also a time.
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(&'a str),
}

impl<'a> Cell<'a> {
    /// A text that may be missing.
    pub fn text(text: Option<&'a str>) -> Cell<'a> {
        text.map_or(Cell::Empty, Cell::Text)
    }

    /// A number that may be missing.
    pub fn int(number: Option<i64>) -> Cell<'a> {
        number.map_or(Cell::Empty, Cell::Int)
    }
}

/// A table that is being written. Without [`ParquetTable::finish`] it is no Parquet file.
pub struct ParquetTable<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
    bytes: usize,
}

/// The cells of one column that wait for their group to be written.
struct Column {
    values: Values,
    /// 1 for a value, 0 for an empty cell.
    levels: Vec<i16>,
}

enum Values {
    Int(Vec<i64>),
    Float(Vec<f64>),
    Bool(Vec<bool>),
    Text(Vec<ByteArray>),
}

impl<W: Write + Send> ParquetTable<W> {
    pub fn new(to: W, columns: &[(&str, ColumnKind)]) -> io::Result<ParquetTable<W>> {
        let fields = columns
            .iter()
            .map(|(name, kind)| field(name, *kind).map(Arc::new))
            .collect::<Result<Vec<_>, _>>()
            .map_err(cause)?;
        let schema = Type::group_type_builder("schema").with_fields(fields);
        let level = ZstdLevel::try_new(ZSTD_LEVEL).map_err(cause)?;
        let properties = WriterProperties::builder()
            .set_created_by(concat!("gleaner version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::ZSTD(level))
            .build();
        let schema = Arc::new(schema.build().map_err(cause)?);
        let empty = |(_, kind): &(&str, ColumnKind)| Column {
            values: match kind {
                ColumnKind::Int | ColumnKind::Time => Values::Int(Vec::new()),
                ColumnKind::Float => Values::Float(Vec::new()),
                ColumnKind::Bool => Values::Bool(Vec::new()),
                ColumnKind::Text => Values::Text(Vec::new()),
            },
            levels: Vec::new(),
        };
        Ok(ParquetTable {
            writer: SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(cause)?,
            columns: columns.iter().map(empty).collect(),
            rows: 0,
            bytes: 0,
        })
    }

    /// Adds a row: a cell for each column, in their order. A cell of the wrong kind is a mistake of the program.
    pub fn push(&mut self, row: &[Cell<'_>]) -> io::Result<()> {
        assert_eq!(row.len(), self.columns.len(), "a cell for each column");
        for (column, cell) in self.columns.iter_mut().zip(row) {
            self.bytes += column.push(cell);
        }
        self.rows += 1;
        if self.rows >= GROUP_ROWS_MAX || self.bytes >= GROUP_BYTES_MAX {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what is left and the table's end, and gives back what it was written to.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_group()?;
        self.writer.into_inner().map_err(cause)
    }

    fn write_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.writer.next_row_group().map_err(cause)?;
        for column in &mut self.columns {
            let next = group.next_column().map_err(cause)?;
            let mut next = next.expect("as many as the schema has");
            let levels = Some(column.levels.as_slice());
            match (next.untyped(), &column.values) {
                (ColumnWriter::Int64ColumnWriter(to), Values::Int(values)) => {
                    to.write_batch(values, levels, None)
                }
                (ColumnWriter::DoubleColumnWriter(to), Values::Float(values)) => {
                    to.write_batch(values, levels, None)
                }
                (ColumnWriter::BoolColumnWriter(to), Values::Bool(values)) => {
                    to.write_batch(values, levels, None)
                }
                (ColumnWriter::ByteArrayColumnWriter(to), Values::Text(values)) => {
                    to.write_batch(values, levels, None)
                }
                _ => unreachable!("the schema was made from these columns"),
            }
            .map_err(cause)?;
            next.close().map_err(cause)?;
            column.clear();
        }
        group.close().map_err(cause)?;
        (self.rows, self.bytes) = (0, 0);
        Ok(())
    }
}

impl Column {
    /// How many bytes came.
    fn push(&mut self, cell: &Cell<'_>) -> usize {
        self.levels.push(i16::from(*cell != Cell::Empty));
        match (&mut self.values, cell) {
            (_, Cell::Empty) => 0,
            (Values::Int(values), Cell::Int(value)) => {
                values.push(*value);
                size_of::<i64>()
            }
            (Values::Float(values), Cell::Float(value)) => {
                values.push(*value);
                size_of::<f64>()
            }
            (Values::Bool(values), Cell::Bool(value)) => {
                values.push(*value);
                1
            }
            (Values::Text(values), Cell::Text(value)) => {
                values.push(ByteArray::from(value.as_bytes().to_vec()));
                value.len()
            }
            _ => panic!("a cell of another kind than its column: {cell:?}"),
        }
    }

    fn clear(&mut self) {
        self.levels.clear();
        match &mut self.values {
            Values::Int(values) => values.clear(),
            Values::Float(values) => values.clear(),
            Values::Bool(values) => values.clear(),
            Values::Text(values) => values.clear(),
        }
    }
}

fn field(name: &str, kind: ColumnKind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Int => (Physical::INT64, None),
        ColumnKind::Float => (Physical::DOUBLE, None),
        ColumnKind::Bool => (Physical::BOOLEAN, None),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Time => (
            Physical::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
        ),
    };
    Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()
}

/// The error below, where there is one: a full disk is to be told as such.
fn cause(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::RowAccessor;

    #[test]
    fn rows_are_read_back_as_they_were_written() {
        let columns = [
            ("id", ColumnKind::Int),
            ("share", ColumnKind::Float),
            ("is_gone", ColumnKind::Bool),
            ("text", ColumnKind::Text),
            ("at", ColumnKind::Time),
        ];
        let mut table = ParquetTable::new(Vec::new(), &columns).expect("a table");
        let rows = GROUP_ROWS_MAX as i64 + 3;
        for id in 0..rows {
            let text = format!("text {id} ü");
            let text = (id % 2 == 0).then_some(text.as_str());
            let share = id as f64 / 4.0;
            table
                .push(&[
                    Cell::Int(id),
                    Cell::Float(share),
                    Cell::Bool(id % 3 == 0),
                    Cell::text(text),
                    Cell::int((id > 0).then_some(id * 1000)),
                ])
                .expect("a row");
        }
        let bytes = table.finish().expect("written");
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a Parquet file");
        assert_eq!(reader.num_row_groups(), 2);
        let read = reader.get_row_iter(None).expect("rows");
        let mut seen = 0;
        for (id, row) in read.enumerate() {
            let (row, id) = (row.expect("a row"), id as i64);
            assert_eq!(row.get_long(0).expect("a number"), id);
            assert_eq!(row.get_string(3).is_ok(), id % 2 == 0);
            seen += 1;
        }
        assert_eq!(seen, rows);
    }

    #[test]
    fn a_full_disk_is_told_as_such() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Err(io::ErrorKind::StorageFull.into())
            }
        }
        let written = ParquetTable::new(Full, &[("id", ColumnKind::Int)]).and_then(|mut table| {
            table.push(&[Cell::Int(1)])?;
            table.finish()
        });
        let error = written.err().expect("there is no room");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
