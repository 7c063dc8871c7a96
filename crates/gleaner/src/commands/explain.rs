//! `gleaner explain URL`: every step of the decision, for a URL seen or not (A3).

use crate::arguments::Explain;
use crate::output::Output;
use anyhow::Context;
use gleaner_frontier::{
    Limits, Question, RobotsState, Rules, Scope, Seen, Step, Verdict, Wanted, explain as trace,
};
use gleaner_model::clock::{Clock, SystemClock};
use gleaner_model::{Project, ProjectId, Reason, ScopeKind, Url, defaults};
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_run::identity::identify;
use gleaner_run::noise::site_of;
use gleaner_store::read::Direction;
use gleaner_store::{Reader, StoreError};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn explain(data: &Path, arguments: &Explain, output: Output) -> anyhow::Result<ExitCode> {
    let reader = match Reader::open(data) {
        Ok(reader) => Some(reader),
        Err(StoreError::NoData { .. }) if arguments.project.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    let asked = Url::from_user(&arguments.url).ok();
    let (id, project) = project(reader.as_ref(), arguments, asked.as_ref())?;
    let identity = match (&reader, id, &asked) {
        (Some(reader), Some(id), Some(url)) => identity(reader, id, url)?,
        _ => None,
    };
    let (url, identity) = match identity {
        Some((url, step)) => (Some(url), Some(step)),
        None => (asked, None),
    };
    let seeds: Vec<Url> = project
        .seeds
        .iter()
        .filter_map(|seed| Url::parse(seed).ok())
        .collect();
    let mut known = What {
        robots: None,
        depth: None,
        seen: Seen::Never,
    };
    if let (Some(reader), Some(url)) = (&reader, &url) {
        known = what_is_known(reader, url)?;
    }
    let mut scope = Scope::new(project.scope, &seeds);
    if let Some(reader) = &reader {
        admit_redirects(reader, &seeds, &mut scope)?;
    }
    let rules = Rules::compile(&project.rules).map_err(gleaner_run::RunError::Rules)?;
    let given = url.as_ref().map_or(arguments.url.as_str(), Url::as_str);
    let mut answer = trace(&Question {
        given,
        scope: &scope,
        rules: &rules,
        rules_text: &project.rules,
        robots: known.robots.as_ref(),
        obey_robots: project.obey_robots,
        depth: known.depth,
        limits: &Limits::of(&project),
        wanted: Wanted::new(&project.types),
        extension: url
            .as_ref()
            .and_then(|url| gleaner_parse::group_of_extension(url.path())),
        seen: known.seen,
        now: SystemClock::default().wall(),
    });
    if let Some(step) = identity {
        // Behind the canonical form, before all that decides about it.
        answer.steps.insert(answer.steps.len().min(1), step);
    }
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        writeln!(out, "{}", safe(&answer.url))?;
        for step in &answer.steps {
            let mark = match step.verdict {
                Verdict::Pass => "yes",
                Verdict::Refuse => "NO ",
                Verdict::Open => " - ",
            };
            writeln!(out, "  {mark}  {:<10} {}", step.name, safe(&step.detail))?;
        }
        writeln!(out, "{}", safe(&answer.answer))?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The named project's settings, else the newest run's, else what a crawl of this very URL would use.
fn project(
    reader: Option<&Reader>,
    arguments: &Explain,
    url: Option<&Url>,
) -> anyhow::Result<(Option<ProjectId>, Project)> {
    if let (Some(reader), Some(name)) = (reader, &arguments.project) {
        let found = reader.find_project(name)?;
        let (id, project) = found.with_context(|| format!("there is no such project: {name}"))?;
        return Ok((Some(id), project));
    }
    if let Some(reader) = reader
        && let Some(run) = reader.last_run()?
    {
        let (id, project) = reader.run_settings(run)?;
        return Ok((Some(id), project));
    }
    let mut project = Project::new("none", url.into_iter().cloned().collect());
    project.scope = ScopeKind::Host;
    Ok((None, project))
}

/// The address under which a page is known, where the site's rules take something out of this one (B4).
fn identity(reader: &Reader, project: ProjectId, url: &Url) -> anyhow::Result<Option<(Url, Step)>> {
    let site = site_of(url);
    let stored = reader.site_rules(project, &site)?;
    let Some(rules) =
        stored.and_then(|json| serde_json::from_str::<gleaner_judge::identity::Rules>(&json).ok())
    else {
        return Ok(None);
    };
    let Some((kept, _)) = identify(&rules, url) else {
        return Ok(None);
    };
    let what = if kept == *url {
        format!("told apart by {}", rules.identity(url))
    } else {
        format!("known as {kept}")
    };
    let step = Step {
        name: "identity",
        verdict: Verdict::Open,
        detail: format!("{what}, by the rules of {site} (gleaner rules {site})"),
    };
    Ok(Some((kept, step)))
}

/// Hosts that the seeds were found to lead to belong to the crawl.
fn admit_redirects(reader: &Reader, seeds: &[Url], scope: &mut Scope) -> anyhow::Result<()> {
    for seed in seeds {
        let mut url = seed.clone();
        for _ in 0..defaults::REDIRECTS_MAX {
            let Some(resource) = reader.resource_of(&url)? else {
                break;
            };
            let links = reader.links(resource, Direction::Out)?;
            let target = links
                .iter()
                .find(|link| link.kind == "redirect")
                .and_then(|link| Url::parse(&link.url).ok());
            let Some(target) = target.filter(|target| target.domain() == seed.domain()) else {
                break;
            };
            scope.admit(&target);
            url = target;
        }
    }
    Ok(())
}

struct What {
    robots: Option<RobotsState>,
    depth: Option<u32>,
    seen: Seen,
}

fn what_is_known(reader: &Reader, url: &Url) -> anyhow::Result<What> {
    let robots = reader.robots_of(url)?.map(|stored| {
        match (stored.status, stored.reason.as_deref().and_then(Reason::parse)) {
            (None, Some(reason)) => RobotsState::of_failure(reason),
            (status, _) => RobotsState::of_answer(status.unwrap_or(0), &stored.body, defaults::AGENT_TOKEN),
        }
    });
    let visit = match reader.resource_of(url)? {
        Some(resource) => reader.last_visit(resource)?,
        None => None,
    };
    let Some(visit) = visit else {
        return Ok(What {
            robots,
            depth: None,
            seen: Seen::Never,
        });
    };
    let words = match (visit.at, visit.status, &visit.reason) {
        (None, _, _) => format!("queued in run {}", visit.run),
        (Some(at), Some(status), None) => {
            format!("answered {status} in run {}, {}", visit.run, time::iso(at))
        }
        (Some(at), _, reason) => {
            format!(
                "{} in run {}, {}",
                reason.as_deref().unwrap_or("asked for"),
                visit.run,
                time::iso(at)
            )
        }
    };
    Ok(What {
        robots,
        depth: Some(visit.depth),
        seen: Seen::Known(words),
    })
}
