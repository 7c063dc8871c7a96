//! What can be said to `gleaner graph`.

use clap::{Args, Subcommand, ValueEnum};
use gleaner_graph::{Direction, Level};
use gleaner_model::LinkKind;
use std::path::PathBuf;

pub(super) const EXAMPLES: &str = "\
Examples:
  gleaner graph summary                              the whole graph on one screen
  gleaner graph rank --level host --top 20           the hosts that matter most
  gleaner graph broken --project manual              links that lead nowhere, and who has them
  gleaner graph path https://a.test/ https://b.test/ how does one get there?
  gleaner graph compare 1 2                          what came, went and moved between two runs
  gleaner graph export --format gexf --to web.gexf   for other programs
  gleaner graph draw --to web.html                   a picture that needs no net
  gleaner graph rank --edges links.tsv.gz            somebody else's graph

docs/graph.md tells more.";

#[derive(Subcommand)]
pub(crate) enum Graph {
    /// Sizes, degrees, the bow-tie, the top ten and what keeping it costs, on one screen
    Summary(Summary),
    /// Which pages, hosts or domains matter most
    Rank(Rank),
    /// Each host with its pages, and how much of its links stays on it
    Hosts(Rows),
    /// Which type of document links to which
    Types(Rows),
    /// Which pages hang together, and the bow-tie
    Components(Components),
    /// Hosts that serve the same pages
    Mirrors(Rows),
    /// Links that lead nowhere with who has them, chains of redirects, pages that nothing links to
    Broken(Rows),
    /// How does one get from one page to another? A shortest way along links
    Path(PathBetween),
    /// What lies around a page, with the strength of each bond
    Near(Near),
    /// What came, went and moved between two runs
    Compare(Compare),
    /// Write the graph for other programs: lists of links, XML, JSON, DOT, tables
    Export(ExportGraph),
    /// Draw the graph: one HTML file that needs no net, or an SVG
    Draw(Draw),
}

/// Whose links, and which of them.
#[derive(Args)]
#[command(next_help_heading = "Which links")]
pub(crate) struct WhichLinks {
    /// Of this project; repeatable [default: of all]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Vec<String>,
    /// As it was at the end of this run, as `gleaner runs` lists it [default: as it is]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// Only links of these kinds, as `anchor,area`; `all` [default: all but sitemap]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds)]
    pub(crate) kinds: Vec<KindsArgument>,
    /// Leave out links that say rel=nofollow
    #[arg(long)]
    pub(crate) no_nofollow: bool,
    /// From this file instead of the catalog: `source<TAB>target[<TAB>weight]` lines, `#` comments, gzip too
    #[arg(long, value_name = "FILE", conflicts_with_all = ["project", "run", "kinds", "no_nofollow"])]
    pub(crate) edges: Option<PathBuf>,
}

/// A kind of link, or all of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum KindsArgument {
    All,
    One(LinkKind),
}

fn kinds(text: &str) -> Result<KindsArgument, String> {
    if text == "all" {
        return Ok(KindsArgument::All);
    }
    LinkKind::parse(text).map(KindsArgument::One).ok_or_else(|| {
        let all: Vec<&str> = LinkKind::ALL.into_iter().map(LinkKind::as_str).collect();
        format!("no such kind of link; there are: all, {}", all.join(", "))
    })
}

/// How rows are written.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Shown {
    /// How many rows; 0: all [default: 20 for people, all with --json and --csv]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// As a table for spreadsheets
    #[arg(long)]
    pub(crate) csv: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArgument {
    /// Every address by itself
    Page,
    /// All pages of a host together
    Host,
    /// All hosts of a registrable domain together
    Domain,
}

impl From<LevelArgument> for Level {
    fn from(level: LevelArgument) -> Level {
        match level {
            LevelArgument::Page => Level::Page,
            LevelArgument::Host => Level::Host,
            LevelArgument::Domain => Level::Domain,
        }
    }
}

#[derive(Args)]
pub(crate) struct Summary {
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// Forecast the room that so many pages would take
    #[arg(long, value_name = "PAGES", default_value_t = 1_000_000)]
    pub(crate) forecast: u64,
    /// As a table for spreadsheets
    #[arg(long, help_heading = "Output")]
    pub(crate) csv: bool,
}

