//! `gleaner crawl` and `gleaner resume`: from arguments to a run, and from a run to its summary.

use super::nothing;
use crate::arguments::{Crawl, Network, Resume, Track, type_groups};
use crate::output::{Output, WrongUsage};
use crate::progress::Display;
use anyhow::{Context, bail};
use gleaner_model::chance::SplitMix;
use gleaner_model::clock::SystemClock;
use gleaner_model::project::{PatternKind, Rule, RuleAction};
use gleaner_model::{Clock, Project, ProjectId, RunId, ScopeKind, Url, defaults};
use gleaner_publish::report::safe;
use gleaner_publish::{listing, time};
use gleaner_run::{Ended, Progress, Surroundings};
use gleaner_store::catalog::runs::{RunKind, RunStatus};
use gleaner_store::{Catalog, DataFolder, Keeper, Reader};
use gleaner_units::http::ProxySettings;
use gleaner_units::net::{Login, Logins, NetSettings, Timeouts};
use gleaner_units::registry::{self, Around, Options};
use gleaner_units::{Http, HttpSettings, Net};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

const SOFTWARE: &str = concat!("gleaner/", env!("CARGO_PKG_VERSION"));

pub(crate) fn crawl(data: &Path, arguments: &Crawl, output: Output) -> anyhow::Result<ExitCode> {
    let seeds: Vec<Url> = arguments
        .urls
        .iter()
        .map(|text| read_seed(text))
        .collect::<anyhow::Result<_>>()?;
    let project = project(arguments, &seeds);
    gleaner_frontier::Rules::compile(&project.rules)
        .map_err(|errors| WrongUsage(gleaner_run::RunError::Rules(errors).to_string()))?;
    check_network(&arguments.network)?;
    check_equality(&project.equality)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let keeper = open(data, output)?;
    let id = keeper.catalog.project(&project, clock.wall())?;
    let run = begin(&keeper, id, &project, clock.as_ref(), output)?;
    work(keeper, id, run, &project, &arguments.network, &clock, output)
}

pub(crate) fn track(data: &Path, arguments: &Track, output: Output) -> anyhow::Result<ExitCode> {
    check_network(&arguments.network)?;
    let reader = Reader::open(data)?; // Tracking makes no new folder.
    let name = match &arguments.project {
        Some(name) => name.clone(),
        None => only_project(&reader)?,
    };
    let known = reader.projects()?.join(", ");
    drop(reader);
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let keeper = open(data, output)?;
    let (id, mut project) = keeper
        .catalog
        .find_project(&name)?
        .with_context(|| format!("there is no such project (there are: {known}): {name}"))?;
    if let Some(equality) = &arguments.equality {
        check_equality(equality)?;
        project.equality.clone_from(equality);
        keeper.catalog.project(&project, clock.wall())?;
    }
    if let Some(verify) = arguments.verify_content {
        project.verify_content = verify.into();
    }
    // What follows holds for this run alone.
    project.allow_private |= arguments.network.allow_private;
    project.pages_max = arguments.max_pages.or(project.pages_max);
    project.bytes_max = arguments.max_bytes.or(project.bytes_max);
    project.seconds_max = arguments.max_time.or(project.seconds_max);
    project.concurrency = arguments.concurrency.unwrap_or(project.concurrency);
    project.per_host = arguments.per_host.unwrap_or(project.per_host);
    project.delay_ms = arguments.delay.unwrap_or(project.delay_ms);
    project.bandwidth_bytes_per_s = arguments.bandwidth.or(project.bandwidth_bytes_per_s);
    project.tries_max = arguments.tries.unwrap_or(project.tries_max).max(1);
    let run = begin(&keeper, id, &project, clock.as_ref(), output)?;
    work(keeper, id, run, &project, &arguments.network, &clock, output)
}

/// The project's unfinished run, or a new one: the first collects, every other one tracks.
fn begin(
    keeper: &Keeper,
    id: ProjectId,
    project: &Project,
    clock: &dyn Clock,
    output: Output,
) -> anyhow::Result<RunId> {
    if let Some(run) = keeper.catalog.unfinished_run(Some(id))? {
        output.say(&format!(
            "going on with run {run} of {}, which was not finished",
            project.name
        ));
        keeper.catalog.set_run_settings(run, project)?;
        keeper.catalog.set_running(run)?;
        return Ok(run);
    }
    let kind = if keeper.catalog.has_documents(id)? {
        RunKind::Track
    } else {
        RunKind::Crawl
    };
    Ok(keeper.catalog.start_run(id, project, kind, clock.wall())?)
}

