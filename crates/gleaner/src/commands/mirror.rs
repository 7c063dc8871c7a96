//! `gleaner mirror`: a browsable copy of a collected site, from the archive. What was not collected yet is crawled first.

use super::{crawl, naming};
use crate::arguments::{Crawl, Mirror};
use crate::output::{Output, WrongUsage};
use crate::progress::Counted;
use anyhow::{Context, bail};
use gleaner_model::{GivenUrl, Project, ProjectId, RunId, Url};
use gleaner_publish::mirror::{Mirrored, Request, mirror as write_copy};
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_store::catalog::runs::RunStatus;
use gleaner_store::{Reader, StoreError};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Addresses that the copy has not and that are named at the end.
const NAMED_MAX: usize = 5;

/// What a person wants to have copied.
struct Meant {
    id: ProjectId,
    name: String,
    /// Only what lies below.
    below: Option<String>,
    starts: Vec<Url>,
}

pub(crate) fn mirror(data: &Path, arguments: Mirror, output: Output) -> anyhow::Result<ExitCode> {
    let (what, folder) = (arguments.what.clone(), arguments.folder.clone());
    let (run, is_replacing) = (arguments.run.map(RunId), arguments.replace);
    let named_max = if arguments.verbose { usize::MAX } else { NAMED_MAX };
    let reader = match Reader::open(data) {
        Ok(reader) => Some(reader),
        Err(StoreError::NoData { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut meant = find(reader.as_ref(), &what)?;
    if meant.is_none() {
        if run.is_some() {
            bail!("nothing was collected there yet, so there is no run of it: {what}");
        }
        refuse_if_named(reader.as_ref(), &what)?;
        drop(reader);
        let code = collect(data, arguments, output)?;
        let reader = Reader::open(data)?;
        meant = find(Some(&reader), &what)?;
        let is_finished = match reader.last_run()? {
            Some(run) => reader.run(run)?.status == RunStatus::Finished,
            None => false,
        };
        if meant.is_none() || !is_finished {
            return Ok(code); // The crawl has said why, and how to go on.
        }
    }
    let meant = meant.with_context(|| format!("nothing was collected there: {what}"))?;
    let reader = Reader::open(data)?;
    let run = choose_run(&reader, &meant, run, output)?;
    let request = Request {
        project: meant.id,
        name: &meant.name,
        run,
        below: meant.below.as_deref(),
        starts: &meant.starts,
        folder: &folder,
        is_replacing,
    };
    let mut shown = Counted::new(output);
    let done = write_copy(&reader, &request, &mut |done, all| shown.show(done, all))?;
    drop(shown);
    tell(&done, &request, named_max, output)
}

/// The project and the part of it that are meant; none where nothing was collected from a URL.
fn find(reader: Option<&Reader>, what: &GivenUrl) -> anyhow::Result<Option<Meant>> {
    if let Some(reader) = reader
        && let Some((id, project)) = reader.find_project(what.exposed())?
    {
        if reader.last_run_of(id)?.is_none() {
            bail!("nothing was collected yet, begin with `gleaner track {what}`: {what}");
        }
        return Ok(Some(whole(id, &project)));
    }
    let url = crawl::read_seed(what.exposed()).map_err(|error| {
        let known = reader
            .and_then(|reader| reader.projects().ok())
            .unwrap_or_default();
        if known.is_empty() || Url::from_user(what.exposed()).is_ok() {
            return error;
        }
        let known = known.join(", ");
        WrongUsage(format!(
            "neither a URL nor a project (there are: {known}): {what}"
        ))
        .into()
    })?;
    let Some(reader) = reader else { return Ok(None) };
    if let Some((id, project)) = project_from(reader, &url)? {
        return Ok(Some(whole(id, &project)));
    }
    for below in folders_of(&url) {
        if let Some(&id) = reader.projects_under(&below)?.first() {
            return Ok(Some(Meant {
                id,
                name: reader.project(id)?.name,
                below: Some(below),
                starts: vec![url],
            }));
        }
    }
    Ok(None)
}

fn whole(id: ProjectId, project: &Project) -> Meant {
    let starts = gleaner_run::way::homes(project).unwrap_or_default();
    Meant {
        id,
        name: project.name.clone(),
        below: None,
        starts,
    }
}

/// The project that begins at this URL; where several do, the one that ran last.
fn project_from(reader: &Reader, url: &Url) -> anyhow::Result<Option<(ProjectId, Project)>> {
    let mut found = Vec::new();
    for name in reader.projects()? {
        if let Some((id, project)) = reader.find_project(&name)?
            && whole(id, &project).starts.contains(url)
            && let Some(run) = reader.last_run_of(id)?
        {
            found.push((run, id, project));
        }
    }
    let newest = found.into_iter().max_by_key(|(run, ..)| *run);
    Ok(newest.map(|(_, id, project)| (id, project)))
}

/// The folders that a URL can mean, the smallest first: `/a` may be one itself.
fn folders_of(url: &Url) -> Vec<String> {
    let path = format!("{}{}", url.origin(), url.path());
    let end = path.rfind('/').map_or(path.len(), |at| at + 1);
    let around = path[..end].to_owned();
    if around.len() == path.len() {
        vec![around]
    } else {
        vec![format!("{path}/"), around]
    }
}

/// A crawl goes by the name of its host: it must not take the place of another project's settings.
fn refuse_if_named(reader: Option<&Reader>, what: &GivenUrl) -> anyhow::Result<()> {
    let Some(reader) = reader else { return Ok(()) };
    let name = naming::name_of(&crawl::read_seed(what.exposed())?);
    if reader.find_project(&name)?.is_some() {
        bail!(
            "the project {name} has collected nothing there; crawl it under a name of its own first, with `gleaner crawl --name`: {what}"
        );
    }
    Ok(())
}

fn collect(data: &Path, arguments: Mirror, output: Output) -> anyhow::Result<ExitCode> {
    output.say(&format!(
        "nothing was collected there yet, crawling it first: {}",
        arguments.what
    ));
    let crawl = Crawl {
        urls: vec![arguments.what],
        input: Vec::new(),
        name: None,
        telling: output.telling,
        what: arguments.collect,
        manners: arguments.manners,
        network: arguments.network,
    };
    crawl::crawl(data, &crawl, output)
}

fn choose_run(reader: &Reader, meant: &Meant, given: Option<RunId>, output: Output) -> anyhow::Result<RunId> {
    let run = match given {
        Some(run) => run,
        None => reader
            .last_run_of(meant.id)?
            .with_context(|| format!("nothing was collected yet: {}", meant.name))?,
    };
    let row = reader.run(run)?;
    if row.project != meant.id {
        bail!(
            "run {run} is one of {}; `gleaner runs` lists those of {}",
            row.project_name,
            meant.name
        );
    }
    if row.status != RunStatus::Finished {
        output.say(&format!(
            "run {run} is not finished, the copy shows what it found so far"
        ));
    }
    Ok(run)
}

fn tell(
    done: &Mirrored,
    request: &Request<'_>,
    named_max: usize,
    output: Output,
) -> anyhow::Result<ExitCode> {
    for (url, why) in &done.failed {
        output.say(&format!(
            "not copied, {}; `gleaner verify` tells more: {}",
            safe(why),
            safe(url)
        ));
    }
    if done.lost > 0 {
        output.say(&format!(
            "{} whose bytes are lost not copied; the next track fetches them again",
            time::count(done.lost, "document")
        ));
    }
    if !done.missing.is_empty() {
        let addresses = match done.missing.len() {
            1 => "1 address of the site itself is".to_owned(),
            many => format!("{many} addresses of the site itself are"),
        };
        output.say(&format!(
            "{addresses} linked but not in the copy; these links lead to the web:"
        ));
        for url in done.missing.iter().take(named_max) {
            output.say(&format!("  {}", safe(url)));
        }
        if done.missing.len() > named_max {
            let more = done.missing.len() - named_max;
            output.say(&format!("  and {more} more (--verbose or --json name all)"));
        }
    }
    let start = std::path::absolute(request.folder.join(&done.start))?;
    let mut out = output.writer();
    if output.json {
        let failed: Vec<_> = done
            .failed
            .iter()
            .map(|(url, why)| json!({ "url": url, "why": why }))
            .collect();
        let summary = json!({
            "project": request.name, "run": request.run, "below": request.below,
            "folder": request.folder.display().to_string(), "start": start.display().to_string(),
            "written": done.written, "unchanged": done.unchanged, "removed": done.removed,
            "links_inside": done.links_inside, "links_outside": done.links_outside,
            "lost": done.lost, "failed": failed, "missing": done.missing,
        });
        writeln!(out, "{summary}")?;
    } else {
        writeln!(
            out,
            "{} as of run {}: {} written, {} unchanged, {} removed; {} rewritten, {} left to the web",
            safe(request.below.unwrap_or(request.name)),
            request.run,
            time::count(done.written, "file"),
            done.unchanged,
            done.removed,
            time::count(done.links_inside, "link"),
            done.links_outside,
        )?;
        writeln!(out, "begin with: {}", start.display())?;
    }
    out.flush()?;
    Ok(if done.failed.is_empty() && done.lost == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}
