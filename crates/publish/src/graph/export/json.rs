//! One JSON object with nodes and links, in the form that networkx calls node-link.

use super::super::view::View;
use super::attributes::{Attributes, COLUMNS, Value};
use crate::time::iso;
use gleaner_model::Timestamp;
use serde_json::{Map, Value as Json, json};
use std::io::{self, Write};

pub fn write_json(view: &View, attributes: &Attributes, out: &mut dyn Write) -> io::Result<()> {
    let about = json!({"of": view.what, "run": view.run, "level": super::super::view::one(view.level)});
    writeln!(
        out,
        "{{\"directed\":true,\"multigraph\":false,\"graph\":{about},\"nodes\":["
    )?;
    let names: Vec<String> = view.names.iter().collect();
    for (node, name) in names.iter().enumerate() {
        let mut object = Map::new();
        object.insert("id".to_owned(), json!(name));
        let row = attributes.row(view, node as u32, name);
        for ((column, _), value) in COLUMNS.iter().zip(row) {
            let value = match value {
                Value::Nothing => Json::Null,
                Value::Text(text) => json!(text),
                Value::Int(number) => json!(number),
                Value::Float(number) => json!(number),
                Value::Time(at) => json!(iso(Timestamp(at))),
            };
            object.insert((*column).to_owned(), value);
        }
        let comma = if node + 1 < names.len() { "," } else { "" };
        writeln!(out, "{}{comma}", Json::Object(object))?;
    }
    writeln!(out, "],\"links\":[")?;
    let mut comma = "";
    for (from, to, weight) in view.every_link() {
        let link = json!({"source": names[from as usize], "target": names[to as usize], "weight": weight});
        write!(out, "{comma}{link}")?;
        comma = ",\n";
    }
    writeln!(out, "\n]}}")
}
