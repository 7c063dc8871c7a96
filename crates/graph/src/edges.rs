//! Plain lists of links: `source<TAB>target[<TAB>weight]`, one a line.
//!
//! Lines that begin with `#` are comments. Where a line has no tab, spaces part its columns. Names are what stands between, without
//! spaces around; a repeated link adds up. Lines that are no links are named, skipped and counted: one bad line in ten
//! million must not cost the rest.

use crate::build::GraphBuilder;
use crate::graph::{Graph, Node};
use crate::names::Names;
use std::collections::HashMap;

/// A line that is no link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenLine {
    /// From 1.
    pub line: u64,
    /// What is wrong with it, as a part of a sentence.
    pub why: &'static str,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EdgeList {
    pub graph: Graph,
    pub names: Names,
    /// Lines that were links.
    pub links: u64,
    /// How many lines were none, comments and empty lines aside.
    pub broken: u64,
    /// The first of them.
    pub broken_lines: Vec<BrokenLine>,
}

/// Reads a list of links. Broken lines are skipped and counted; the first `named_max` of them are named.
pub fn parse_edges(bytes: &[u8], named_max: usize) -> EdgeList {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut numbers: HashMap<&str, Node, foldhash::fast::FixedState> = HashMap::default();
    let mut found: Vec<&str> = Vec::new();
    let mut number = |name| {
        *numbers.entry(name).or_insert_with(|| {
            found.push(name);
            found.len() as Node - 1
        })
    };
    let mut links: Vec<(Node, Node, f64)> = Vec::new();
    let mut broken = 0;
    let mut broken_lines = Vec::new();
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        match link_of(line) {
            Ok(None) => {}
            Ok(Some((source, target, weight))) => links.push((number(source), number(target), weight)),
            Err(why) => {
                broken += 1;
                if broken_lines.len() < named_max {
                    let line = at as u64 + 1;
                    broken_lines.push(BrokenLine { line, why });
                }
            }
        }
    }
    let (names, nodes) = Names::sorted(&found);
    let mut builder = GraphBuilder::with_capacity(names.len(), links.len());
    for &(source, target, weight) in &links {
        builder.weighted_link(nodes[source as usize], nodes[target as usize], weight);
    }
    EdgeList {
        links: links.len() as u64,
        graph: builder.finish(),
        names,
        broken,
        broken_lines,
    }
}

/// The link that a line holds; nothing for a comment or an empty line.
fn link_of(line: &[u8]) -> Result<Option<(&str, &str, f64)>, &'static str> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.starts_with(b"#") || line.iter().all(u8::is_ascii_whitespace) {
        return Ok(None);
    }
    let line = std::str::from_utf8(line).map_err(|_| "it is not UTF-8")?;
    let mut columns: [&str; 3] = [""; 3];
    let mut count = 0;
    let mut take = |column| {
        if let Some(place) = columns.get_mut(count) {
            *place = column;
        }
        count += 1;
    };
    if line.contains('\t') {
        line.split('\t').map(str::trim).for_each(&mut take);
    } else {
        line.split_ascii_whitespace().for_each(&mut take);
    }
    let [source, target, weight] = columns;
    match count {
        1 => return Err("it has no target"),
        2 | 3 => {}
        _ => return Err("it has more than three columns"),
    }
    if source.is_empty() {
        return Err("its source is empty");
    }
    if target.is_empty() {
        return Err("its target is empty");
    }
    if count == 2 {
        return Ok(Some((source, target, 1.0)));
    }
    match weight.parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight > 0.0 => Ok(Some((source, target, weight))),
        _ => Err("its weight is not a number above 0"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_lines_are_named_skipped_and_counted() {
        let text = b"\xef\xbb\xbf# a list\na\tb\r\n\nb\tc\t2.5\nalone\nx\t\n\ty\na\tb\tmany\na\tb\t-1\n\xff\xfe\tz\na b\n1\t2\t3\t4\na\tb\tinf";
        let list = parse_edges(text, 3);
        assert_eq!((list.links, list.broken), (3, 8));
        assert_eq!(list.names.iter().collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(
            list.graph.all_links().collect::<Vec<_>>(),
            [(0, 1, 2.0), (1, 2, 2.5)]
        );
        let named: Vec<_> = list.broken_lines.iter().map(|b| (b.line, b.why)).collect();
        assert_eq!(
            named,
            [
                (5, "it has no target"),
                (6, "its target is empty"),
                (7, "its source is empty")
            ]
        );
    }

    #[test]
    fn an_empty_list_is_an_empty_graph() {
        for text in ["", "# nothing\n", "\n\n"] {
            let list = parse_edges(text.as_bytes(), 10);
            assert_eq!(
                (list.graph.nodes(), list.links, list.broken),
                (0, 0, 0),
                "{text:?}"
            );
        }
    }
}