pub(crate) fn only_project(reader: &Reader) -> anyhow::Result<String> {
    let mut names = reader.projects()?;
    match (names.pop(), names.is_empty()) {
        (Some(name), true) => Ok(name),
        (Some(last), false) => Err(WrongUsage(format!(
            "there are several projects, name one of them: {}, {last}",
            names.join(", ")
        ))
        .into()),
        (None, _) => bail!("there is no project yet, begin with `gleaner crawl URL`"),
    }
}

fn check_equality(text: &str) -> anyhow::Result<()> {
    let judging = gleaner_run::compare::Judging::parse(text);
    judging.map_err(|why| WrongUsage(why.to_string()))?;
    Ok(())
}

fn seeds_of(project: &Project) -> Vec<Url> {
    let seeds = project.seeds.iter();
    seeds.filter_map(|seed| Url::parse(seed).ok()).collect()
}

pub(crate) fn resume(data: &Path, arguments: &Resume, output: Output) -> anyhow::Result<ExitCode> {
    check_network(&arguments.network)?;
    Reader::open(data)?; // Resuming makes no new folder.
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
    let keeper = open(data, output)?;
    let run = match arguments.run {
        Some(run) => RunId(run),
        None => keeper
            .catalog
            .unfinished_run(None)?
            .context("there is no unfinished run; `gleaner runs` lists all")?,
    };
    let row = keeper.catalog.run_row(run)?;
    if matches!(row.status, RunStatus::Finished) {
        bail!("the run is finished already, crawl again for a new one: {run}");
    }
    let (id, mut project) = keeper.catalog.run_settings(run)?;
    project.allow_private |= arguments.network.allow_private;
    keeper.catalog.set_running(run)?;
    work(keeper, id, run, &project, &arguments.network, &clock, output)
}

pub(crate) fn open(data: &Path, output: Output) -> anyhow::Result<Keeper> {
    let folder = DataFolder::open(data)?;
    let worker = std::env::var("GLEANER_WORKER").unwrap_or_else(|_| "local".to_owned());
    let keeper = Keeper::open(folder, &worker, SOFTWARE)?;
    if keeper.recovered.bytes_cut > 0 || keeper.recovered.files_removed > 0 {
        output.say(&format!(
            "the last run was cut off in the middle of a commit; {} that nothing refers to were removed",
            time::size(keeper.recovered.bytes_cut)
        ));
    }
    Ok(keeper)
}

/// Seeds carry no password: it would end up in listings of processes and in shell histories (I3).
fn read_seed(text: &str) -> anyhow::Result<Url> {
    let wrong = |why: String| Err(WrongUsage(why).into());
    if let Some(url) = local_path(text)? {
        return Ok(url);
    }
    let url = match Url::from_user(text) {
        Ok(url) => url,
        // A name without scheme and dot may still be that of a folder beside us.
        Err(error) => match local_path(&format!("./{text}")) {
            Ok(Some(url)) => return Ok(url),
            _ => return wrong(format!("cannot crawl that: {error}")),
        },
    };
    if let Ok((_, Some(_))) = Url::parse_with_credentials(text) {
        return wrong(format!(
            "a URL with a password is not taken, because others could read it in the list of processes: {url}"
        ));
    }
    Ok(url)
}

/// A folder or file of this machine, given as a path.
fn local_path(text: &str) -> anyhow::Result<Option<Url>> {
    let is_path =
        text == "." || text == ".." || ["/", "./", "../"].iter().any(|start| text.starts_with(start));
    if !is_path || text.starts_with("//") {
        return Ok(None);
    }
    let path = Path::new(text)
        .canonicalize()
        .map_err(|error| WrongUsage(format!("cannot read that ({}): {text}", error.kind())))?;
    Ok(gleaner_units::folder::url_of(&path))
}

/// What the parser of arguments cannot know to be wrong, found before anything is opened.
fn check_network(network: &Network) -> anyhow::Result<()> {
    if let Some(proxy) = &network.proxy {
        ProxySettings::parse(proxy).map_err(|error| WrongUsage(error.to_string()))?;
    }
    if let Some(path) = &network.ca_file {
        certificates(path)?;
    }
    Ok(())
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
        ..Project::new(&name, seeds.to_vec())
    }
}

/// The server's name, or for a folder of this machine its own.
fn name_of(seed: &Url) -> String {
    if !seed.authority().is_empty() {
        return seed.authority();
    }
    let path = seed.path().trim_end_matches('/');
    match path.rsplit('/').next() {
        None | Some("") => "files".to_owned(),
        Some(name) => name.to_owned(),
    }
}

fn user_agent(given: Option<&str>, contact: Option<&str>) -> String {
    match (given, contact) {
        (Some(given), _) => given.to_owned(),
        (None, Some(contact)) => format!("{SOFTWARE} (+{contact})"),
        (None, None) => SOFTWARE.to_owned(),
    }
}

