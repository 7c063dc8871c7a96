//! `gleaner mirror`: a browsable copy of a collected site, from the archive. What was not collected yet is crawled first.

mod missing;

use super::{crawl, naming};
use crate::arguments::{Crawl, Mirror};
use crate::output::{Output, WrongUsage};
use crate::progress::Counted;
use anyhow::{Context, bail};
use gleaner_model::{GivenUrl, Project, ProjectId, RunId, Url};
use gleaner_publish::mirror::{MirrorRequest, Mirrored, mirror as write_copy};
use gleaner_publish::mirror::{Requisite, missing_requisites};
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_store::runs::RunStatus;
use gleaner_store::{Ledger, StoreError, ledger};
use serde_json::json;
use std::collections::HashSet;
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
    let is_fetching = arguments.fetch_missing;
    if is_fetching && run.is_some() {
        bail!(WrongUsage(
            "--fetch-missing fetches what the pages show today, so it cannot be used with --run".to_owned()
        ));
    }
    let named_max = if arguments.verbose { usize::MAX } else { NAMED_MAX };
    let reader = match ledger::open(data) {
        Ok(reader) => Some(reader),
        Err(StoreError::NoData { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let mut meant = find(reader.as_deref(), &what)?;
    let (manners, network) = (arguments.manners.clone(), arguments.network.clone());
    let given = arguments.given.clone();
    let mut fetches = is_fetching;
    if let Some(meant) = &meant {
        say_unused(&meant.name, &arguments, output);
    } else {
        if run.is_some() {
            bail!("nothing was collected there yet, so it has no runs: {what}");
        }
        refuse_if_named(reader.as_deref(), &what)?;
        drop(reader);
        // Whoever says what to collect gets just that.
        fetches |= !arguments
            .given
            .iter()
            .any(|name| name == "--types" || name == "--scope");
        let code = collect(data, arguments, output)?;
        let reader = ledger::open(data)?;
        meant = find(Some(&*reader), &what)?;
        let is_finished = match reader.last_run()? {
            Some(run) => reader.run(run)?.status == RunStatus::Finished,
            None => false,
        };
        if meant.is_none() || !is_finished {
            return Ok(code); // The crawl has said why, and how to go on.
        }
    }
    let meant = meant.with_context(|| format!("nothing was collected there: {what}"))?;
    if fetches {
        missing::fetch(data, &meant.name, (&manners, &given), network, output)?;
    }
    let reader = ledger::open(data)?;
    let run = choose_run(&*reader, &meant, run, output)?;
    let request = MirrorRequest {
        project: meant.id,
        name: &meant.name,
        run,
        below: meant.below.as_deref(),
        starts: &meant.starts,
        folder: &folder,
        is_replacing,
    };
    let mut shown = Counted::new(output);
    let done = write_copy(&*reader, &request, &mut |done, all| shown.show(done, all))?;
    drop(shown);
    let parts = if reader.last_run_of(meant.id)? == Some(run) {
        missing_requisites(&*reader, meant.id)?
    } else {
        Vec::new() // What an older copy lacks cannot be fetched any more.
    };
    tell(&done, &request, &parts, is_fetching, named_max, output)
}

/// Options that count for a crawl are of no use where nothing is crawled; whoever gave them should know.
fn say_unused(name: &str, arguments: &Mirror, output: Output) {
    let of_the_run = |option: &&String| !arguments.fetch_missing || missing::is_unused(option);
    let unused: Vec<&str> = (arguments.given.iter().filter(of_the_run))
        .map(String::as_str)
        .collect();
    let (Some(last), rest) = (unused.last(), unused.len().saturating_sub(1)) else {
        return;
    };
    let (options, are) = match rest {
        0 => ((*last).to_owned(), "is"),
        rest => (format!("{} and {last}", unused[..rest].join(", ")), "are"),
    };
    output.say(&format!(
        "{options} {are} ignored: {name} was collected before, and the copy shows what is there. `gleaner crawl --name {name}` \
         collects with other settings, and --fetch-missing fetches what the pages show"
    ));
}

/// The project and the part of it that are meant; none where nothing was collected from a URL.
fn find(reader: Option<&dyn Ledger>, what: &GivenUrl) -> anyhow::Result<Option<Meant>> {
    if let Some(reader) = reader
        && let Some((id, project)) = reader.find_project(what.exposed())?
    {
        if reader.last_run_of(id)?.is_none() {
            bail!("nothing was collected yet; begin with `gleaner track {what}`: {what}");
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
fn project_from(reader: &dyn Ledger, url: &Url) -> anyhow::Result<Option<(ProjectId, Project)>> {
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
fn refuse_if_named(reader: Option<&dyn Ledger>, what: &GivenUrl) -> anyhow::Result<()> {
    let Some(reader) = reader else { return Ok(()) };
    let name = naming::name_of(&crawl::read_seed(what.exposed())?);
    if reader.find_project(&name)?.is_some() {
        bail!(
            "the project {name} has collected nothing there; first crawl it as a project of its own, with `gleaner crawl --name`: {what}"
        );
    }
    Ok(())
}

fn collect(data: &Path, arguments: Mirror, output: Output) -> anyhow::Result<ExitCode> {
    output.say(&format!(
        "nothing was collected there yet; crawling it first: {}",
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

fn choose_run(
    reader: &dyn Ledger,
    meant: &Meant,
    given: Option<RunId>,
    output: Output,
) -> anyhow::Result<RunId> {
    let run = match given {
        Some(run) => run,
        None => reader
            .last_run_of(meant.id)?
            .with_context(|| format!("nothing was collected yet: {}", meant.name))?,
    };
    let row = reader.run(run)?;
    if row.project != meant.id {
        bail!(
            "run {run} belongs to {}; `gleaner runs` lists the runs of {}",
            row.project_name,
            meant.name
        );
    }
    if row.status != RunStatus::Finished {
        output.say(&format!(
            "run {run} is not finished; the copy shows what it has found so far"
        ));
    }
    Ok(run)
}

fn tell(
    done: &Mirrored,
    request: &MirrorRequest<'_>,
    parts: &[Requisite],
    was_fetched: bool,
    named_max: usize,
    output: Output,
) -> anyhow::Result<ExitCode> {
    for (url, why) in &done.failed {
        output.say(&format!(
            "not copied, {}; `gleaner verify` says more: {}",
            safe(why),
            safe(url)
        ));
    }
    if done.lost > 0 {
        output.say(&format!(
            "{} not copied because the bytes are lost; the next track fetches them again",
            time::count(done.lost, "document")
        ));
    }
    if !done.pruned.is_empty() {
        let were = if done.pruned.len() == 1 { "was" } else { "were" };
        output.say(&format!(
            "{} of run {} {were} removed by `gleaner prune` and not copied:",
            time::count(done.pruned.len() as u64, "document"),
            request.run
        ));
        name_some(&done.pruned, named_max, output);
    }
    if !parts.is_empty() {
        let urls: Vec<String> = parts.iter().map(|one| one.url.clone()).collect();
        let what = missing::counted(parts);
        if was_fetched {
            output.say(&format!("{what} that the pages show could not be fetched:"));
        } else {
            output.say(&format!(
                "{what} that the pages show were not collected, so the copy looks different; run the same command with \
                 --fetch-missing to fetch them first:"
            ));
        }
        name_some(&urls, named_max, output);
    }
    let parts_named: HashSet<&str> = parts.iter().map(|part| part.url.as_str()).collect();
    let mut others = done.missing.clone();
    others.retain(|url| !parts_named.contains(url.as_str()));
    if !others.is_empty() {
        let addresses = match others.len() {
            1 => "1 address of the site itself is".to_owned(),
            many => format!("{many} addresses of the site itself are"),
        };
        output.say(&format!(
            "{addresses} linked but not in the copy; these links lead to the web:"
        ));
        name_some(&others, named_max, output);
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
            "lost": done.lost, "failed": failed, "missing": done.missing, "pruned": done.pruned,
            "not_collected": parts.iter().map(|one| &one.url).collect::<Vec<_>>(),
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
        writeln!(out, "open: {}", start.display())?;
    }
    out.flush()?;
    Ok(if done.failed.is_empty() && done.lost == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// The first of many addresses.
fn name_some(urls: &[String], named_max: usize, output: Output) {
    for url in urls.iter().take(named_max) {
        output.say(&format!("  {}", safe(url)));
    }
    if urls.len() > named_max {
        let more = urls.len() - named_max;
        output.say(&format!("  and {more} more (--verbose and --json list all)"));
    }
}
