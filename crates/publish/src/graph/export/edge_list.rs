//! A line for each link: `source<TAB>target`, with the weight where that is wanted. `--edges` reads it again.

use super::super::view::View;
use std::io::{self, Write};

/// Links of a node to itself are links too.
pub fn write_edges(view: &View, with_weights: bool, out: &mut dyn Write) -> io::Result<()> {
    let names: Vec<String> = view.names.iter().map(|name| one_line(&name)).collect();
    for (from, to, weight) in view.every_link() {
        let (from, to) = (&names[from as usize], &names[to as usize]);
        if with_weights {
            writeln!(out, "{from}\t{to}\t{weight}")?;
        } else {
            writeln!(out, "{from}\t{to}")?;
        }
    }
    Ok(())
}

/// Addresses have neither tabs nor line ends, and names from somebody's list may.
fn one_line(name: &str) -> String {
    name.replace(['\t', '\n', '\r'], " ")
}