fn work(
    keeper: Keeper,
    id: ProjectId,
    run: RunId,
    project: &Project,
    network: &Network,
    clock: &Arc<dyn Clock>,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let data = keeper.folder().root().to_owned();
    let done = run_to_its_end(keeper, id, run, project, network, clock, output);
    done.or_else(|error| {
        output.say(&format!(
            "run {run} could not go on; everything kept so far is safe, `gleaner resume {run}` goes on"
        ));
        mark_failed(&data, run, &error.to_string(), clock.as_ref());
        Ok(output.failure_of(&error, summary_of_failure(&data, run, project)))
    })
}

/// The run itself says that it failed, where that can still be written; it can be resumed all the same.
fn mark_failed(data: &Path, run: RunId, why: &str, clock: &dyn Clock) {
    if !gleaner_store::folder::catalog(data).is_file() {
        return; // The folder was removed: no half-made one takes its place.
    }
    let _the_message_is_out_already = DataFolder::open(data).and_then(|folder| {
        let catalog = Catalog::open(&folder.catalog())?;
        catalog.end_run(run, RunStatus::Failed, clock.wall(), Some(why))
    });
}

/// What the run had found until it failed, as far as that can still be read.
fn summary_of_failure(data: &Path, run: RunId, project: &Project) -> Value {
    let found = Reader::open(data).and_then(|reader| Ok((reader.run(run)?, reader.counts(run)?)));
    let mut summary = match found {
        Ok((row, counts)) => listing::run(&row, &counts),
        Err(_) => json!({ "project": project.name, "run": run }),
    };
    summary["status"] = RunStatus::Failed.as_str().into();
    summary
}

fn run_to_its_end(
    mut keeper: Keeper,
    id: ProjectId,
    run: RunId,
    project: &Project,
    network: &Network,
    clock: &Arc<dyn Clock>,
    output: Output,
) -> anyhow::Result<ExitCode> {
    keeper.work_on(id, run);
    // Also of a run that goes on: killed right after it began, it has none in its frontier yet.
    keeper.enqueue_seeds(&seeds_of(project), clock.wall())?;
    let settings = http_settings(project, network, &keeper, Arc::clone(clock))?;
    let net = Arc::new(Net::new(settings.net.clone())?);
    let http = Arc::new(Http::on(Arc::clone(&net), settings));
    let units = registry::all(&Around {
        net,
        http: Arc::clone(&http),
        seeds: seeds_of(project),
        options: Options {
            pairs: network.option.clone(),
        },
        data: keeper.folder().root().to_owned(),
    })?;
    if let Some(jar) = keeper.catalog.cookies(run)? {
        http.import_cookies(&jar)?;
    }
    let progress = Arc::new(Progress::default());
    let (stop_in, stop) = watch::channel(false);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = {
        let _display = Display::start(Arc::clone(&progress), project, output);
        runtime.block_on(async {
            tokio::spawn(listen_for_stop(stop_in, output));
            let around = Surroundings {
                units,
                clock: Arc::clone(clock),
                chance: Arc::new(SplitMix::from_system()),
                progress,
                stop,
                cookies: jar_when_changed(Arc::clone(&http)),
            };
            gleaner_run::crawl(keeper, id, run, project, around).await
        })
    };
    finish(ended?, run, project, clock.as_ref(), output)
}

/// The jar goes into the commit only when it differs from the last one.
fn jar_when_changed(http: Arc<Http>) -> Box<dyn Fn() -> Option<Vec<u8>> + Send> {
    let last = std::sync::Mutex::new(http.export_cookies());
    Box::new(move || {
        let now = http.export_cookies();
        let mut last = last.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if *last == now {
            return None;
        }
        last.clone_from(&now);
        Some(now)
    })
}

fn finish(
    ended: Ended,
    run: RunId,
    project: &Project,
    clock: &dyn Clock,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let Ended { keeper, status, note } = ended;
    keeper
        .catalog
        .end_run(run, status, clock.wall(), note.as_deref())?;
    keeper.tidy()?;
    let (row, counts) = (keeper.catalog.run_row(run)?, keeper.catalog.counts(run)?);
    let collected = counts.new + counts.updated + counts.same;
    if collected == 0 && status == RunStatus::Finished {
        let reader = Reader::open(keeper.folder().root())?;
        if let Some(why) = nothing::why(&reader, project)? {
            output.say(&why);
        }
    }
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", listing::run(&row, &counts))?;
    } else {
        let seconds = row.active_ms as f64 / 1000.0;
        writeln!(
            out,
            "{}: run {run} {}: {} new, {} updated, {} same, {} missing, {}{} ({} fetched, {} in {})",
            row.project_name,
            status.as_str(),
            counts.new,
            counts.updated,
            counts.same,
            counts.missing,
            time::count(counts.errors, "error"),
            match counts.out {
                0 => String::new(),
                out => format!(", {out} out"),
            },
            counts.fetched,
            time::size(row.wire_bytes),
            time::span(seconds),
        )?;
        if let Some(note) = &row.note {
            writeln!(out, "{note}")?;
        }
        for note in Reader::open(keeper.folder().root())?.notes(run)? {
            writeln!(out, "{}", safe(&note))?;
        }
        match status {
            RunStatus::Stopped => writeln!(out, "go on with: gleaner resume {run}")?,
            _ => writeln!(
                out,
                "see more with: gleaner report {run}, gleaner ls, gleaner cat URL"
            )?,
        }
    }
    out.flush()?;
    Ok(match status {
        RunStatus::Stopped => ExitCode::from(130),
        _ if collected == 0 => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    })
}

