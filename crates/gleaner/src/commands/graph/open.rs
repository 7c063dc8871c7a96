//! Whose links are meant? From the arguments to a graph, with what must be said about it.

use crate::arguments::{KindsArgument, WhichLinks};
use crate::output::Output;
use anyhow::Context;
use gleaner_model::{LinkKind, ProjectId, RunId, Url};
use gleaner_publish::graph::{GraphError, LinkChoice, Made, Structure, open as open_kept, read_edges};
use gleaner_publish::text::safe;
use gleaner_publish::time::count;
use gleaner_store::ledger::Extent;
use gleaner_store::runs::RunStatus;
use gleaner_store::{Ledger, ledger};
use std::collections::BTreeMap;
use std::path::Path;

/// A graph with where it is from.
pub(super) struct Whole {
    pub(super) structure: Structure,
    /// None for a list of links of others.
    pub(super) reader: Option<Box<dyn Ledger>>,
    pub(super) extent: Extent,
    pub(super) file_bytes: u64,
}

impl Whole {
    /// Where the projects begin: such pages need no link to them.
    pub(super) fn starts(&self) -> anyhow::Result<Vec<String>> {
        let Some(reader) = &self.reader else {
            return Ok(Vec::new());
        };
        let mut starts = Vec::new();
        let projects = if self.extent.projects.is_empty() {
            let named = reader.projects()?.into_iter();
            named
                .filter_map(|name| reader.find_project(&name).transpose())
                .map(|found| found.map(|(_, project)| project))
                .collect::<Result<Vec<_>, _>>()?
        } else {
            let ids = self.extent.projects.iter();
            ids.map(|id| reader.project(*id)).collect::<Result<_, _>>()?
        };
        for project in projects {
            starts.extend(
                project
                    .seeds
                    .iter()
                    .filter_map(|seed| Url::from_user(seed).ok())
                    .map(|url| url.as_str().to_owned()),
            );
        }
        Ok(starts)
    }
}

pub(super) fn choice_of(kinds: &[KindsArgument], no_nofollow: bool) -> LinkChoice {
    let mut choice = LinkChoice {
        with_nofollow: !no_nofollow,
        ..LinkChoice::default()
    };
    if kinds.contains(&KindsArgument::All) {
        choice.kinds = LinkKind::ALL.to_vec();
    } else if !kinds.is_empty() {
        choice.kinds = kinds
            .iter()
            .filter_map(|kind| match kind {
                KindsArgument::One(kind) => Some(*kind),
                KindsArgument::All => None,
            })
            .collect();
    }
    choice
}

/// The graph that is asked for. One without any link is refused: there is nothing to say about it.
pub(super) fn open(data: &Path, which: &WhichLinks, output: Output) -> anyhow::Result<Whole> {
    if let Some(file) = &which.edges {
        let read = read_edges(file)?;
        if read.broken > 0 {
            let named: Vec<String> = read
                .broken_lines
                .iter()
                .map(|broken| format!("line {} ({})", broken.line, broken.why))
                .collect();
            let more = if read.broken > named.len() as u64 {
                ", …"
            } else {
                ""
            };
            output.say(&format!(
                "{} skipped that {}: {}{more}",
                count(read.broken, "line"),
                if read.broken == 1 {
                    "is not a link"
                } else {
                    "are not links"
                },
                named.join(", ")
            ));
        }
        return Ok(Whole {
            structure: read.structure,
            reader: None,
            extent: Extent {
                projects: Vec::new(),
                run: None,
            },
            file_bytes: 0,
        });
    }
    let reader = ledger::open(data)?;
    let projects = which
        .project
        .iter()
        .map(|name| {
            let found = reader.find_project(name)?;
            let (id, _) = found.with_context(|| {
                format!("there is no such project; `gleaner project list` lists all: {name}")
            })?;
            Ok(id)
        })
        .collect::<anyhow::Result<Vec<ProjectId>>>()?;
    if let Some(run) = which.run {
        let (project, name) = project_of_run(&*reader, run)?;
        anyhow::ensure!(
            projects.is_empty() || projects.contains(&project),
            "run {run} belongs to another project: {}",
            safe(&name)
        );
        say_if_cut_short(&*reader, run, output)?;
    } else {
        // As it is now: the newest run of each project decides what is there.
        let mut newest: BTreeMap<ProjectId, i64> = BTreeMap::new();
        for run in reader.runs()? {
            if projects.is_empty() || projects.contains(&run.project) {
                let last = newest.entry(run.project).or_default();
                *last = run.id.0.max(*last);
            }
        }
        for run in newest.into_values() {
            say_if_cut_short(&*reader, run, output)?;
        }
    }
    let extent = Extent {
        projects,
        run: which.run.map(RunId),
    };
    let choice = choice_of(&which.kinds, which.no_nofollow);
    let what = if which.project.is_empty() {
        "all projects".to_owned()
    } else {
        which.project.join(", ")
    };
    let opened = open_kept(data, &*reader, &extent, &choice, &what)?;
    say_how_it_came(&opened.made, output);
    let structure = opened.structure;
    if structure.graph.links() == 0 {
        return Err(no_links(&structure, which).into());
    }
    Ok(Whole {
        structure,
        reader: Some(reader),
        extent,
        file_bytes: opened.file_bytes,
    })
}

/// Why there is nothing to look at, as far as it is known.
fn no_links(structure: &Structure, which: &WhichLinks) -> GraphError {
    let pages = count(structure.graph.nodes() as u64, "page");
    let selves = structure.graph.self_links().len() as u64;
    let mut what = match structure.graph.nodes() {
        0 => "nothing was collected".to_owned(),
        _ if selves > 0 => format!(
            "{pages}, and {} only to themselves",
            if selves == 1 {
                "it links".to_owned()
            } else {
                format!("{selves} of them link")
            }
        ),
        _ => format!("{pages} and none links to another"),
    };
    if !which.kinds.is_empty() || which.no_nofollow {
        what.push_str(" (by links of the chosen kinds)");
    }
    if let Some(run) = which.run {
        what = format!("{what} up to run {run}");
    }
    if !which.project.is_empty() {
        what = format!("{what} in {}", which.project.join(", "));
    }
    GraphError::NoLinks { what }
}

fn say_how_it_came(made: &Made, output: Output) {
    if !matches!(made, Made::FromFile | Made::First) {
        output.say(&made.to_string());
    }
}

fn say_if_cut_short(reader: &dyn Ledger, run: i64, output: Output) -> anyhow::Result<()> {
    let status = reader.run(RunId(run))?.status;
    if status != RunStatus::Finished {
        output.say(&format!(
            "run {run} is not finished ({}), so the graph shows what it has found so far",
            status.as_str()
        ));
    }
    Ok(())
}

/// The project of a run, by number and name.
pub(super) fn project_of_run(reader: &dyn Ledger, run: i64) -> anyhow::Result<(ProjectId, String)> {
    let row = reader.run(RunId(run))?;
    let (project, _) = reader.run_settings(RunId(run))?;
    Ok((project, row.project_name))
}

/// A project's graph as of a run.
pub(super) fn open_run(
    data: &Path,
    reader: &dyn Ledger,
    project: ProjectId,
    run: i64,
    choice: &LinkChoice,
    name: &str,
    output: Output,
) -> anyhow::Result<Structure> {
    say_if_cut_short(reader, run, output)?;
    let extent = Extent {
        projects: vec![project],
        run: Some(RunId(run)),
    };
    let opened = open_kept(data, reader, &extent, choice, name)?;
    say_how_it_came(&opened.made, output);
    Ok(opened.structure)
}
