//! `gleaner crawl`, `track` and `resume`: from arguments to a run.

use super::company::Company;
use super::engine::{Job, LeftBehind, work, work_on_left_behind};
use super::given;
pub(crate) use super::given::seed as read_seed;
use super::naming::{default_name, name_of, refuse_other_seeds};
use super::network::check_network;
use super::secrets;
use crate::arguments::{Again, Crawl, Network, Resume, Track, type_groups};
use crate::output::{Output, WrongUsage};
use anyhow::{Context, bail};
use gleaner_frontier::{FileNames, RuleError};
use gleaner_model::project::{PatternKind, Rule, RuleAction};
use gleaner_model::{Project, ProjectId, RunId, ScopeKind, Url};
use gleaner_publish::time;
use gleaner_store::runs::Runs as _;
use gleaner_store::runs::{RunKind, RunStatus};
use gleaner_store::tracking::Tracking as _;
use gleaner_store::{DataFolder, Ledger, SqliteStore, Store as _, ledger, wait};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

pub(crate) const SOFTWARE: &str = concat!("gleaner/", env!("CARGO_PKG_VERSION"));

pub(crate) fn crawl(data: &Path, arguments: &Crawl, output: Output) -> anyhow::Result<ExitCode> {
    let output = Output {
        telling: arguments.telling,
        ..output
    };
    let given = given::read(&arguments.urls, &arguments.input, output)?;
    let seeds = given.seeds;
    let mut project = project(arguments, &seeds);
    FileNames::of(&project).map_err(|error| WrongUsage(error.to_string()))?;
    gleaner_frontier::Rules::compile(&project.rules).map_err(|errors| WrongUsage(wrong_patterns(&errors)))?;
    check_network(&arguments.network)?;
    check_equality(&project.equality)?;
    let company = Company::of(1);
    let clock = &company.clock;
    let store = open(data, output)?;
    if arguments.name.is_none() {
        project.name = match given.list {
            Some(list) => list,
            None => default_name(&store, &project, &seeds[0])?,
        };
    }
    refuse_other_seeds(&store, &project)?;
    let id = wait(store.project(project.clone(), clock.wall()))?;
    run_of(store, id, &project, &arguments.network, &company, output)
}

/// They were typed as options, so nothing is said of rules and their numbers.
fn wrong_patterns(errors: &[RuleError]) -> String {
    let told = errors.iter().map(|error| match error {
        RuleError::Malformed { why, pattern, .. } => format!(
            "--allow and --deny take regular expressions ({why}); for file names there are -A and -R: {pattern}"
        ),
        other => other.to_string(),
    });
    told.collect::<Vec<_>>().join("; ")
}

pub(crate) fn track(data: &Path, arguments: &Track, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?; // Tracking makes no new folder.
    if arguments.all {
        drop(reader);
        return super::track_all::track_all(data, &arguments.again, output);
    }
    let name = match &arguments.project {
        Some(name) => name.clone(),
        None => only_project(&*reader)?,
    };
    drop(reader);
    again(data, &name, None, &arguments.again, output)
}

/// Runs a project of the catalog; `new` takes its place there first.
pub(super) fn again(
    data: &Path,
    name: &str,
    new: Option<&Project>,
    how: &Again,
    output: Output,
) -> anyhow::Result<ExitCode> {
    check_network(&how.network)?;
    let output = Output {
        telling: how.telling,
        ..output
    };
    let store = open(data, output)?;
    in_company(store, name, new, how, &Company::of(1), output)
}

/// The same beside other runs.
pub(super) fn in_company(
    store: SqliteStore,
    name: &str,
    new: Option<&Project>,
    how: &Again,
    company: &Company,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let clock = &company.clock;
    if let Some(project) = new {
        refuse_other_seeds(&store, project)?;
        wait(store.project(project.clone(), clock.wall()))?;
    }
    let Some((id, mut project)) = wait(store.find_project(name.to_owned()))? else {
        let known = store.reader()?.projects()?.join(", ");
        bail!("there is no such project (there are: {known}): {name}");
    };
    if let Some(equality) = &how.equality {
        check_equality(equality)?;
        project.equality.clone_from(equality);
        wait(store.project(project.clone(), clock.wall()))?;
    }
    if let Some(verify) = how.verify_content {
        project.verify_content = verify.into();
    }
    project.document_links &= !how.no_document_links;
    project.script_links &= !how.no_script_links;
    if let Some(lastmod) = how.lastmod {
        project.lastmod = lastmod.into();
    }
    // What follows holds for this run alone.
    project.believes_empty = how.believe_empty;
    project.allow_private |= how.network.allow_private;
    project.pages_max = how.max_pages.or(project.pages_max);
    project.bytes_max = how.max_bytes.or(project.bytes_max);
    project.seconds_max = how.max_time.or(project.seconds_max);
    project.concurrency = how.concurrency.unwrap_or(project.concurrency);
    project.per_host = how.per_host.unwrap_or(project.per_host);
    project.delay_ms = how.delay.unwrap_or(project.delay_ms);
    project.bandwidth_bytes_per_s = how.bandwidth.or(project.bandwidth_bytes_per_s);
    project.tries_max = how.tries.unwrap_or(project.tries_max).max(1);
    run_of(store, id, &project, &how.network, company, output)
}

