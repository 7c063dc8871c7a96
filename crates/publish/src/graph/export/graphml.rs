//! The XML of graphs, `GraphML` (<http://graphml.graphdrawing.org/specification.html>).

use super::super::view::View;
use super::attributes::{Attributes, COLUMNS};
use std::io::{self, Write};

pub fn write_graphml(view: &View, attributes: &Attributes, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
         http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">"
    )?;
    for (name, kind) in COLUMNS {
        let kind = kind.in_xml();
        writeln!(
            out,
            "<key id=\"{name}\" for=\"node\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        )?;
    }
    writeln!(
        out,
        "<key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n<graph id=\"links\" edgedefault=\"directed\">"
    )?;
    for (node, name) in view.names.iter().enumerate() {
        write!(out, "<node id=\"n{node}\">")?;
        let row = attributes.row(view, node as u32, &name);
        for ((column, _), value) in COLUMNS.iter().zip(row) {
            let Some(text) = value.in_xml() else { continue };
            write!(out, "<data key=\"{column}\">{text}</data>")?;
        }
        writeln!(out, "</node>")?;
    }
    for (from, to, weight) in view.every_link() {
        writeln!(
            out,
            "<edge source=\"n{from}\" target=\"n{to}\"><data key=\"weight\">{weight:?}</data></edge>"
        )?;
    }
    writeln!(out, "</graph>\n</graphml>")
}
