//! What can be said on the command line.

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use gleaner_model::measure::{seconds, size};
use gleaner_model::project::Retention;
use gleaner_model::{GivenUrl, defaults};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use values::{field_text, option, patience, positive, resolve};

mod choices;
mod concepts;
mod export;
mod graph;
mod mirror;
mod project;
mod reading;
mod rebuild;
mod search;
mod values;

pub(crate) use choices::{
    FormatArgument, LastmodArgument, ScopeArgument, SitemapsArgument, TypeArgument, VerifyArgument,
    type_groups,
};
pub(crate) use concepts::{ConceptFormat, Concepts};
pub(crate) use export::{Export, ExportForm, ExportGone, ExportText};
pub(crate) use graph::{
    Compare, Components, Draw, ExportGraph, Graph, GraphFormat, KindsArgument, Near, PathBetween, Picture,
    Rank, RankArgument, Rows, Summary, WhichLinks,
};
pub(crate) use mirror::Mirror;
pub(crate) use project::{Given, ListProjects, NewProject, Project, RemoveProject, RunProject, TryProject};
pub(crate) use reading::{As, Convert, Diff, DiffFormat, FindSid, Form, ReadDocument, Reconsider, Versions};
pub(crate) use rebuild::Rebuild;
pub(crate) use search::{Chunks, Search};

#[derive(Parser)]
#[command(
    name = "gleaner",
    version,
    about = "Gathers documents from web sites and file servers, knows what changed, and never loses any",
    after_help = "Exit codes: 0 done, 1 done and something wants a look (verify found damage, a crawl collected nothing), \
                  2 wrong usage, 3 could not do it, 130 stopped by Ctrl-C (resume with `gleaner resume`)."
)]
pub(crate) struct Arguments {
    /// The folder that holds everything: gleaner.db and archive/*.warc.gz
    #[arg(
        long,
        global = true,
        env = "GLEANER_DATA",
        default_value = "gleaner-data",
        value_name = "FOLDER"
    )]
    pub(crate) data: PathBuf,
    /// One JSON object as the last line of the output; listings one object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
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
    Crawl(Box<Crawl>),
    /// Look again at everything a project has: what is new, what changed, what is gone
    Track(Box<Track>),
    /// Go on with a run that was stopped, killed or cut off
    Resume(Resume),
    /// Projects: what to collect, as one file each; make, check, edit, keep them
    #[command(arg_required_else_help = true)]
    Project {
        #[command(subcommand)]
        project: Project,
    },
    /// Passwords and tokens, sealed; projects name them as secret:NAME
    #[command(arg_required_else_help = true)]
    Secret {
        #[command(subcommand)]
        secret: Secret,
    },
    /// List all runs
    Runs,
    /// What a run found: every change with its reason
    Report(Report),
    /// List the documents that are kept
    Ls(Ls),
    /// Write a document's content to the output
    Cat(Cat),
    /// The text of a PDF, an office document, a book, a letter: as text, Markdown, HTML, JSON; or any of them as PDF
    Convert(Convert),
    /// Reads documents for the process that started it, until its input ends
    #[command(hide = true)]
    ReadDocument(ReadDocument),
    /// The versions of a document, the oldest first
    Versions(Versions),
    /// What changed between two versions of a document
    Diff(Diff),
    /// Which documents speak of this, now or at any time
    Search(Box<Search>),
    /// Which words stand together in a project's documents, and what each document is about
    Concepts(Box<Concepts>),
    /// Texts in pieces for language models, and which of them went since the last time
    Chunks(Chunks),
    /// Where a page links to, or who links to it
    Links(Links),
    /// Who links to whom: sizes, ranks, components, mirrors, broken links, ways, neighbours; exported and drawn
    #[command(arg_required_else_help = true, after_help = graph::EXAMPLES)]
    Graph {
        #[command(subcommand)]
        graph: Box<Graph>,
    },
    /// Write a browsable copy of a site into a folder, from what was collected and as of any run
    Mirror(Box<Mirror>),
    /// Give what was collected to others: texts with metadata, Markdown, JSON lines, Parquet, WARC, WACZ
    Export(Box<Export>),
    /// Judge a project's history anew under another equality, without any request
    Reconsider(Reconsider),
    /// The session id that lists of links carry
    FindSid(FindSid),
    /// Why a URL is or is not fetched: canonical form, scope, rules, robots.txt
    Explain(Explain),
    /// What is volatile in a site's URLs (session ids), and why; change it by hand
    Rules(Rules),
    /// Check every reference, digest and record
    Verify(Verify),
    /// Make a new catalog from WARC files: this folder's own, or those of other programs
    Rebuild(Rebuild),
    /// Drop versions that are no longer wanted, and make the archive smaller
    Prune(Prune),
    /// Print completions for a shell
    Completions { shell: clap_complete::Shell },
}

