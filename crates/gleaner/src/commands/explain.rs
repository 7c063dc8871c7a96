//! `gleaner explain URL`: every step of the decision, for a URL seen or not (A3).

use crate::arguments::Explain;
use crate::output::Output;
use anyhow::Context;
use gleaner_frontier::{
    Bond, ExplainQuestion, FileNames, Holder, Limits, RobotsState, Rules, Scope, SeenBefore, StepOf,
    StepVerdict, Taking, TraceStep, Wanted, explain as trace,
};
use gleaner_judge::identity::identify;
use gleaner_judge::site::site_of;
use gleaner_model::clock::{Clock, SystemClock};
use gleaner_model::project::TypeGroup;
use gleaner_model::{LinkKind, Project, ProjectId, Reason, ScopeKind, Url, defaults};
use gleaner_parse::group_of_extension;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_run::stages::follow::expected_group;
use gleaner_run::way;
use gleaner_store::ledger::{Approach, LinkEnd};
use gleaner_store::{Ledger, StoreError, ledger};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Pages with a link to it that are named.
const FROM_MAX: usize = 5;

pub(crate) fn explain(data: &Path, arguments: &Explain, output: Output) -> anyhow::Result<ExitCode> {
    let reader = match ledger::open(data) {
        Ok(reader) => Some(reader),
        Err(StoreError::NoData { .. }) if arguments.project.is_none() => None,
        Err(error) => return Err(error.into()),
    };
    let asked = Url::from_user(arguments.url.exposed()).ok();
    let (id, project) = project(reader.as_deref(), arguments, asked.as_ref())?;
    let identity = match (reader.as_deref(), id, &asked) {
        (Some(reader), Some(id), Some(url)) => identity(reader, id, url)?,
        _ => None,
    };
    let (url, identity) = match identity {
        Some((url, step)) => (Some(url), Some(step)),
        None => (asked, None),
    };
    let homes = way::homes(&project)?;
    let mut known = What {
        robots: None,
        seen: SeenBefore::Never,
        approaches: Vec::new(),
    };
    if let (Some(reader), Some(url)) = (reader.as_deref(), &url) {
        known = what_is_known(reader, id, url)?;
    }
    let mut scope = Scope::new(project.scope, &homes);
    if let Some(reader) = reader.as_deref() {
        admit_redirects(reader, &homes, &mut scope)?;
    }
    let compile = |rules| Rules::compile(rules).map_err(gleaner_run::RunError::Rules);
    let rules = compile(&project.rules)?;
    let rules_of_steps = (project.steps.iter())
        .map(|step| compile(&step.rules))
        .collect::<Result<Vec<Rules>, _>>()?;
    let steps: Vec<StepOf<'_>> = (0u32..)
        .zip(project.steps.iter().zip(&rules_of_steps))
        .map(|(number, (step, rules))| StepOf {
            name: &step.name,
            rules,
            rules_text: &step.rules,
            depth_max: step.depth,
            depth: known.depth_in(number),
            keeps: step.keep,
        })
        .collect();
    let starts = way::starts(&project)?;
    let given = url
        .as_ref()
        .map_or_else(|| arguments.url.to_string(), Url::to_string);
    let kind = known.kind();
    let names = FileNames::of(&project).map_err(gleaner_run::RunError::FileNames)?;
    let limits = Limits::of(&project);
    let taking = Taking {
        scope: &scope,
        step: None,
        rules: &rules,
        default: project.rules_default,
        limits: &limits,
        wanted: Wanted::of(&project),
        names: &names,
        requisites: project.requisites,
    };
    let bond = known.bond(&taking);
    let mut answer = trace(&ExplainQuestion {
        given: &given,
        is_start: starts.iter().any(|(start, _)| Some(start) == url.as_ref()),
        taking,
        bond,
        rules_text: &project.rules,
        steps: &steps,
        robots: known.robots.as_ref(),
        obey_robots: project.obey_robots,
        depth: known.depth(),
        promised: url.as_ref().and_then(|url| expected_group(url, kind)),
        seen: known.seen,
        now: SystemClock::default().wall(),
    });
    if let Some(step) = identity {
        // Behind the canonical form, before all that decides about it.
        answer.steps.insert(answer.steps.len().min(1), step);
    }
    let from = match (reader.as_deref(), &url) {
        (Some(reader), Some(url)) => linked_from(reader, url)?,
        _ => Vec::new(),
    };
    let mut out = output.writer();
    if output.json {
        let mut object = serde_json::to_value(&answer)?;
        object["linked_from"] = from.into();
        writeln!(out, "{object}")?;
    } else {
        writeln!(out, "{}", safe(&answer.url))?;
        for step in &answer.steps {
            let mark = match step.verdict {
                StepVerdict::Pass => "yes",
                StepVerdict::Refuse => "NO ",
                StepVerdict::Open => " - ",
            };
            writeln!(out, "  {mark}  {:<10} {}", step.name, safe(&step.detail))?;
        }
        writeln!(out, "{}", safe(&answer.answer))?;
        if !from.is_empty() {
            let pages = time::count(from.len() as u64, "page");
            writeln!(out, "linked from {pages}:")?;
        }
        for page in from.iter().take(FROM_MAX) {
            writeln!(out, "  {}", safe(page))?;
        }
        if from.len() > FROM_MAX {
            let more = from.len() - FROM_MAX;
            writeln!(
                out,
                "  and {more} more (gleaner links --in {} lists all)",
                safe(&answer.url)
            )?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The pages that link to it now, each once, in the order in which they were found.
fn linked_from(reader: &dyn Ledger, url: &Url) -> anyhow::Result<Vec<String>> {
    let Some(resource) = reader.resource_of(url)? else {
        return Ok(Vec::new());
    };
    let mut pages: Vec<String> = reader
        .links(resource, LinkEnd::In)?
        .into_iter()
        .map(|link| link.url)
        .collect();
    pages.dedup();
    Ok(pages)
}

/// The named project's settings, else the newest run's, else what a crawl of this very URL would use.
fn project(
    reader: Option<&dyn Ledger>,
    arguments: &Explain,
    url: Option<&Url>,
) -> anyhow::Result<(Option<ProjectId>, Project)> {
    if let (Some(reader), Some(name)) = (reader, &arguments.project) {
        let found = reader.find_project(name)?;
        let (id, project) = found
            .with_context(|| format!("there is no such project; `gleaner project list` lists all: {name}"))?;
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
fn identity(reader: &dyn Ledger, project: ProjectId, url: &Url) -> anyhow::Result<Option<(Url, TraceStep)>> {
    let site = site_of(url);
    let stored = reader.site_rules(project, &site)?;
    let Some(rules) =
        stored.and_then(|json| serde_json::from_str::<gleaner_judge::identity::UrlRules>(&json).ok())
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
    let step = TraceStep {
        name: "identity",
        verdict: StepVerdict::Open,
        detail: format!("{what}, by the rules of {site} (gleaner rules {site})"),
    };
    Ok(Some((kept, step)))
}

/// Hosts that the seeds were found to lead to belong to the crawl.
fn admit_redirects(reader: &dyn Ledger, seeds: &[Url], scope: &mut Scope) -> anyhow::Result<()> {
    for seed in seeds {
        let mut url = seed.clone();
        for _ in 0..defaults::REDIRECTS_MAX {
            let Some(resource) = reader.resource_of(&url)? else {
                break;
            };
            let links = reader.links(resource, LinkEnd::Out)?;
            let target = links
                .iter()
                .find(|link| link.kind == LinkKind::Redirect)
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
    seen: SeenBefore,
    /// How the project's newest run could come there.
    approaches: Vec<Approach>,
}

impl What {
    /// Links from where the crawl began.
    fn depth(&self) -> Option<u32> {
        let depths = self.approaches.iter();
        depths
            .filter_map(|way| Some(way.depth + further(way.kind)?))
            .min()
    }

    /// The same from where a step began.
    fn depth_in(&self, step: u32) -> Option<u32> {
        let depths = self.approaches.iter().filter_map(|way| {
            let leg = way.legs.iter().find(|leg| leg.step == step)?;
            Some(leg.depth + further(way.kind)?)
        });
        depths.min()
    }

    /// What the address is to the pages that name it: a part of one of them, if any says so.
    fn bond(&self, taking: &Taking<'_>) -> Bond {
        let holder = |way: &Approach| match Url::parse(&way.page) {
            Ok(page) if !taking.is_inside(&page) => {
                let is_style = group_of_extension(page.path()) == Some(TypeGroup::Assets);
                if is_style { Holder::Style } else { Holder::Stranger }
            }
            _ => Holder::Page,
        };
        let is_part = |way: &Approach| match way.kind {
            None => false,
            Some(LinkKind::Redirect) => holder(way) != Holder::Page,
            Some(kind) => Bond::of(kind, holder(way)) == Bond::Part,
        };
        if self.approaches.iter().any(is_part) {
            Bond::Part
        } else {
            Bond::Leads
        }
    }

    /// The place that holds the link: one that promises nothing, if there is one.
    fn kind(&self) -> LinkKind {
        let mut kinds = self.approaches.iter().filter_map(|way| way.kind);
        let promises = |kind: &LinkKind| {
            matches!(
                kind,
                LinkKind::Image | LinkKind::Media | LinkKind::Script | LinkKind::Style
            )
        };
        match kinds.clone().find(|kind| !promises(kind)) {
            Some(kind) => kind,
            None => kinds.next().unwrap_or(LinkKind::Anchor),
        }
    }
}

/// How many links such a link counts for; none if it is not followed.
fn further(kind: Option<LinkKind>) -> Option<u32> {
    match kind {
        None | Some(LinkKind::Refresh | LinkKind::Redirect) => Some(0),
        Some(kind) => kind.is_followed().then_some(1),
    }
}

fn what_is_known(reader: &dyn Ledger, project: Option<ProjectId>, url: &Url) -> anyhow::Result<What> {
    let robots = reader.robots_of(url)?.map(|stored| {
        match (stored.status, stored.reason.as_deref().map(Reason::stored)) {
            (None, Some(reason)) => RobotsState::of_failure(reason),
            (status, _) => RobotsState::of_answer(status.unwrap_or(0), &stored.body, defaults::AGENT_TOKEN),
        }
    });
    let resource = reader.resource_of(url)?;
    let run = match project {
        Some(project) => reader.last_run_of(project)?,
        None => None,
    };
    let approaches = match (resource, run) {
        (Some(resource), Some(run)) => reader.approaches(resource, run)?,
        _ => Vec::new(),
    };
    let visit = match resource {
        Some(resource) => reader.last_visit(resource)?,
        None => None,
    };
    let Some(visit) = visit else {
        return Ok(What {
            robots,
            seen: SeenBefore::Never,
            approaches,
        });
    };
    let words = match (visit.at, visit.status, visit.reason) {
        (None, _, _) => format!("queued in run {}", visit.run),
        (Some(at), Some(status), None) => {
            format!("answered {status} in run {}, {}", visit.run, time::iso(at))
        }
        (Some(at), _, reason) => {
            format!(
                "{} in run {}, {}",
                reason.map_or("asked for", Reason::code),
                visit.run,
                time::iso(at)
            )
        }
    };
    Ok(What {
        robots,
        seen: SeenBefore::Known(words),
        approaches,
    })
}
