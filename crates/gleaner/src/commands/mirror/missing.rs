//! What the pages show and nobody collected: told, and fetched when asked for.
//!
//! A crawl takes pages and documents; a copy needs their pictures, styles and scripts too, which often lie on other hosts. They are
//! fetched by a track of the project with wider settings, which stay: the next track keeps them up to date.

use super::super::crawl;
use crate::arguments::{Again, Manners, Network};
use crate::output::Output;
use gleaner_frontier::Scope;
use gleaner_model::project::{PatternKind, Rule, RuleAction, TypeGroup};
use gleaner_model::{LinkKind, Project, Url};
use gleaner_parse::group_of_extension;
use gleaner_publish::mirror::{Requisite, missing_requisites};
use gleaner_publish::time;
use gleaner_store::ledger;
use std::path::Path;
use std::process::ExitCode;

/// Styles name other styles, fonts and pictures, each perhaps on a host of its own.
const ROUNDS_MAX: usize = 4;
/// Why our rules are there.
const NOTE: &str = "parts of pages, for a copy";
/// What browsers fetch to show a page, by the ends of names.
const ENDS: &[&str] = &[
    "css", "js", "mjs", "map", "json", "png", "apng", "jpg", "jpeg", "gif", "webp", "avif", "svg", "ico",
    "bmp", "woff", "woff2", "ttf", "otf", "eot", "mp3", "ogg", "oga", "opus", "wav", "m4a", "mp4", "m4v",
    "webm", "ogv", "vtt",
];

const FONTS: [&str; 5] = ["woff", "woff2", "ttf", "otf", "eot"];

/// Such as "2 style sheets, 1 script and 14 images".
pub(super) fn counted(missing: &[Requisite]) -> String {
    let mut counts = [0u64; 5];
    for one in missing {
        let url = Url::parse(&one.url).ok();
        let group = url.as_ref().and_then(|url| group_of_extension(url.path()));
        let is_font = url.as_ref().is_some_and(is_font);
        let place = match (group, one.kind) {
            _ if is_font => 3,
            (Some(TypeGroup::Images), _) | (_, LinkKind::Image) => 2,
            (_, LinkKind::Script) => 1,
            (_, LinkKind::Media) => 4,
            _ => 0,
        };
        counts[place] += 1;
    }
    let names = ["style sheet", "script", "image", "font", "video or audio file"];
    let mut parts: Vec<String> = (counts.iter().zip(names))
        .filter(|(count, _)| **count > 0)
        .map(|(count, name)| match (*count, name) {
            (2.., "video or audio file") => format!("{count} video or audio files"),
            (count, name) => time::count(count, name),
        })
        .collect();
    let last = parts.pop().unwrap_or_default();
    if parts.is_empty() {
        last
    } else {
        format!("{} and {last}", parts.join(", "))
    }
}

/// By its name.
fn is_font(url: &Url) -> bool {
    let extension = url.path().rsplit_once('.').map_or("", |(_, end)| end);
    FONTS.iter().any(|font| extension.eq_ignore_ascii_case(font))
}

/// Collects what the pages show, until nothing of it is missing that could be had. Gives how the last run ended, if there was one.
pub(super) fn fetch(
    data: &Path,
    name: &str,
    (manners, given): (&Manners, &[String]),
    network: Network,
    output: Output,
) -> anyhow::Result<Option<ExitCode>> {
    let how = again(manners, given, network);
    let mut ended = None;
    for _ in 0..ROUNDS_MAX {
        let reader = ledger::open(data)?;
        let Some((id, mut project)) = reader.find_project(name)? else {
            break;
        };
        let missing = missing_requisites(&*reader, id)?;
        drop(reader);
        if missing.is_empty() || !widen(&mut project, &missing)? {
            break;
        }
        output.say(&format!(
            "fetching what the pages show but was not collected: {}; from now on {name} collects such parts too",
            counted(&missing)
        ));
        ended = Some(crawl::again(data, name, Some(&project), &how, output)?);
    }
    Ok(ended)
}

/// Makes a project take the parts of its pages; false if it took them before.
fn widen(project: &mut Project, missing: &[Requisite]) -> anyhow::Result<bool> {
    let scope = Scope::new(project.scope, &gleaner_run::way::homes(project)?);
    let mut is_wider = false;
    for one in missing {
        let Ok(url) = Url::parse(&one.url) else { continue };
        for group in groups_of(&url, one.kind) {
            if !project.types.contains(&group) {
                project.types.push(group);
                is_wider = true;
            }
        }
        if scope.contains(&url).is_inside() {
            continue;
        }
        let rule = rule_for(&url);
        if !project.rules.contains(&rule) {
            project.rules.push(rule);
            is_wider = true;
        }
    }
    project.types.sort_unstable();
    Ok(is_wider)
}

