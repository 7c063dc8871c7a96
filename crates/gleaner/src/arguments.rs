//! What can be said on the command line.

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use gleaner_model::GivenUrl;
use gleaner_model::measure::{seconds, size};
use gleaner_model::project::Retention;
use std::path::PathBuf;
use values::positive;

mod choices;
mod concepts;
mod crawl;
mod examples;
mod export;
mod graph;
mod library;
mod log;
mod mirror;
mod project;
mod reading;
mod rebuild;
mod search;
mod telling;
mod values;

pub(crate) use choices::{
    FormatArgument, LastmodArgument, ScopeArgument, SitemapsArgument, TypeArgument, VerifyArgument,
    type_groups,
};
pub(crate) use concepts::{ConceptFormat, Concepts};
pub(crate) use crawl::{Crawl, Manners, Network, What};
pub(crate) use export::{Export, ExportForm, ExportGone, ExportText};
pub(crate) use graph::{
    Compare, Components, Draw, ExportGraph, Graph, GraphFormat, KindsArgument, Near, PathBetween, Picture,
    Rank, RankArgument, Rows, Summary, WhichLinks,
};
pub(crate) use library::{
    AddToLibrary, Classify, DecideSite, Library, LibraryDocuments, LibrarySites, LibraryStatistics,
    NewLibrary, OverruleDocuments, RunLibrary, StageOfLibrary,
};
pub(crate) use log::{Log, LogFormat};
pub(crate) use mirror::Mirror;
pub(crate) use project::{Given, ListProjects, NewProject, Project, RemoveProject, RunProject, TryProject};
pub(crate) use reading::{As, Convert, Diff, DiffFormat, FindSid, Form, ReadDocument, Reconsider, Versions};
pub(crate) use rebuild::Rebuild;
pub(crate) use search::{Chunks, Search};
pub(crate) use telling::Telling;