#[derive(Args)]
pub(crate) struct Crawl {
    /// Where to begin: web sites, folders, file and news servers (docs/files.md); several are possible
    #[arg(required = true, value_name = "URL")]
    pub(crate) urls: Vec<GivenUrl>,
    /// The project's name [default: the first URL's host; with --scope subtree also its folder]
    #[arg(long, value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) what: What,
    #[command(flatten)]
    pub(crate) manners: Manners,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Args)]
#[command(next_help_heading = "What to collect")]
pub(crate) struct What {
    /// How far from the given URLs to go
    #[arg(long, value_enum, default_value = "host")]
    pub(crate) scope: ScopeArgument,
    /// Follow at most this many links away from the given URLs (0: just these pages)
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Stop after this many documents
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<u64>,
    /// … of each host
    #[arg(long, value_name = "N")]
    pub(crate) max_pages_per_host: Option<u64>,
    /// Stop after receiving this much (e.g. 500M, 2G)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_bytes: Option<u64>,
    /// Stop after this long (e.g. 90s, 30m, 8h)
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
    /// The largest body to take
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "100M")]
    pub(crate) max_body: u64,
    /// Types of documents to keep
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [TypeArgument::Html, TypeArgument::Xml, TypeArgument::Text, TypeArgument::Documents])]
    pub(crate) types: Vec<TypeArgument>,
    /// Take URLs that match this regular expression, also outside the scope; repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) allow: Vec<String>,
    /// Leave out URLs that match this regular expression (asked before --allow); repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) deny: Vec<String>,
    /// Read the sitemaps that robots.txt names (auto: unless --depth is given)
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sitemaps: SitemapsArgument,
    /// When two versions of a page are the same, as `main,learned` (docs/track.md)
    #[arg(long, value_name = "CHAIN")]
    pub(crate) equality: Option<String>,
    /// Which versions of a document stay when `gleaner prune` is run: all, the newest N, or those of the last N days (90d)
    #[arg(long, value_name = "all|N|Nd", default_value_t = Retention::All)]
    pub(crate) keep: Retention,
    /// Fetch documents although their folder's listing or their site's sitemap says that they are unchanged: some lie
    #[arg(long, value_enum, default_value_t, num_args = 0..=1, default_missing_value = "all")]
    pub(crate) verify_content: VerifyArgument,
    /// In a track, whether the dates in sitemaps and Atom feeds are believed: pages that did not change are not asked for
    /// (docs/track.md)
    #[arg(long, value_enum, default_value_t)]
    pub(crate) lastmod: LastmodArgument,
    /// Do not follow links inside PDF, office documents and books
    #[arg(long)]
    pub(crate) no_document_links: bool,
}