/// Of which types it may be.
fn groups_of(url: &Url, kind: LinkKind) -> Vec<TypeGroup> {
    match (group_of_extension(url.path()), kind) {
        (Some(group), _) if group != TypeGroup::Html => vec![group],
        (_, LinkKind::Image) => vec![TypeGroup::Images],
        (_, LinkKind::Media) => vec![TypeGroup::Audio, TypeGroup::Video],
        // A style sheet names fonts and pictures, whose names need not say so.
        _ => vec![TypeGroup::Assets],
    }
}

/// Takes such parts from the whole host, because styles name others beside them; where the name does not say what it is, only
/// this one.
fn rule_for(url: &Url) -> Rule {
    let end = url
        .path()
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'));
    let is_known = end.is_some_and(|(_, end)| ENDS.contains(&end.to_ascii_lowercase().as_str()));
    let (pattern_kind, pattern) = if is_known {
        let origin = url
            .origin()
            .replace('.', "\\.")
            .replace('[', "\\[")
            .replace(']', "\\]");
        let ends = ENDS.join("|");
        (
            PatternKind::Regex,
            format!("(?i)^{origin}/[^?]*\\.({ends})(\\?.*)?$"),
        )
    } else {
        (PatternKind::Prefix, url.as_str().to_owned())
    };
    Rule {
        action: RuleAction::Allow,
        pattern_kind,
        pattern,
        note: NOTE.to_owned(),
    }
}

/// Whether an option has no use even where parts are fetched: those about what to collect.
pub(super) fn is_unused(option: &str) -> bool {
    let of_what = [
        "--scope",
        "--depth",
        "--types",
        "--allow",
        "--deny",
        "--sitemaps",
        "--equality",
        "--keep",
        "--max-pages",
        "--max-pages-per-host",
        "--max-bytes",
        "--max-time",
        "--max-body",
        "--verify-content",
        "--lastmod",
        "--no-document-links",
    ];
    of_what.contains(&option)
}

/// The project's own manners, but for what was given now.
fn again(manners: &Manners, given: &[String], network: Network) -> Again {
    let is_given = |name: &str| given.iter().any(|option| option == name);
    Again {
        concurrency: is_given("--concurrency").then_some(manners.concurrency),
        per_host: is_given("--per-host").then_some(manners.per_host),
        delay: is_given("--delay").then_some(manners.delay),
        bandwidth: manners.bandwidth,
        tries: is_given("--tries").then_some(manners.tries),
        network,
        ..Again::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(url: &str, kind: LinkKind) -> Requisite {
        Requisite {
            url: url.to_owned(),
            kind,
        }
    }

    #[test]
    fn a_project_takes_what_its_pages_show_and_nothing_else() {
        let mut project = Project::new("p", vec![Url::parse("http://a.test/").unwrap()]);
        project.types = vec![TypeGroup::Html];
        let missing = [
            part("http://a.test/x.png", LinkKind::Image),
            part("http://cdn.test/s.css?v=1", LinkKind::Style),
            part("http://pictures.test/show/17", LinkKind::Image),
        ];
        assert!(widen(&mut project, &missing).unwrap());
        assert!(!widen(&mut project, &missing).unwrap(), "once is enough");
        assert_eq!(
            project.types,
            [TypeGroup::Html, TypeGroup::Assets, TypeGroup::Images]
        );
        let rules = gleaner_frontier::Rules::compile(&project.rules).unwrap();
        let takes = |url: &str| rules.decide(&Url::parse(url).unwrap()).is_some();
        for url in [
            "http://cdn.test/s.css?v=1",
            "http://cdn.test/fonts/a.woff2",
            "http://pictures.test/show/17",
        ] {
            assert!(takes(url), "{url}");
        }
        for url in [
            "http://cdn.test/",
            "http://cdn.test/page.html",
            "http://pictures.test/",
        ] {
            assert!(!takes(url), "{url}");
        }
    }

    #[test]
    fn what_is_missing_reads_well() {
        let missing = [
            part("http://a.test/x.png", LinkKind::Image),
            part("http://a.test/y.png", LinkKind::Style),
            part("http://a.test/s.css", LinkKind::Style),
            part("http://a.test/s.js", LinkKind::Script),
            part("http://a.test/f.woff2", LinkKind::Style),
            part("http://a.test/f.mp4", LinkKind::Media),
        ];
        assert_eq!(
            counted(&missing),
            "1 style sheet, 1 script, 2 images, 1 font and 1 video or audio file"
        );
        assert_eq!(counted(&missing[..1]), "1 image");
    }
}
