//! Rows as a person, a spreadsheet or a program reads them.

use crate::report::csv;
use crate::text::{Colour, Paint, safe};
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// How to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableForm {
    Text(Paint),
    Csv,
    /// One object per line.
    Json,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum TableCell {
    Nothing,
    Text(String),
    Count(u64),
    /// A part of a whole or a rank.
    Score(f64),
    List(Vec<String>),
}

impl From<&str> for TableCell {
    fn from(text: &str) -> TableCell {
        if text.is_empty() {
            TableCell::Nothing
        } else {
            TableCell::Text(text.to_owned())
        }
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> TableCell {
        if text.is_empty() {
            TableCell::Nothing
        } else {
            TableCell::Text(text)
        }
    }
}

impl From<u64> for TableCell {
    fn from(count: u64) -> TableCell {
        TableCell::Count(count)
    }
}

/// A weight: a count where it is a whole number.
pub(crate) fn weight_cell(weight: f64) -> TableCell {
    if weight.fract() == 0.0 && (0.0..9e15).contains(&weight) {
        TableCell::Count(weight as u64)
    } else {
        TableCell::Score(weight)
    }
}

impl TableCell {
    fn plain(&self) -> String {
        match self {
            TableCell::Nothing => String::new(),
            TableCell::Text(text) => text.clone(),
            TableCell::Count(count) => count.to_string(),
            TableCell::Score(score) => format!("{score:?}"),
            TableCell::List(list) => list.join(" "),
        }
    }

    fn shown(&self) -> String {
        match self {
            TableCell::Text(text) => safe(text),
            TableCell::Count(count) => grouped(*count),
            TableCell::Score(score) => short(*score),
            TableCell::List(list) => safe(&list.join(" ")),
            TableCell::Nothing => "–".to_owned(),
        }
    }

    fn json(&self) -> Value {
        match self {
            TableCell::Nothing => Value::Null,
            TableCell::Text(text) => json!(text),
            TableCell::Count(count) => json!(count),
            TableCell::Score(score) => json!(score),
            TableCell::List(list) => json!(list),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, TableCell::Count(_) | TableCell::Score(_))
    }
}

/// `1,234 pages`.
pub fn many(number: u64, one: &str) -> String {
    format!(
        "{} {}",
        grouped(number),
        gleaner_model::measure::noun(number, one)
    )
}

/// `1,234,567`: digits in groups of three.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Six digits that count.
pub(crate) fn short(score: f64) -> String {
    if score == 0.0 {
        return "0".to_owned();
    }
    let digits = 5 - (score.abs().log10().floor() as i32);
    if (0..=15).contains(&digits) {
        format!("{score:.*}", digits as usize)
    } else {
        format!("{score:.5e}")
    }
}

/// Columns with names, and rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<TableCell>>,
}

impl Table {
    pub fn new(columns: &[&'static str]) -> Table {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    pub fn push(&mut self, row: Vec<TableCell>) {
        debug_assert_eq!(row.len(), self.columns.len(), "a row has all columns");
        self.rows.push(row);
    }

    pub fn write(&self, shape: TableForm, out: &mut dyn Write) -> io::Result<()> {
        match shape {
            TableForm::Text(paint) => self.write_text(paint, out),
            TableForm::Csv => {
                writeln!(out, "{}", self.columns.join(","))?;
                for row in &self.rows {
                    // A number that is negative is no formula.
                    let cell = |cell: &TableCell| {
                        if cell.is_number() {
                            cell.plain()
                        } else {
                            csv(&cell.plain())
                        }
                    };
                    let cells: Vec<String> = row.iter().map(cell).collect();
                    writeln!(out, "{}", cells.join(","))?;
                }
                Ok(())
            }
            TableForm::Json => {
                for row in &self.rows {
                    let mut object = Map::new();
                    for (name, cell) in self.columns.iter().zip(row) {
                        object.insert((*name).to_owned(), cell.json());
                    }
                    writeln!(out, "{}", Value::Object(object))?;
                }
                Ok(())
            }
        }
    }

    fn write_text(&self, paint: Paint, out: &mut dyn Write) -> io::Result<()> {
        let shown: Vec<Vec<String>> = self
            .rows
            .iter()
            .map(|row| row.iter().map(TableCell::shown).collect())
            .collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                let name = self.columns[column].chars().count();
                let cells = shown.iter().map(|row| row[column].chars().count());
                cells.chain([name]).max().unwrap_or(0)
            })
            .collect();
        let is_number: Vec<bool> = (0..self.columns.len())
            .map(|column| self.rows.iter().any(|row| row[column].is_number()))
            .collect();
        let line = |cells: &[String]| {
            let mut text = String::new();
            for (column, cell) in cells.iter().enumerate() {
                let gap = widths[column].saturating_sub(cell.chars().count());
                let is_last = column + 1 == cells.len();
                if is_number[column] {
                    text.push_str(&" ".repeat(gap));
                    text.push_str(cell);
                } else {
                    text.push_str(cell);
                    if !is_last {
                        text.push_str(&" ".repeat(gap));
                    }
                }
                if !is_last {
                    text.push_str("  ");
                }
            }
            text
        };
        let head: Vec<String> = self.columns.iter().map(|name| name.replace('_', " ")).collect();
        writeln!(out, "{}", paint.put(Colour::Bold, line(&head).trim_end()))?;
        for row in &shown {
            writeln!(out, "{}", line(row))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(shape: TableForm) -> String {
        let mut table = Table::new(&["url", "score", "links_in"]);
        table.push(vec![
            "http://a.test/,\n".into(),
            TableCell::Score(0.012_345_678_9),
            1234.into(),
        ]);
        table.push(vec!["=x".into(), TableCell::Nothing, 0.into()]);
        let mut out = Vec::new();
        table.write(shape, &mut out).expect("written");
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn rows_are_written_in_all_shapes() {
        assert_eq!(
            told(TableForm::Json),
            "{\"links_in\":1234,\"score\":0.0123456789,\"url\":\"http://a.test/,\\n\"}\n{\"links_in\":0,\"score\":null,\"url\":\"=x\"}\n"
        );
        assert_eq!(
            told(TableForm::Csv),
            "url,score,links_in\n\"http://a.test/,\n\",0.0123456789,1234\n'=x,,0\n"
        );
        assert_eq!(
            told(TableForm::Text(Paint::Off)),
            "url                       score  links in\nhttp://a.test/,\\u{a}  0.0123457     1,234\n=x                            –         0\n"
        );
    }

    #[test]
    fn numbers_are_short_for_people() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(short(0.0), "0");
        assert_eq!(short(1.0), "1.00000");
        assert_eq!(short(1e-30), "1.00000e-30");
    }
}