/// The first Ctrl-C (or SIGTERM) finishes what is in flight, the second stops at once.
async fn listen_for_stop(stop: watch::Sender<bool>, output: Output) {
    wait_for_signal().await;
    output.say("finishing what is in flight; once more to stop at once (nothing is lost either way)");
    let _the_run_may_be_over = stop.send(true);
    wait_for_signal().await;
    std::process::exit(130);
}

#[cfg(unix)]
async fn wait_for_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _without_signals_there_is_no_stop = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn wait_for_signal() {
    let _without_signals_there_is_no_stop = tokio::signal::ctrl_c().await;
}

fn http_settings(
    project: &Project,
    network: &Network,
    keeper: &Keeper,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<HttpSettings> {
    let connect = Duration::from_secs_f64(network.connect_timeout.clamp(0.001, 3600.0));
    let read = Duration::from_secs_f64(network.read_timeout.clamp(0.001, 86_400.0));
    let roots = match &network.ca_file {
        Some(path) => certificates(path)?,
        None => Vec::new(),
    };
    let net = NetSettings {
        allow_private: project.allow_private,
        private_hosts_allowed: project
            .seeds
            .iter()
            .filter_map(|seed| Url::parse(seed).ok())
            .filter(is_plainly_private)
            .map(|url| url.host().to_owned())
            .collect(),
        extra_root_certificates: roots,
        bandwidth_bytes_per_s: project.bandwidth_bytes_per_s,
        timeouts: Timeouts {
            connect,
            tls: connect,
            resolve: connect.min(defaults::RESOLVE_TIMEOUT),
            first_byte: read,
            silence: read,
            fetch: Duration::from_secs_f64(network.fetch_timeout.clamp(0.001, 86_400.0 * 7.0)),
            ..Timeouts::default()
        },
        spool_folder: keeper.folder().spool(),
        resolve_overrides: network.resolve.clone(),
        dns_server: network.dns_server,
        logins: logins(project, network)?,
        clock,
    };
    Ok(HttpSettings {
        net,
        user_agent: project.user_agent.clone(),
        accept_http2: !network.no_http2,
        accept_cookies: true,
        proxy: network.proxy.as_deref().map(ProxySettings::parse).transpose()?,
    })
}

/// The login that was given, for each file or news server that was named.
fn logins(project: &Project, network: &Network) -> anyhow::Result<Logins> {
    let mut logins = Logins::default();
    let Some(user) = &network.user else {
        return Ok(logins);
    };
    let password = match &network.password_file {
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .with_context(|| format!("the password cannot be read: {}", path.display()))?;
            text.lines().next().map(str::to_owned)
        }
        None => std::env::var("GLEANER_PASSWORD").ok(),
    };
    for seed in seeds_of(project).iter().filter(|seed| !seed.is_web()) {
        let login = Login {
            user: user.clone(),
            password: password.clone(),
            key_file: network.key_file.clone(),
        };
        logins.add(seed.origin(), login);
    }
    Ok(logins)
}

/// A URL that can only mean a machine of one's own: an address, `localhost`, or a name that no public DNS has.
/// A public name that happens to lead to a private address is not that (I4).
fn is_plainly_private(url: &Url) -> bool {
    let host = url.host().trim_end_matches('.');
    let is_address = host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok();
    let last = host.rsplit('.').next().unwrap_or(host);
    is_address
        || !host.contains('.')
        || matches!(
            last,
            "localhost" | "local" | "internal" | "lan" | "home" | "corp" | "intranet" | "test"
        )
        || host.ends_with(".home.arpa")
}

fn certificates(path: &Path) -> anyhow::Result<Vec<Vec<u8>>> {
    let text = std::fs::read(path)
        .with_context(|| format!("the certificates cannot be read: {}", path.display()))?;
    let found: Vec<Vec<u8>> = CertificateDer::pem_slice_iter(&text)
        .flatten()
        .map(|certificate| certificate.to_vec())
        .collect();
    if found.is_empty() {
        bail!("no certificate found, a PEM file is needed: {}", path.display());
    }
    Ok(found)
}