#[derive(Args, Clone)]
#[command(next_help_heading = "Manners")]
pub(crate) struct Manners {
    /// Pages fetched at the same time, all hosts together
    #[arg(long, value_name = "N", default_value_t = defaults::CONCURRENCY, value_parser = positive)]
    pub(crate) concurrency: usize,
    /// Connections to one host
    #[arg(long, value_name = "N", default_value_t = defaults::PER_HOST, value_parser = positive)]
    pub(crate) per_host: usize,
    /// Milliseconds between two requests to a host; it grows where the host is slow. 0 is for hosts you own
    #[arg(long, value_name = "MS", default_value_t = defaults::DELAY.as_millis() as u64)]
    pub(crate) delay: u64,
    /// Bytes per second, all hosts together (e.g. 2M)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) bandwidth: Option<u64>,
    /// The name to give to servers [default: gleaner/VERSION and the contact]
    #[arg(long, value_name = "TEXT", value_parser = field_text)]
    pub(crate) user_agent: Option<String>,
    /// A mail address or page where a site's owner reaches you; part of the default user agent
    #[arg(long, env = "GLEANER_CONTACT", value_name = "TEXT", value_parser = field_text)]
    pub(crate) contact: Option<String>,
    /// Do not ask for robots.txt and do not obey robots meta tags: only for sites you own
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// How often a URL is asked for while its failure may pass
    #[arg(long, value_name = "N", default_value_t = defaults::TRIES_MAX)]
    pub(crate) tries: u32,
}

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Network")]
pub(crate) struct Network {
    /// Fetch from private and loopback addresses too (a private URL given above is always allowed itself)
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Use these addresses for a name, as HOST=ADDRESS[,ADDRESS]; repeatable
    #[arg(long, value_name = "HOST=ADDRESS", value_parser = resolve)]
    pub(crate) resolve: Vec<(String, Vec<IpAddr>)>,
    /// Ask this name server instead of the system's
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) dns_server: Option<SocketAddr>,
    /// Trust the certificates in this PEM file too
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Fetch through this proxy; a password belongs into the environment, not on the command line
    #[arg(long, env = "GLEANER_PROXY", hide_env_values = true, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Log in by this name where a server asks for one: file and news servers, and web sites without a form
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// The password is the first line of this file [default: from the environment, see docs/files.md]
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(crate) password_file: Option<PathBuf>,
    /// Log in with this private key (SFTP)
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(crate) key_file: Option<PathBuf>,
    /// An option of a protocol, as ftp.tls=explicit (docs/files.md); repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    pub(crate) option: Vec<(String, String)>,
    /// Speak HTTP/1.1 only
    #[arg(long)]
    pub(crate) no_http2: bool,
    /// Seconds to wait for a connection and its TLS handshake
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::CONNECT_TIMEOUT.as_secs_f64(), value_parser = patience)]
    pub(crate) connect_timeout: f64,
    /// Seconds to wait for the first byte of an answer, and for silence inside it
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::FIRST_BYTE_TIMEOUT.as_secs_f64(), value_parser = patience)]
    pub(crate) read_timeout: f64,
    /// Seconds for one whole fetch
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::FETCH_TIMEOUT.as_secs_f64(), value_parser = patience)]
    pub(crate) fetch_timeout: f64,
}

#[derive(Args)]
pub(crate) struct Track {
    /// The project's name, as `gleaner runs` shows it [default: the only project]
    pub(crate) project: Option<String>,
    /// All projects, one after the other; one that fails does not stop the others
    #[arg(long, conflicts_with = "project")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) again: Again,
}

/// How a project that is there is run.
#[derive(Args, Default)]
pub(crate) struct Again {
    /// When two versions of a page are the same, as `main,learned` (docs/track.md); kept with the project
    #[arg(long, value_name = "CHAIN")]
    pub(crate) equality: Option<String>,
    /// Fetch documents although their folder's listing or their site's sitemap says that they are unchanged [default: as the project says]
    #[arg(long, value_enum, num_args = 0..=1, default_missing_value = "all")]
    pub(crate) verify_content: Option<VerifyArgument>,
    /// Whether the dates in sitemaps and Atom feeds are believed [default: as the project says]
    #[arg(long, value_enum)]
    pub(crate) lastmod: Option<LastmodArgument>,
    /// Do not follow links inside PDF, office documents and books in this run
    #[arg(long)]
    pub(crate) no_document_links: bool,
    /// What is gone or empty really is: sites that show nothing of what they had are closed, folders without files have none. Otherwise they are taken to be away, or not mounted
    #[arg(long)]
    pub(crate) believe_empty: bool,
    /// Stop after this many documents
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<u64>,
    /// Stop after receiving this much (e.g. 500M, 2G)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_bytes: Option<u64>,
    /// Stop after this long (e.g. 90s, 30m, 8h)
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
    /// Pages fetched at the same time, all hosts together [default: as the project says]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) concurrency: Option<usize>,
    /// Connections to one host
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) per_host: Option<usize>,
    /// Milliseconds between two requests to a host. 0 is for hosts you own
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,
    /// Bytes per second, all hosts together (e.g. 2M)
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) bandwidth: Option<u64>,
    /// How often a URL is asked for while its failure may pass
    #[arg(long, value_name = "N")]
    pub(crate) tries: Option<u32>,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Subcommand)]
