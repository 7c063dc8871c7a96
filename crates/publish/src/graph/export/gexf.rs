//! GEXF 1.2, as Gephi and others read it (<https://gexf.net>).

use super::super::view::View;
use super::attributes::{Attributes, COLUMNS};
use super::xml;
use std::io::{self, Write};

pub fn write_gexf(view: &View, attributes: &Attributes, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n\
         <meta><creator>gleaner</creator><description>{}</description></meta>\n\
         <graph mode=\"static\" defaultedgetype=\"directed\">\n<attributes class=\"node\" mode=\"static\">",
        xml(&view.what)
    )?;
    for (number, (name, kind)) in COLUMNS.iter().enumerate() {
        let kind = kind.in_xml();
        writeln!(
            out,
            "<attribute id=\"{number}\" title=\"{name}\" type=\"{kind}\"/>"
        )?;
    }
    writeln!(out, "</attributes>\n<nodes>")?;
    for (node, name) in view.names.iter().enumerate() {
        write!(out, "<node id=\"{node}\" label=\"{}\"><attvalues>", xml(&name))?;
        let row = attributes.row(view, node as u32, &name);
        for (number, value) in row.into_iter().enumerate() {
            let Some(text) = value.in_xml() else { continue };
            write!(out, "<attvalue for=\"{number}\" value=\"{text}\"/>")?;
        }
        writeln!(out, "</attvalues></node>")?;
    }
    writeln!(out, "</nodes>\n<edges>")?;
    for (number, (from, to, weight)) in view.every_link().enumerate() {
        writeln!(
            out,
            "<edge id=\"{number}\" source=\"{from}\" target=\"{to}\" weight=\"{weight:?}\"/>"
        )?;
    }
    writeln!(out, "</edges>\n</graph>\n</gexf>")
}