#[derive(Args)]
pub(crate) struct Rank {
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// What makes it matter
    #[arg(long, value_enum, default_value = "pagerank")]
    pub(crate) by: RankArgument,
    /// A link counts as often as it stands there
    #[arg(long)]
    pub(crate) weighted: bool,
    /// The share of steps that follow a link, for --by pagerank
    #[arg(long, value_name = "SHARE", default_value_t = 0.85, value_parser = share)]
    pub(crate) damping: f64,
    /// As seen from this page: the walk of --by pagerank begins anew there; repeatable
    #[arg(long, value_name = "URL")]
    pub(crate) from: Vec<String>,
    /// Hubs and authorities: links inside a host count nothing, and those of one host to one page count once together
    #[arg(long)]
    pub(crate) guarded: bool,
    /// Links of a page to itself do not count
    #[arg(long)]
    pub(crate) no_self_links: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankArgument {
    Pagerank,
    Hubs,
    Authorities,
    /// How many link to it
    In,
    /// How many it links to
    Out,
    /// How many other domains link to it, with all links beside
    Citations,
    /// How deep it sits in the dense part: the greatest k whose k-core has it
    Core,
    /// How far it lies from where the crawl began, the deepest first
    Depth,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "this is no number".to_owned())?;
    if (0.0..1.0).contains(&share) {
        Ok(share)
    } else {
        Err("it must be at least 0 and below 1".to_owned())
    }
}

#[derive(Args)]
pub(crate) struct Components {
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
pub(crate) struct Rows {
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
pub(crate) struct PathBetween {
    /// Where to begin: a URL, or a name at the level of hosts or domains
    pub(crate) from: String,
    /// Where to go
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// As a table for spreadsheets
    #[arg(long, help_heading = "Output")]
    pub(crate) csv: bool,
}

#[derive(Args)]
pub(crate) struct Near {
    /// The middle: a URL, or a name at the level of hosts or domains
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// How many links away at most
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) hops: u32,
    /// Which way to walk along links
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) along: Across,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Across {
    /// To those it links to
    Out,
    /// To those that link to it
    In,
    Both,
}

impl From<Across> for Direction {
    fn from(across: Across) -> Direction {
        match across {
            Across::Out => Direction::Forward,
            Across::In => Direction::Backward,
            Across::Both => Direction::Both,
        }
    }
}

#[derive(Args)]
pub(crate) struct Compare {
    /// The earlier run, as `gleaner runs` lists it
    pub(crate) before: i64,
    /// The later run
    pub(crate) after: i64,
    /// Only links of these kinds, as `anchor,area`; `all` [default: all but sitemap]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds)]
    pub(crate) kinds: Vec<KindsArgument>,
    /// Leave out links that say rel=nofollow
    #[arg(long)]
    pub(crate) no_nofollow: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
#[command(after_help = "\
parquet and s4-csv are several files, so --to is a folder for them; s4-sqlite is a new file. All else goes to the output where \
--to is not given (docs/graph.md).")]
pub(crate) struct ExportGraph {
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// What to write
    #[arg(long, value_enum)]
    pub(crate) format: GraphFormat,
    /// Where to write [default: to the output]
    #[arg(long, value_name = "PATH")]
    pub(crate) to: Option<PathBuf>,
    /// S4's tables without the source code of the pages
    #[arg(long)]
    pub(crate) without_source: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// A line `source<TAB>target` for each link
    Edges,
    /// The same with the weight
    WeightedEdges,
    Graphml,
    Gexf,
    /// nodes.parquet and edges.parquet, in a folder
    Parquet,
    /// One object with nodes and links
    Json,
    Dot,
    /// The tables Resources, Hosts and Links of "Extraction and Storage of Web Structures", as statements
    S4Sql,
    /// … as a database in one file
    S4Sqlite,
    /// … as CSV files
    S4Csv,
}

#[derive(Args)]
pub(crate) struct Draw {
    /// Where to write: a file that ends in .html or .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    /// What a node is [default: host where there are ten or more, else page]
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArgument>,
    /// Only what lies around this page, host or domain
    #[arg(long, value_name = "URL")]
    pub(crate) around: Option<String>,
    /// How many links away from there at most
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) hops: u32,
    /// Nodes to begin with, those that matter most
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub(crate) nodes: u32,
    /// What an SVG shows
    #[arg(long, value_enum, default_value = "map")]
    pub(crate) picture: Picture,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// Who links to whom
    Map,
    /// How many nodes have how many links
    Degrees,
    BowTie,
    /// Which host links to which
    Matrix,
    /// How many pages lie how deep
    Depths,
}
