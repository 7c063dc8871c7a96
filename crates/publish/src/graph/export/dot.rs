//! DOT, the language of Graphviz.

use super::super::view::View;
use super::attributes::{Attributes, COLUMNS, Value};
use crate::time::iso;
use gleaner_model::Timestamp;
use std::io::{self, Write};

pub fn write_dot(view: &View, attributes: &Attributes, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph links {{")?;
    let names: Vec<String> = view.names.iter().map(|name| quoted(&name)).collect();
    for (node, name) in view.names.iter().enumerate() {
        let row = attributes.row(view, node as u32, &name);
        let mut told = Vec::new();
        for ((column, _), value) in COLUMNS.iter().zip(row).skip(1) {
            told.push(match value {
                Value::Nothing => continue,
                Value::Text(text) => format!("{column}={}", quoted(&text)),
                Value::Int(number) => format!("{column}={number}"),
                Value::Float(number) => format!("{column}=\"{number:?}\""),
                Value::Time(at) => format!("{column}=\"{}\"", iso(Timestamp(at))),
            });
        }
        writeln!(out, "  {} [{}];", names[node], told.join(", "))?;
    }
    for (from, to, weight) in view.every_link() {
        writeln!(
            out,
            "  {} -> {} [weight={weight}];",
            names[from as usize], names[to as usize]
        )?;
    }
    writeln!(out, "}}")
}

/// A text of DOT: only quotes and backslashes need care, and a line end would end a line for people.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace(['\n', '\r'], " "))
}
