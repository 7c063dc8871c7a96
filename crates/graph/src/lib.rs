//! How do pages link? (E4–E6, J3)
//!
//! In: who links to whom, as numbers. Out: numbers about it: ranks, components, communities, paths, differences. Nodes are
//! `0..nodes`; what they stand for (pages, hosts, domains) is in [`Names`]. Reading links from a catalog and writing files is
//! left to others.
//!
//! ```text
//! links ──► GraphBuilder ──► Graph (+ Names) ──► one file per question ──► vectors by node, or short lists
//!                              │    ▲
//!                    group into│    │ Snapshot: the same as bytes
//!                  hosts, domains
//! ```
//!
//! Pure: no files, no clock, no chance of its own. Sums are made over the same pieces in the same order, so the same graph gives
//! the same numbers bit for bit, whatever the number of threads.

mod bowtie;
mod build;
mod citations;
mod communities;
mod compare;
mod components;
mod cores;
mod degrees;
mod distances;
mod edges;
mod error;
mod graph;
mod group;
mod hits;
mod layout;
mod matrix;
mod mirrors;
mod names;
mod near;
mod pagerank;
mod path;
mod seeded;
mod shares;
mod site;
mod snapshot;
mod weights;

pub use bowtie::{BowTie, BowtiePart, bow_tie};
pub use build::GraphBuilder;
pub use citations::{Citations, citations};
pub use communities::{Communities, CommunityOptions, communities};
pub use compare::{Ends, GraphComparison, RankChange, compare, moves};
pub use components::{Components, strong_components, weak_components};
pub use cores::core_numbers;
pub use degrees::{Degrees, degree_counts, degrees, reciprocity};
pub use distances::{DistanceOptions, Distances, sample_distances};
pub use edges::{BrokenLine, EdgeList, parse_edges};
pub use error::SnapshotError;
pub use graph::{Direction, Graph, Node, Rows, SelfLinks, Weighting};
pub use group::{Grouped, Level, group_by, group_by_level};
pub use hits::{HitsOptions, HubsAndAuthorities, hits};
pub use layout::{LayoutOptions, Point, layout};
pub use matrix::{TypeMatrix, type_matrix};
pub use mirrors::{AlikePaths, HostSketch, Mirror, MirrorOptions, TextSketch, alike_by_paths, mirrors};
pub use names::{Names, domain_of, host_of, path_of};
pub use near::{Near, Neighbourhood, neighbourhood};
pub use pagerank::{Dangling, PageRankOptions, Ranks, pagerank};
pub use path::{shortest_path, steps_from};
pub use shares::{HostShare, host_shares};
pub use site::{BrokenTarget, ChainEnd, RedirectChain, broken_targets, orphans, redirect_chains};
pub use snapshot::{Snapshot, SnapshotSizes};