pub(crate) enum Secret {
    /// Store a secret: it is asked for, or read from the input
    Set {
        #[arg(value_parser = project::secret_name)]
        name: String,
    },
    /// List the names
    List,
    /// Remove one
    Remove { name: String },
}

#[derive(Args)]
pub(crate) struct Resume {
    /// The run's number, as `gleaner runs` lists it [default: the newest unfinished one]
    pub(crate) run: Option<i64>,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Args)]
pub(crate) struct Report {
    /// The run's number, as `gleaner runs` lists it [default: the newest]
    pub(crate) run: Option<i64>,
    /// Name the URLs that lead nowhere, each with the pages that link to it
    #[arg(long, conflicts_with = "state")]
    pub(crate) broken: bool,
    /// Only changes of this state
    #[arg(long, value_name = "STATE", value_parser = ["NEW", "UPD", "SAM", "MIS", "ERR", "OUT"], ignore_case = true)]
    pub(crate) state: Option<String>,
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
    #[arg(long)]
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
    /// The HTTP head as the server sent it, then an empty line, then the content
    #[arg(long)]
    pub(crate) headers: bool,
    /// The bytes as they were sent, content encoding left on
    #[arg(long)]
    pub(crate) encoded: bool,
    /// The version's number, as `gleaner versions` lists it; -1 is the newest [default: the newest]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) version: Option<i64>,
    /// In which form
    #[arg(long = "as", value_enum, default_value = "raw", value_name = "FORM")]
    pub(crate) form: As,
}

#[derive(Args)]
pub(crate) struct Links {
    /// A document's number, as `gleaner ls` lists it, or a URL
    #[arg(value_name = "ID|URL")]
    pub(crate) document: GivenUrl,
    /// Pages that link to it
    #[arg(long = "in", conflicts_with = "out")]
    pub(crate) inward: bool,
    /// Pages it links to (the default)
    #[arg(long)]
    pub(crate) out: bool,
}

#[derive(Args)]
pub(crate) struct Explain {
    pub(crate) url: GivenUrl,
    /// The project whose rules decide [default: the newest run's]
    #[arg(long)]
    pub(crate) project: Option<String>,
}

#[derive(Args)]
pub(crate) struct Rules {
    /// A site, host or URL [default: all sites of the project]
    pub(crate) site: Option<String>,
    /// The project [default: the only one]
    #[arg(long)]
    pub(crate) project: Option<String>,
    /// Take what stands there for a session id: ?name in the query, ;name in the path
    #[arg(long, value_name = "PLACE")]
    pub(crate) add: Option<String>,
    /// With --add: requests must carry it (otherwise it is left out)
    #[arg(long, requires = "add")]
    pub(crate) required: bool,
    /// Forget a rule, by number or place, or all
    #[arg(long, value_name = "RULE")]
    pub(crate) forget: Option<String>,
    /// Switch a rule off, by number or place
    #[arg(long, value_name = "RULE")]
    pub(crate) off: Option<String>,
    /// Switch it on again
    #[arg(long, value_name = "RULE")]
    pub(crate) on: Option<String>,
    /// Never learn this site anew
    #[arg(long, conflicts_with = "unpin")]
    pub(crate) pin: bool,
    #[arg(long)]
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
    /// Put right what can be put right without losing anything that is still good
    #[arg(long)]
    pub(crate) fix: bool,
}

#[derive(Args)]
pub(crate) struct Prune {
    /// Only documents of this project [default: all projects]
    pub(crate) project: Option<String>,
    /// Which versions of a document stay: all, the newest N, or those of the last N days (90d) [default: as the project says]
    #[arg(long, value_name = "all|N|Nd")]
    pub(crate) keep: Option<Retention>,
    /// Only tell what would be dropped and freed
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Also rewrite archive files of which less than a tenth can be freed
    #[arg(long)]
    pub(crate) all: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_fit_together() {
        Arguments::command().debug_assert();
    }
}