/// The project's unfinished run, and where it had nothing left to ask or there is none, a new one: the first collects,
/// every other one tracks.
fn run_of(
    mut store: SqliteStore,
    id: ProjectId,
    project: &Project,
    network: &Network,
    company: &Company,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let secrets = secrets::reader(store.root());
    let job = |run| {
        let secrets = Arc::clone(&secrets);
        Job::new((id, run), project, network, company.clone(), secrets, output)
    };
    // More than one only where several were left behind.
    while let Some(run) = wait(store.unfinished_run(Some(id)))? {
        output.note(&format!(
            "continuing run {run} of {}, which was not finished",
            project.name
        ));
        wait(store.set_run_settings(run, project.clone()))?;
        wait(store.set_running(run))?;
        store = match work_on_left_behind(store, &job(run)) {
            LeftBehind::Worked(code) => return Ok(code),
            LeftBehind::Idle(store) => store,
        };
    }
    let kind = if wait(store.has_documents(id))? {
        RunKind::Track
    } else {
        RunKind::Crawl
    };
    let now = company.clock.wall();
    let run = wait(store.start_run(id, project.clone(), kind, now))?;
    Ok(work(store, &job(run)))
}

pub(crate) fn only_project(reader: &dyn Ledger) -> anyhow::Result<String> {
    let mut names = reader.projects()?;
    match (names.pop(), names.is_empty()) {
        (Some(name), true) => Ok(name),
        (Some(last), false) => Err(WrongUsage(format!(
            "there are several projects; name one of them: {}, {last}",
            names.join(", ")
        ))
        .into()),
        (None, _) => bail!("there is no project yet; begin with `gleaner crawl URL`"),
    }
}

fn check_equality(text: &str) -> anyhow::Result<()> {
    let judging = gleaner_history::compare::Judging::parse(text);
    judging.map_err(|why| WrongUsage(why.to_string()))?;
    Ok(())
}

pub(crate) fn resume(data: &Path, arguments: &Resume, output: Output) -> anyhow::Result<ExitCode> {
    check_network(&arguments.network)?;
    let output = Output {
        telling: arguments.telling,
        ..output
    };
    ledger::open(data)?; // Resuming makes no new folder.
    let store = open(data, output)?;
    let run = match arguments.run {
        Some(run) => RunId(run),
        None => wait(store.unfinished_run(None))?
            .context("there is no unfinished run; `gleaner runs` lists all")?,
    };
    let row = wait(store.run_row(run))?;
    if matches!(row.status, RunStatus::Finished) {
        bail!("this run has already finished; crawl or track again to start a new one: {run}");
    }
    let (id, mut project) = wait(store.run_settings(run))?;
    project.allow_private |= arguments.network.allow_private;
    wait(store.set_running(run))?;
    let secrets = secrets::reader(data);
    let job = Job::new(
        (id, run),
        &project,
        &arguments.network,
        Company::of(1),
        secrets,
        output,
    );
    Ok(work(store, &job))
}

pub(crate) fn open(data: &Path, output: Output) -> anyhow::Result<SqliteStore> {
    let folder = DataFolder::open(data)?;
    let worker = std::env::var("GLEANER_WORKER").unwrap_or_else(|_| "local".to_owned());
    let store = SqliteStore::open(folder, &worker, SOFTWARE)?;
    let recovered = store.recovered();
    if recovered.bytes_cut > 0 || recovered.files_removed > 0 {
        output.say(&format!(
            "the last run was cut off in the middle of a write; {} that nothing refers to were removed",
            time::size(recovered.bytes_cut)
        ));
    }
    Ok(store)
}

fn project(arguments: &Crawl, seeds: &[Url]) -> Project {
    let (what, manners) = (&arguments.what, &arguments.manners);
    let name = arguments.name.clone().unwrap_or_else(|| name_of(&seeds[0]));
    // A file server is taken from the folder that was named downwards.
    let scope = match what.scope.into() {
        ScopeKind::Host if seeds.iter().all(|seed| !seed.is_web()) => ScopeKind::Subtree,
        scope => scope,
    };
    let rule = |action, pattern: &String| Rule {
        action,
        pattern_kind: PatternKind::Regex,
        pattern: pattern.clone(),
        note: String::new(),
    };
    let rules = what
        .deny
        .iter()
        .map(|p| rule(RuleAction::Deny, p))
        .chain(what.allow.iter().map(|p| rule(RuleAction::Allow, p)));
    Project {
        scope,
        rules: rules.collect(),
        types: type_groups(&what.types),
        sitemaps: what.sitemaps.into(),
        depth_max: what.depth,
        pages_max: what.max_pages,
        pages_per_host_max: what.max_pages_per_host,
        bytes_max: what.max_bytes,
        seconds_max: what.max_time,
        body_bytes_max: what.max_body,
        concurrency: manners.concurrency,
        per_host: manners.per_host,
        delay_ms: manners.delay,
        bandwidth_bytes_per_s: manners.bandwidth,
        user_agent: user_agent(manners.user_agent.as_deref(), manners.contact.as_deref()),
        obey_robots: !manners.ignore_robots,
        allow_private: arguments.network.allow_private,
        tries_max: manners.tries.max(1),
        equality: what.equality.clone().unwrap_or_default(),
        retention: what.keep,
        verify_content: what.verify_content.into(),
        lastmod: what.lastmod.into(),
        document_links: !what.no_document_links,
        requisites: what.requisites,
        accept: what.accept.clone(),
        reject: what.reject.clone(),
        script_links: !what.no_script_links,
        ..Project::new(&name, seeds.to_vec())
    }
}

fn user_agent(given: Option<&str>, contact: Option<&str>) -> String {
    match (given, contact) {
        (Some(given), _) => given.to_owned(),
        (None, Some(contact)) => format!("{SOFTWARE} (+{contact})"),
        (None, None) => SOFTWARE.to_owned(),
    }
}
