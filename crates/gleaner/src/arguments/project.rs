//! What can be said to `gleaner project`.

use super::{Again, Network};
use clap::{Args, Subcommand};
use gleaner_settings::project_file;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Project {
    /// Write a project file to begin with, every setting explained
    New(Box<NewProject>),
    /// Collect what a project says, or look again at what it has; a file is kept in the catalog first
    Run(Box<RunProject>),
    /// Look what a project would collect, and store nothing: the pages, what each rule decided, the forms as they are filled
    Try(Box<TryProject>),
    /// List the projects
    List(ListProjects),
    /// Show a project as a file
    Show {
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
    },
    /// Find every mistake in a project, with line and column and what would be right
    Check {
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
    },
    /// Change a project in your editor ($VISUAL or $EDITOR); it is checked before it is kept
    Edit {
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
    },
    /// Give a project another name; its history comes with it
    Rename {
        #[arg(value_name = "PROJECT")]
        project: String,
        #[arg(value_parser = name)]
        new: String,
    },
    /// Make a new project with the settings of another, without its history
    Copy {
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
        #[arg(value_parser = name)]
        new: String,
    },
    /// Remove a project; what it collected stays
    Remove(RemoveProject),
    /// Keep a project file in the catalog
    Import {
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Put it in the place of a project of that name; its history stays
        #[arg(long)]
        replace: bool,
    },
    /// Write a project as a file
    Export {
        #[arg(value_name = "PROJECT|FILE")]
        project: Given,
        /// Where to [default: the output]
        file: Option<PathBuf>,
        /// Also over a file that is there
        #[arg(long)]
        replace: bool,
    },
}

#[derive(Args)]
pub(crate) struct NewProject {
    /// The project's name, if you like, and where to begin: web sites, folders, file and news servers; several are possible
    #[arg(required = true, value_name = "[NAME] URL")]
    pub(crate) what: Vec<String>,
    /// Look at the site and ask what you want of it
    #[arg(long, short)]
    pub(crate) interactive: bool,
    /// Where to write it [default: NAME.toml]
    #[arg(long)]
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
                "an address is needed too, as `gleaner project new {first} https://site.example/`"
            )),
            (false, urls) => Ok((Some(name(first)?), urls)),
        }
    }
}

#[derive(Args)]
pub(crate) struct RunProject {
    #[arg(value_name = "PROJECT|FILE")]
    pub(crate) project: Given,
    #[command(flatten)]
    pub(crate) again: Again,
}

#[derive(Args)]
pub(crate) struct TryProject {
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
    /// Removed ones too, whose history is still there
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args)]
pub(crate) struct RemoveProject {
    #[arg(value_name = "PROJECT")]
    pub(crate) project: String,
    /// Do not ask
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
        return Err("a name of letters, digits and - _ . @ / is needed".to_owned());
    }
    Ok(text.to_owned())
}

fn name(text: &str) -> Result<String, String> {
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
