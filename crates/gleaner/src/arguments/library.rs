//! What can be said to `gleaner library`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

use super::{Given, Network, Telling, examples};

#[derive(Subcommand)]
pub(crate) enum Library {
    /// Write a file to begin with, each setting explained
    #[command(after_help = examples::LIBRARY_NEW)]
    New(NewLibrary),
    /// Find every mistake in a library's file, with its line and how to fix it
    #[command(after_help = examples::LIBRARY_CHECK)]
    Check {
        /// The library's file
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Show all libraries, or how one stands
    #[command(after_help = examples::LIBRARY_SHOW)]
    Show {
        /// The library's name, or its file
        #[arg(value_name = "LIBRARY|FILE")]
        library: Option<Given>,
    },
    /// Work in cycles: choose sites, read them, judge their documents, find new sites
    #[command(after_help = examples::LIBRARY_RUN)]
    Run(Box<RunLibrary>),
    /// Only crawl: the sites of the cycle that is under way, or of a new one
    #[command(after_help = examples::LIBRARY_FETCH)]
    Fetch(Box<StageOfLibrary>),
    /// Only judge: what was fetched and not judged yet, or everything again
    #[command(after_help = examples::LIBRARY_JUDGE)]
    Judge(Box<StageOfLibrary>),
    /// Only analyse: statistics, next visits and new sites of a cycle that was crawled
    #[command(after_help = examples::LIBRARY_ANALYSE)]
    Analyse(Box<StageOfLibrary>),
    /// List the sites: what they gave, and when they are visited next
    #[command(after_help = examples::LIBRARY_SITES)]
    Sites(LibrarySites),
    /// Decide about a site by hand
    #[command(after_help = examples::LIBRARY_SITE)]
    Site(DecideSite),
    /// List the documents with what was decided about them, and why
    #[command(after_help = examples::LIBRARY_DOCUMENTS)]
    Documents(LibraryDocuments),
    /// Decide about documents by hand; the filter learns from it at once
    #[command(after_help = examples::LIBRARY_OVERRULE)]
    Overrule(OverruleDocuments),
    /// Put documents of your own through the filter
    #[command(after_help = examples::LIBRARY_ADD)]
    Add(Box<AddToLibrary>),
    /// Show pages, documents, rates and costs
    #[command(after_help = examples::LIBRARY_STATISTICS)]
    Statistics(LibraryStatistics),
    /// List the cycles, each with its run
    #[command(after_help = examples::LIBRARY_CYCLES)]
    Cycles {
        /// The library's name, or its file
        #[arg(value_name = "LIBRARY|FILE")]
        library: Given,
    },
    /// Explain why a document was kept or not, and why a site is visited or not
    #[command(after_help = examples::LIBRARY_EXPLAIN)]
    Explain {
        /// The library's name, or its file
        #[arg(value_name = "LIBRARY|FILE")]
        library: Given,
        /// An address of a document or a site
        #[arg(value_name = "URL")]
        url: String,
    },
    /// Say what kind of document each file is, and whether a library keeps it
    #[command(after_help = examples::LIBRARY_CLASSIFY)]
    Classify(Classify),
}

#[derive(Args)]
pub(crate) struct Classify {
    /// The documents, in any format that `gleaner convert` reads; gzip is removed first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Judge documents by their content and look, not by their names
    #[arg(long)]
    pub(crate) ignore_names: bool,
    /// What people decided: {"file", "genre" or "accept"} a line; the filter learns from it
    #[arg(long, value_name = "FILE")]
    pub(crate) overrules: Option<PathBuf>,
    /// Use no outside programs, such as Ghostscript
    #[arg(long)]
    pub(crate) no_tools: bool,
}

#[derive(Args)]
pub(crate) struct NewLibrary {
    /// Where to write the file; its name is the library's
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// A word or phrase of the topic; repeatable
    #[arg(long, value_name = "WORDS")]
    pub(crate) topic: Vec<String>,
    /// A site to begin with, or a file with a list of them; repeatable
    #[arg(long, value_name = "URL|FILE")]
    pub(crate) site: Vec<String>,
    /// A good document, as a file or an address; repeatable
    #[arg(long, value_name = "FILE|URL")]
    pub(crate) example: Vec<String>,
}

#[derive(Args)]
pub(crate) struct RunLibrary {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// End after so many cycles [default: go on for ever]
    #[arg(long, value_name = "N")]
    pub(crate) cycles: Option<u64>,
    /// Requests of a cycle [default: as the file says]
    #[arg(long, value_name = "N")]
    pub(crate) pages: Option<u64>,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    pub(crate) network: Network,
}

/// One stage of a cycle by itself.
#[derive(Args)]
pub(crate) struct StageOfLibrary {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// Judge all stored documents again, as after a new version or a decision by hand (only `judge`)
    #[arg(long)]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Args)]
pub(crate) struct LibrarySites {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// Only sites in this state
    #[arg(long, value_name = "STATE", value_parser = ["candidate", "trial", "active", "stopped", "rejected"])]
    pub(crate) state: Option<String>,
}

#[derive(Args)]
pub(crate) struct LibraryDocuments {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// Only accepted ones
    #[arg(long, conflicts_with_all = ["rejected", "uncertain"])]
    pub(crate) accepted: bool,
    /// Only rejected ones
    #[arg(long, conflicts_with = "uncertain")]
    pub(crate) rejected: bool,
    /// Only those that wait for a person
    #[arg(long)]
    pub(crate) uncertain: bool,
}

#[derive(Args)]
pub(crate) struct OverruleDocuments {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// The documents, by address or number
    #[arg(required = true, value_name = "URL|NUMBER")]
    pub(crate) documents: Vec<String>,
    /// They belong to the library
    #[arg(long, conflicts_with_all = ["reject", "undo"])]
    pub(crate) accept: bool,
    /// They do not
    #[arg(long, conflicts_with = "undo")]
    pub(crate) reject: bool,
    /// What kind of document they are
    #[arg(long, value_name = "GENRE")]
    pub(crate) genre: Option<String>,
    /// Take a decision back: the filter judges again
    #[arg(long)]
    pub(crate) undo: bool,
}

#[derive(Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option, and only one is given"
)]
pub(crate) struct DecideSite {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// An address at the site
    #[arg(value_name = "URL")]
    pub(crate) site: String,
    /// Visit it, whatever it gave
    #[arg(long, conflicts_with_all = ["stop", "reject", "forget"])]
    pub(crate) active: bool,
    /// Come back only when its time has come
    #[arg(long, conflicts_with_all = ["reject", "forget"])]
    pub(crate) stop: bool,
    /// Do not visit it
    #[arg(long, conflicts_with = "forget")]
    pub(crate) reject: bool,
    /// Take a decision back
    #[arg(long)]
    pub(crate) forget: bool,
}

#[derive(Args)]
pub(crate) struct AddToLibrary {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// Documents
    #[arg(required = true, value_name = "FILE|URL")]
    pub(crate) documents: Vec<String>,
    #[command(flatten)]
    pub(crate) telling: Telling,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Args)]
pub(crate) struct LibraryStatistics {
    /// The library's name, or its file
    #[arg(value_name = "LIBRARY|FILE")]
    pub(crate) library: Given,
    /// Only of this site
    #[arg(long, value_name = "URL")]
    pub(crate) site: Option<String>,
}
