//! What can be said to `gleaner crawl`, and to the commands that crawl as well.

use super::project;
use super::values::{field_text, option, patience, positive, resolve};
use super::{LastmodArgument, ScopeArgument, SitemapsArgument, Telling, TypeArgument, VerifyArgument};
use clap::Args;
use gleaner_model::measure::{seconds, size};
use gleaner_model::project::Retention;
use gleaner_model::{GivenUrl, defaults};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Crawl {
    /// Where to begin: web sites, folders, file and news servers, or files with a list of addresses
    #[arg(required_unless_present = "input", value_name = "URL|FILE")]
    pub(crate) urls: Vec<GivenUrl>,
    /// Read addresses from this file, one per line; - reads standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) input: Vec<String>,
    /// The project's name [default: the first URL's host, or the name of the list]
    #[arg(long, value_name = "NAME", value_parser = project::name)]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) telling: Telling,
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
    /// How far to go from the given URLs
    #[arg(long, value_enum, default_value = "host")]
    pub(crate) scope: ScopeArgument,
    /// Follow links up to this many steps away from the given URLs (0: only these pages)
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Stop after this many documents
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<u64>,
    /// Stop after this many documents per host
    #[arg(long, value_name = "N")]
    pub(crate) max_pages_per_host: Option<u64>,
    /// Stop after receiving this much data, such as 500M or 2G
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) max_bytes: Option<u64>,
    /// Stop after this long, such as 90s, 30m or 8h
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub(crate) max_time: Option<u64>,
    /// Skip documents larger than this
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "100M")]
    pub(crate) max_body: u64,
    /// Types of documents to keep
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [TypeArgument::Html, TypeArgument::Xml, TypeArgument::Text, TypeArgument::Documents])]
    pub(crate) types: Vec<TypeArgument>,
    /// Fetch URLs that match this regular expression, even outside the scope; repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) allow: Vec<String>,
    /// Skip URLs that match this regular expression (checked before --allow); repeatable
    #[arg(long, value_name = "REGEX")]
    pub(crate) deny: Vec<String>,
    /// Keep only files with names like these ('*.pdf' or pdf); pages are still read for their links
    #[arg(short = 'A', long, value_name = "PATTERNS", value_delimiter = ',')]
    pub(crate) accept: Vec<String>,
    /// Skip files with names like these
    #[arg(short = 'R', long, value_name = "PATTERNS", value_delimiter = ',')]
    pub(crate) reject: Vec<String>,
    /// Fetch what pages need to look right (styles, scripts, images, fonts), from other hosts too
    #[arg(short = 'p', long)]
    pub(crate) requisites: bool,
    /// Whether to read the sitemaps that robots.txt names, or /sitemap.xml where it names none
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) sitemaps: SitemapsArgument,
    /// When two versions of a page count as the same, such as main,learned (docs/track.md)
    #[arg(long, value_name = "CHAIN")]
    pub(crate) equality: Option<String>,
    /// Which versions `gleaner prune` keeps: all, the newest N, or those of the last N days (90d)
    #[arg(long, value_name = "all|N|Nd", default_value_t = Retention::All)]
    pub(crate) keep: Retention,
    /// Fetch documents even if a listing or sitemap says that they are unchanged
    #[arg(long, value_enum, default_value_t, num_args = 0..=1, default_missing_value = "all")]
    pub(crate) verify_content: VerifyArgument,
    /// Whether a track believes the dates in sitemaps and Atom feeds and skips pages that did not change
    #[arg(long, value_enum, default_value_t)]
    pub(crate) lastmod: LastmodArgument,
    /// Do not follow links inside PDF, office documents and books
    #[arg(long)]
    pub(crate) no_document_links: bool,
    /// Do not fetch addresses found only in scripts and comments
    #[arg(long)]
    pub(crate) no_script_links: bool,
}

#[derive(Args, Clone)]
#[command(next_help_heading = "Manners")]
pub(crate) struct Manners {
    /// Pages fetched at the same time, all hosts together
    #[arg(long, value_name = "N", default_value_t = defaults::CONCURRENCY, value_parser = positive)]
    pub(crate) concurrency: usize,
    /// Connections to one host at the same time
    #[arg(long, value_name = "N", default_value_t = defaults::PER_HOST, value_parser = positive)]
    pub(crate) per_host: usize,
    /// Milliseconds between two requests to a host, and more if the host is slow; use 0 only for hosts you own
    #[arg(long, value_name = "MS", default_value_t = defaults::DELAY.as_millis() as u64)]
    pub(crate) delay: u64,
    /// Limit of bytes per second, all hosts together, such as 2M
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) bandwidth: Option<u64>,
    /// The user agent to send [default: gleaner/VERSION and the contact]
    #[arg(long, value_name = "TEXT", value_parser = field_text)]
    pub(crate) user_agent: Option<String>,
    /// An email address or web page where site owners can reach you; part of the default user agent
    #[arg(long, env = "GLEANER_CONTACT", value_name = "TEXT", value_parser = field_text)]
    pub(crate) contact: Option<String>,
    /// Ignore robots.txt and robots meta tags; only for sites you own
    #[arg(long)]
    pub(crate) ignore_robots: bool,
    /// Attempts per URL on temporary failures
    #[arg(long, value_name = "N", default_value_t = defaults::TRIES_MAX)]
    pub(crate) tries: u32,
}

#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Network")]
pub(crate) struct Network {
    /// Fetch from private and loopback addresses too (those given as URLs are always allowed)
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Use these addresses for a host, as HOST=ADDRESS[,ADDRESS]; repeatable
    #[arg(long, value_name = "HOST=ADDRESS", value_parser = resolve)]
    pub(crate) resolve: Vec<(String, Vec<IpAddr>)>,
    /// Use this name server instead of the system's
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) dns_server: Option<SocketAddr>,
    /// Trust the certificates in this PEM file too
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_file: Option<PathBuf>,
    /// Fetch through this proxy; put a password into the variable `GLEANER_PROXY`, not on the command line
    #[arg(long, env = "GLEANER_PROXY", hide_env_values = true, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Log in with this name where a server asks for a login (HTTP, FTP, SFTP; not forms)
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    /// Read the password from the first line of this file [default: the variable `GLEANER_PASSWORD`]
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(crate) password_file: Option<PathBuf>,
    /// Log in with this private key (SFTP)
    #[arg(long, value_name = "FILE", requires = "user")]
    pub(crate) key_file: Option<PathBuf>,
    /// Set an option of a protocol, such as ftp.tls=explicit (docs/files.md); repeatable
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    pub(crate) option: Vec<(String, String)>,
    /// Use HTTP/1.1 only
    #[arg(long)]
    pub(crate) no_http2: bool,
    /// Seconds to wait for a connection and its TLS handshake
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::CONNECT_TIMEOUT.as_secs_f64(), value_parser = patience)]
    pub(crate) connect_timeout: f64,
    /// Seconds to wait for the first byte of an answer, and between two parts of it
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::FIRST_BYTE_TIMEOUT.as_secs_f64(), value_parser = patience)]
    pub(crate) read_timeout: f64,
    /// Seconds that one whole fetch may take
    #[arg(long, value_name = "SECONDS", default_value_t = defaults::FETCH_TIMEOUT.as_secs_f64(), value_parser = patience)]
    pub(crate) fetch_timeout: f64,
}
