//! A graph from somebody else's list of links: plain text, or gzip.

use super::{GraphError, Structure};
use gleaner_graph::{BrokenLine, parse_edges};
use std::io::Read;
use std::path::Path;

/// Broken lines that are named.
const NAMED_MAX: usize = 3;

/// A list of links that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeFile {
    pub structure: Structure,
    /// Lines that were links.
    pub links: u64,
    /// Lines that were neither links nor comments.
    pub broken: u64,
    /// The first of them.
    pub broken_lines: Vec<BrokenLine>,
}

/// Reads `source<TAB>target[<TAB>weight]` lines.
pub fn read_edges(file: &Path) -> Result<EdgeFile, GraphError> {
    let failed = |cause| GraphError::Edges {
        file: file.to_owned(),
        cause,
    };
    let mut bytes = std::fs::read(file).map_err(failed)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice())
            .read_to_end(&mut text)
            .map_err(failed)?;
        bytes = text;
    }
    let list = parse_edges(&bytes, NAMED_MAX);
    if list.links == 0 {
        return Err(GraphError::NoEdges {
            file: file.to_owned(),
        });
    }
    Ok(EdgeFile {
        structure: Structure {
            graph: list.graph,
            names: list.names,
            facts: None,
            what: file
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            run: None,
        },
        links: list.links,
        broken: list.broken,
        broken_lines: list.broken_lines,
    })
}