#[derive(Parser)]
#[command(
    name = "gleaner",
    version,
    about = "Gather documents from web sites and file servers, and see what changed, without losing any",
    after_help = examples::GLEANER,
    infer_long_args = false
)]
pub(crate) struct Arguments {
    /// The folder that holds everything: gleaner.db and archive/*.warc.gz
    #[arg(
        long,
        global = true,
        env = "GLEANER_DATA",
        default_value = "gleaner-data",
        value_name = "FOLDER",
        help_heading = "Global options"
    )]
    pub(crate) data: PathBuf,
    /// Print JSON: one object at the end, or one object per line in listings
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) log: Log,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What was said, with which options of `mirror` were given: those of a crawl are not always of use there.
pub(crate) fn read() -> Result<Arguments, clap::Error> {
    let matches = Arguments::command().try_get_matches()?;
    let mut arguments = Arguments::from_arg_matches(&matches)?;
    if let (Command::Mirror(mirror), Some(given)) =
        (&mut arguments.command, matches.subcommand_matches("mirror"))
    {
        mirror.note_given(given);
    }
    Ok(arguments)
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Fetch a site, page by page, and keep everything
    #[command(after_help = examples::CRAWL)]
    Crawl(Box<Crawl>),
    /// Look again at everything a project has: what is new, what changed, what is gone
    #[command(after_help = examples::TRACK)]
    Track(Box<Track>),
    /// Continue a run that was stopped, killed or cut off
    #[command(after_help = examples::RESUME)]
    Resume(Resume),
    /// Create, check, edit and run projects; each is one file that says what to collect
    #[command(arg_required_else_help = true, after_help = examples::PROJECT)]
    Project {
        #[command(subcommand)]
        project: Project,
    },
    /// Store passwords and tokens, sealed; projects name them as secret:NAME
    #[command(arg_required_else_help = true, after_help = examples::SECRET)]
    Secret {
        #[command(subcommand)]
        secret: Secret,
    },
    /// List all runs
    #[command(after_help = examples::RUNS)]
    Runs,
    /// Show what a run found: every change with its reason
    #[command(after_help = examples::REPORT)]
    Report(Report),
    /// List the documents that are kept
    #[command(after_help = examples::LS)]
    Ls(Ls),
    /// Print the content of a document
    #[command(after_help = examples::CAT)]
    Cat(Cat),
    /// Print the text of a PDF, an office document, a book or a letter
    #[command(after_help = examples::CONVERT)]
    Convert(Convert),
    /// Reads documents for the process that started it, until its input ends
    #[command(hide = true)]
    ReadDocument(ReadDocument),
    /// List the versions of a document, the oldest first
    #[command(after_help = examples::VERSIONS)]
    Versions(Versions),
    /// Show what changed between two versions of a document
    #[command(after_help = examples::DIFF)]
    Diff(Diff),
    /// Search the documents, as they are now or as they were at any time
    #[command(after_help = examples::SEARCH)]
    Search(Box<Search>),
    /// Find words that belong together, and the key phrases of documents
    #[command(after_help = examples::CONCEPTS)]
    Concepts(Box<Concepts>),
    /// Print the documents' text in chunks for language models, and which chunks are gone
    #[command(after_help = examples::CHUNKS)]
    Chunks(Chunks),
    /// Show where a page links to, or who links to it
    #[command(after_help = examples::LINKS)]
    Links(Links),
    /// Examine, export and draw the link graph: ranks, components, broken links, paths
    #[command(arg_required_else_help = true, after_help = examples::GRAPH)]
    Graph {
        #[command(subcommand)]
        graph: Box<Graph>,
    },
    /// Write a browsable copy of a site into a folder
    #[command(after_help = examples::MIRROR)]
    Mirror(Box<Mirror>),
    /// Write what was collected as text, Markdown, JSON lines, Parquet, WARC or WACZ
    #[command(after_help = examples::EXPORT)]
    Export(Box<Export>),
    /// Collect the good documents on a topic, in cycles: find sites, read them, judge
    #[command(arg_required_else_help = true, after_help = examples::LIBRARY)]
    Library {
        #[command(subcommand)]
        library: Box<Library>,
    },
    /// Judge the history of a project by another equality, without fetching anything
    #[command(after_help = examples::RECONSIDER)]
    Reconsider(Reconsider),
    /// Find the session ID in lists of links
    #[command(after_help = examples::FIND_SID)]
    FindSid(FindSid),
    /// Explain why a URL is or is not fetched: canonical form, scope, rules, robots.txt
    #[command(after_help = examples::EXPLAIN)]
    Explain(Explain),
    /// Show or change which parts of a site's URLs are volatile (session IDs)
    #[command(after_help = examples::RULES)]
    Rules(Rules),
    /// Check every reference, digest and record
    #[command(after_help = examples::VERIFY)]
    Verify(Verify),
    /// Build a new catalog from WARC files: this folder's own, or those of other programs
    #[command(after_help = examples::REBUILD)]
    Rebuild(Rebuild),
    /// Remove versions that are no longer wanted, and shrink the archive
    #[command(after_help = examples::PRUNE)]
    Prune(Prune),
    /// Print completions for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Args)]
pub(crate) struct Track {
    /// The project's name, as `gleaner runs` shows it [default: the only project]
    pub(crate) project: Option<String>,
    /// Track all projects at the same time; one that fails does not stop the others
    #[arg(long, conflicts_with = "project")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) again: Again,
}

/// How a project that is there is run.
#[derive(Args, Default)]
#[command(next_help_heading = "This run")]
pub(crate) struct Again {
    /// When two versions of a page count as the same, such as main,learned; stored with the project
    #[arg(long, value_name = "CHAIN")]
    pub(crate) equality: Option<String>,
    /// Fetch documents even if a listing or sitemap says that they are unchanged [default: as the project says]
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "all")]
    pub(crate) verify_content: Option<VerifyArgument>,
    /// Whether to believe the dates in sitemaps and Atom feeds [default: as the project says]
    #[arg(long, value_enum)]
    pub(crate) lastmod: Option<LastmodArgument>,
    /// Do not follow links inside PDF, office documents and books in this run
    #[arg(long)]
    pub(crate) no_document_links: bool,
    /// Do not fetch addresses found only in scripts and comments in this run
    #[arg(long)]
    pub(crate) no_script_links: bool,
    /// Believe that sites and folders that look empty are really empty, not away or unmounted
    #[arg(long)]
    pub(crate) believe_empty: bool,
    /// Stop after this many documents
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<u64>,
    /// Stop after receiving this much data, such as 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_bytes: Option<u64>,
    /// Stop after this long, such as 90s, 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
    /// Pages fetched at the same time, all hosts together [default: as the project says]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) concurrency: Option<usize>,
    /// Connections to one host at the same time
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) per_host: Option<usize>,
    /// Milliseconds between two requests to a host; use 0 only for hosts you own
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,
    /// Limit of bytes per second, all hosts together, such as 2M
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) bandwidth: Option<u64>,
    /// Attempts per URL on temporary failures
    #[arg(long, value_name = "N")]
    pub(crate) tries: Option<u32>,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Subcommand)]
pub(crate) enum Secret {
    /// Store a secret; you are asked for it, or it is read from standard input
    #[command(after_help = examples::SECRET_SET)]
    Set {
        /// The name of the secret
        #[arg(value_parser = project::secret_name)]
        name: String,
    },
    /// List the names of all secrets
    #[command(after_help = examples::SECRET_LIST)]
    List,
    /// Remove a secret
    #[command(after_help = examples::SECRET_REMOVE)]
    Remove {
        /// The name of the secret
        name: String,
    },
}

