//! What can be said to `gleaner graph`.

use super::examples;
use clap::{Args, Subcommand, ValueEnum};
use gleaner_graph::{Direction, Level};
use gleaner_model::LinkKind;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Graph {
    /// Show sizes, degrees, the bow-tie and the top ten on one screen
    #[command(after_help = examples::GRAPH_SUMMARY)]
    Summary(Summary),
    /// Rank pages, hosts or domains
    #[command(after_help = examples::GRAPH_RANK)]
    Rank(Rank),
    /// List hosts with their pages, and how many of their links stay on them
    #[command(after_help = examples::GRAPH_HOSTS)]
    Hosts(Rows),
    /// Count which types of documents link to which
    #[command(after_help = examples::GRAPH_TYPES)]
    Types(Rows),
    /// List components (pages that reach each other), and the bow-tie
    #[command(after_help = examples::GRAPH_COMPONENTS)]
    Components(Components),
    /// List hosts that serve the same pages
    #[command(after_help = examples::GRAPH_MIRRORS)]
    Mirrors(Rows),
    /// List broken links and who has them, redirect chains, and pages that nothing links to
    #[command(after_help = examples::GRAPH_BROKEN)]
    Broken(Rows),
    /// Find a shortest path of links from one page to another
    #[command(after_help = examples::GRAPH_PATH)]
    Path(PathBetween),
    /// Show what is around a page, and how strongly it is linked
    #[command(after_help = examples::GRAPH_NEAR)]
    Near(Near),
    /// Compare two runs: links gained and lost, ranks that moved
    #[command(after_help = examples::GRAPH_COMPARE)]
    Compare(Compare),
    /// Write the graph for other programs: lists of links, XML, JSON, DOT, tables
    #[command(after_help = examples::GRAPH_EXPORT)]
    Export(ExportGraph),
    /// Draw the graph as one HTML file that works without a network, or as SVG
    #[command(after_help = examples::GRAPH_DRAW)]
    Draw(Draw),
}

/// Whose links, and which of them.
#[derive(Args)]
#[command(next_help_heading = "Which links")]
pub(crate) struct WhichLinks {
    /// Links of this project; repeatable [default: of all projects]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Vec<String>,
    /// The links as they were at the end of this run [default: as they are]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// Only links of these kinds, such as `anchor,area`, or `all` [default: all but sitemap, in-script and get-form]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds)]
    pub(crate) kinds: Vec<KindsArgument>,
    /// Leave out links that say rel=nofollow
    #[arg(long)]
    pub(crate) no_nofollow: bool,
    /// Read links from this file instead: lines source<TAB>target[<TAB>weight], gzip too
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
    /// How many rows to print, 0 for all [default: 20; all with --json and --csv]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Print CSV
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
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// Forecast the disk space that so many pages would take
    #[arg(long, value_name = "PAGES", default_value_t = 1_000_000)]
    pub(crate) forecast: u64,
    /// Print CSV
    #[arg(long, help_heading = "Output")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
}

#[derive(Args)]
#[command(next_help_heading = "Ranking")]
pub(crate) struct Rank {
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// What to rank by
    #[arg(long, value_enum, default_value = "pagerank")]
    pub(crate) by: RankArgument,
    /// Count a link as many times as it occurs
    #[arg(long, help_heading = "Ranking")]
    pub(crate) weighted: bool,
    /// The damping factor of --by pagerank
    #[arg(long, value_name = "SHARE", default_value_t = 0.85, value_parser = share, help_heading = "Ranking")]
    pub(crate) damping: f64,
    /// Rank as seen from this page (personalised rank); repeatable
    #[arg(long, value_name = "URL", help_heading = "Ranking")]
    pub(crate) from: Vec<String>,
    /// For hubs and authorities: ignore links inside a host, and count those of one host to one page once
    #[arg(long, help_heading = "Ranking")]
    pub(crate) guarded: bool,
    /// Ignore links of a page to itself
    #[arg(long, help_heading = "Ranking")]
    pub(crate) no_self_links: bool,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RankArgument {
    /// How often a random walk along links passes through
    Pagerank,
    /// Pages that link to good authorities
    Hubs,
    /// Pages that good hubs link to
    Authorities,
    /// How many link to it
    In,
    /// How many it links to
    Out,
    /// How many other domains link to it, with the number of all links
    Citations,
    /// The largest k such that it belongs to the k-core: how deep it is in the dense part
    Core,
    /// How many links away from the start of the crawl it is, the deepest first
    Depth,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "this is not a number".to_owned())?;
    if (0.0..1.0).contains(&share) {
        Ok(share)
    } else {
        Err("it must be at least 0 and below 1".to_owned())
    }
}

#[derive(Args)]
pub(crate) struct Components {
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
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
    /// Where to begin: a URL, or a name with --level host or domain
    pub(crate) from: String,
    /// Where to go
    pub(crate) to: String,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// Print CSV
    #[arg(long, help_heading = "Output")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
}

#[derive(Args)]
pub(crate) struct Near {
    /// The centre: a URL, or a name with --level host or domain
    pub(crate) url: String,
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// How many links away to go at most
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) hops: u32,
    /// Which direction of links to follow
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) along: Across,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Across {
    /// To those it links to
    Out,
    /// To those that link to it
    In,
    /// Both
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
    /// Only links of these kinds, such as `anchor,area`, or `all` [default: all but sitemap, in-script and get-form]
    #[arg(long, value_name = "KINDS", value_delimiter = ',', value_parser = kinds)]
    pub(crate) kinds: Vec<KindsArgument>,
    /// Leave out links that say rel=nofollow
    #[arg(long)]
    pub(crate) no_nofollow: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
pub(crate) struct ExportGraph {
    /// What a node is
    #[arg(long, value_enum, default_value = "page")]
    pub(crate) level: LevelArgument,
    /// The format to write
    #[arg(long, value_enum)]
    pub(crate) format: GraphFormat,
    /// The file or folder to write [default: print it]
    #[arg(long, value_name = "PATH")]
    pub(crate) to: Option<PathBuf>,
    /// Leave the source code of the pages out of the s4 tables
    #[arg(long)]
    pub(crate) without_source: bool,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// A line `source<TAB>target` for each link
    Edges,
    /// The same with the weight
    WeightedEdges,
    /// XML for yEd and others
    Graphml,
    /// XML for Gephi
    Gexf,
    /// nodes.parquet and edges.parquet, in a folder
    Parquet,
    /// One object with nodes and links
    Json,
    /// For Graphviz
    Dot,
    /// The tables Resources, Hosts and Links of S4, as SQL statements
    S4Sql,
    /// The same as an SQLite database
    S4Sqlite,
    /// The same as CSV files
    S4Csv,
}

#[derive(Args)]
pub(crate) struct Draw {
    /// The file to write, ending in .html or .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    /// What a node is [default: host where there are ten or more, else page]
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArgument>,
    /// Draw only what is around this page, host or domain
    #[arg(long, value_name = "URL")]
    pub(crate) around: Option<String>,
    /// How many links away from there to go at most
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) hops: u32,
    /// How many nodes to draw, the highest ranked first
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub(crate) nodes: u32,
    /// What an SVG shows
    #[arg(long, value_enum, default_value = "map")]
    pub(crate) picture: Picture,
    #[command(flatten)]
    pub(crate) which: WhichLinks,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Picture {
    /// Who links to whom
    Map,
    /// How many nodes have how many links
    Degrees,
    /// The bow-tie
    BowTie,
    /// Which host links to which
    Matrix,
    /// How many pages there are at each depth
    Depths,
}
