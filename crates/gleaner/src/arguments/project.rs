//! What can be said to `gleaner project`.

use super::{Again, Network, examples};
use clap::{Args, Subcommand};
use gleaner_settings::project_file;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Project {
    /// Write a project file to start from, every setting explained
    #[command(after_help = examples::PROJECT_NEW)]
    New(Box<NewProject>),
    /// Run a project: collect the first time, track after that
    #[command(after_help = examples::PROJECT_RUN)]
    Run(Box<RunProject>),
    /// Show what a project would collect, and store nothing
    #[command(after_help = examples::PROJECT_TRY)]
    Try(Box<TryProject>),
    /// List the projects
    #[command(after_help = examples::PROJECT_LIST)]
    List(ListProjects),
    /// Print a project as a file
    #[command(after_help = examples::PROJECT_SHOW)]
    Show {
        /// The project's name, or a file
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
    },
    /// Find every mistake in a project, with its line and how to fix it
    #[command(after_help = examples::PROJECT_CHECK)]
    Check {
        /// The project's name, or a file
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
    },
    /// Edit a project in your editor ($VISUAL or $EDITOR); it is checked before it is stored
    #[command(after_help = examples::PROJECT_EDIT)]
    Edit {
        /// The project's name, or a file
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
    },
    /// Rename a project; its history stays
    #[command(after_help = examples::PROJECT_RENAME)]
    Rename {
        /// The project's name
        #[arg(value_name = "PROJECT")]
        project: String,
        /// The new name
        #[arg(value_name = "NAME", value_parser = name)]
        new: String,
    },
    /// Make a new project with the settings of another, without its history
    #[command(after_help = examples::PROJECT_COPY)]
    Copy {
        /// The project's name, or a file
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
        /// The name of the new project
        #[arg(value_name = "NAME", value_parser = name)]
        new: String,
    },
    /// Remove a project; what it collected stays
    #[command(after_help = examples::PROJECT_REMOVE)]
    Remove(RemoveProject),
    /// Store a project file in the data folder
    #[command(after_help = examples::PROJECT_IMPORT)]
    Import {
        /// The project file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Replace the project of that name; its history stays
        #[arg(long)]
        replace: bool,
    },
    /// Write a project to a file
    #[command(after_help = examples::PROJECT_EXPORT)]
    Export {
        /// The project's name, or a file
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
        /// The file to write [default: print it]
        file: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long)]
        replace: bool,
    },
}

#[derive(Args)]
pub(crate) struct NewProject {
    /// Where to begin (web sites, folders, file and news servers); you can put a name before it
    #[arg(required = true, value_name = "[NAME] URL")]
    pub(crate) what: Vec<String>,
    /// Look at the site, and ask what you want from it
    #[arg(long, short)]
    pub(crate) interactive: bool,
    /// The file to write [default: NAME.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) network: Network,
}

impl NewProject {
    /// The name, if one was given, and the addresses: a name is what stands before the first address and is none.
    pub(crate) fn read(&self) -> Result<(Option<String>, &[String]), String> {
        let (first, rest) = self.what.split_first().ok_or("an address is needed")?;
        let is_address = first.contains("://") || first.contains('/') || first.starts_with('.');
        match (is_address, rest) {
            (true, _) => Ok((None, &self.what)),
            (false, []) if first.contains('.') => Ok((None, &self.what)),
            (false, []) => Err(format!(
                "an address is needed too, for example `gleaner project new {first} https://site.example/`"
            )),
            (false, urls) => Ok((Some(name(first)?), urls)),
        }
    }
}

#[derive(Args)]
pub(crate) struct RunProject {
    /// The project's name, or a file
    #[arg(value_name = "PROJECT|FILE")]
    pub(crate) project: Given,
    #[command(flatten)]
    pub(crate) again: Again,
}

#[derive(Args)]
pub(crate) struct TryProject {
    /// The project's name, or a file
    #[arg(value_name = "PROJECT|FILE")]
    pub(crate) project: Given,
    /// Fetch no more than this many pages
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max: u64,
    /// Milliseconds between two requests to a host [default: as the project says]
    #[arg(long, value_name = "MS")]
    pub(crate) delay: Option<u64>,
    #[command(flatten)]
    pub(crate) network: Network,
}

#[derive(Args)]
pub(crate) struct ListProjects {
    /// Include removed projects, whose history is still there
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args)]
pub(crate) struct RemoveProject {
    /// The project's name
    #[arg(value_name = "PROJECT")]
    pub(crate) project: String,
    /// Remove it without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// A project: by its name in the catalog, or as a file. What ends with .toml or has a slash in it is a file.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    Name(String),
    File(PathBuf),
}

impl std::str::FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Given, String> {
        if text.is_empty() {
            return Err("a name or a file is needed".to_owned());
        }
        let is_file = text.contains('/') || text.to_lowercase().ends_with(".toml");
        Ok(if is_file {
            Given::File(PathBuf::from(text))
        } else {
            Given::Name(text.to_owned())
        })
    }
}

/// As a reference may name it: `secret:NAME`.
pub(super) fn secret_name(text: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.@/".contains(letter);
    if text.is_empty() || !text.chars().all(is_plain) {
        return Err("a name can contain letters, digits and - _ . @ /".to_owned());
    }
    Ok(text.to_owned())
}

pub(super) fn name(text: &str) -> Result<String, String> {
    match project_file::check_name(text) {
        Ok(()) => Ok(text.to_owned()),
        Err((what, help)) => Err(format!("{what}; {help}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_names_are_told_apart() {
        for (text, is_file) in [
            ("board", false),
            ("board.toml", true),
            ("./board", true),
            ("example.com:80", false),
        ] {
            let given: Given = text.parse().unwrap();
            assert_eq!(matches!(given, Given::File(_)), is_file, "{text}");
        }
    }
}