#[derive(Args)]
pub(crate) struct Resume {
    /// The run's number, as `gleaner runs` lists it [default: the newest unfinished one]
    pub(crate) run: Option<i64>,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Args)]
pub(crate) struct Report {
    /// The run's number, as `gleaner runs` lists it [default: the newest]
    pub(crate) run: Option<i64>,
    /// List the broken links, each with the pages that have it
    #[arg(long, conflicts_with = "state")]
    pub(crate) broken: bool,
    /// Only changes of this state
    #[arg(long, value_name = "STATE", value_parser = ["NEW", "UPD", "SAM", "MIS", "ERR", "OUT"], ignore_case = true)]
    pub(crate) state: Option<String>,
    /// The format to print [default: text]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArgument>,
}

#[derive(Args)]
pub(crate) struct Ls {
    /// Only documents of this host
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Only documents of this type: text/html, or just text
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) media_type: Option<String>,
    /// Only documents of this project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Only documents that are gone or that the project no longer takes
    #[arg(long)]
    pub(crate) gone: bool,
}

#[derive(Args)]
pub(crate) struct Cat {
    /// A document's number, as `gleaner ls` lists it, or its URL
    #[arg(value_name = "ID|URL")]
    pub(crate) document: GivenUrl,
    /// Print the HTTP head first, as the server sent it
    #[arg(long)]
    pub(crate) headers: bool,
    /// Print the bytes as they were sent, still compressed
    #[arg(long)]
    pub(crate) encoded: bool,
    /// The version's number, as `gleaner versions` lists it; -1 is the newest [default: the newest]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) version: Option<i64>,
    /// The form to print
    #[arg(long = "as", value_enum, default_value = "raw", value_name = "FORM")]
    pub(crate) form: As,
}

#[derive(Args)]
pub(crate) struct Links {
    /// A document's number, as `gleaner ls` lists it, or a URL
    #[arg(value_name = "ID|URL")]
    pub(crate) document: GivenUrl,
    /// Show the pages that link to it
    #[arg(long = "in", conflicts_with = "out")]
    pub(crate) inward: bool,
    /// Show the pages it links to (the default)
    #[arg(long)]
    pub(crate) out: bool,
}

#[derive(Args)]
pub(crate) struct Explain {
    /// The URL, seen before or not
    pub(crate) url: GivenUrl,
    /// The project whose rules decide [default: the newest run's]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
}

#[derive(Args)]
pub(crate) struct Rules {
    /// A site, host or URL [default: all sites of the project]
    pub(crate) site: Option<String>,
    /// The project [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Treat this part as a session ID: ?name in the query, ;name in the path
    #[arg(long, value_name = "PLACE", help_heading = "Changes")]
    pub(crate) add: Option<String>,
    /// With --add: keep sending it with requests (otherwise it is left out)
    #[arg(long, requires = "add", help_heading = "Changes")]
    pub(crate) required: bool,
    /// Remove a rule, by number or place, or all
    #[arg(long, value_name = "RULE", help_heading = "Changes")]
    pub(crate) forget: Option<String>,
    /// Switch a rule off, by number or place
    #[arg(long, value_name = "RULE", help_heading = "Changes")]
    pub(crate) off: Option<String>,
    /// Switch a rule on again, by number or place
    #[arg(long, value_name = "RULE", help_heading = "Changes")]
    pub(crate) on: Option<String>,
    /// Keep the rules of this site as they are
    #[arg(long, conflicts_with = "unpin", help_heading = "Changes")]
    pub(crate) pin: bool,
    /// Learn the rules of this site again
    #[arg(long, help_heading = "Changes")]
    pub(crate) unpin: bool,
}

impl Rules {
    /// Whether anything is to be changed.
    pub(crate) fn changes(&self) -> bool {
        let named = [&self.add, &self.forget, &self.off, &self.on];
        named.iter().any(|one| one.is_some()) || self.pin || self.unpin
    }
}

#[derive(Args)]
pub(crate) struct Verify {
    /// Repair what can be repaired without losing anything that is still good
    #[arg(long)]
    pub(crate) fix: bool,
}

#[derive(Args)]
pub(crate) struct Prune {
    /// Only documents of this project [default: all projects]
    pub(crate) project: Option<String>,
    /// Which versions to keep: all, the newest N, or those of the last N days (90d) [default: as the project says]
    #[arg(long, value_name = "all|N|Nd")]
    pub(crate) keep: Option<Retention>,
    /// Only show what would be removed and freed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Rewrite all archive files, even those of which less than a tenth can be freed
    #[arg(long)]
    pub(crate) all: bool,
}

#[cfg(test)]
mod tests;
