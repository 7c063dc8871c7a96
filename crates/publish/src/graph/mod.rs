//! Who links to whom, for people and for programs (E4–E6, J3): the catalog's links become a graph, the room `graph` computes, and
//! what it says is told, written into files and drawn.
//!
//! ```text
//! catalog ──► gather ──► Structure ◄──► kept (derived/graph-….bin) ──► View (pages, hosts, domains) ──► tell/, export/, draw/
//! --edges ──► edges ────────▲
//! ```
//!
//! | file | idea |
//! |---|---|
//! | `gather` | from the catalog to a graph with facts |
//! | `facts` | what is known of each node |
//! | `kept` | the file beside the catalog, and when it is made again |
//! | `edges` | a graph from somebody else's list of links |
//! | `view` | the same at the level of pages, hosts or domains |
//! | `table` | rows as text, CSV and JSON |
//! | `tell` | one file per question |
//! | `export` | one file per format |
//! | `draw` | pictures |

pub mod draw;
mod edges;
pub mod export;
mod facts;
mod gather;
mod kept;
pub mod table;
pub mod tell;
mod view;

pub use edges::{EdgeFile, read_edges};
pub use facts::{Facts, NodeFacts};
pub use gather::LinkChoice;
pub use kept::{Made, OpenedGraph, open};
pub use view::{Structure, View};

use gleaner_store::StoreError;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum GraphError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Text(#[from] gleaner_text::TextError),
    #[error("the list of links cannot be read: {file}")]
    Edges {
        file: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error(
        "no line of the file is a link; a line is `source<TAB>target` or `source<TAB>target<TAB>weight`: {file}"
    )]
    NoEdges { file: PathBuf },
    #[error("there are no links to look at: {what}")]
    NoLinks { what: String },
    #[error("there is no such {level} in the graph: {given}")]
    NoNode { level: &'static str, given: String },
    #[error(
        "this needs what the catalog knows about pages, which a list of links does not have; leave out --edges"
    )]
    NeedsCatalog,
    #[error("the file cannot be written: {file}")]
    File {
        file: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("the output could not be written")]
    Write(#[from] std::io::Error),
}
