//! Two builds of a site in two folders, judged as a track would: `GLEANER_BEFORE=DIR GLEANER_AFTER=DIR`.
//!
//! Runs only where somebody names the folders; prints what counts as changed.

use crate::files_below;
use gleaner_judge::diff::Diff;
use gleaner_judge::equality::{Chain, Learned, Side, template_of};
use gleaner_model::{Content, Url};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn pages(folder: &Path) -> Vec<PathBuf> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "html" || end == "xml");
    files_below(folder).into_iter().filter(is_page).collect()
}

fn read(folder: &Path, page: &Path) -> Option<Content> {
    let name = page.strip_prefix(folder).ok()?.to_str()?;
    let url = Url::parse(&format!("http://site.test/{name}")).ok()?;
    let kind = if name.ends_with("xml") {
        "application/xml"
    } else {
        "text/html"
    };
    let headers = [("content-type".to_owned(), kind.to_owned())];
    gleaner_parse::content::read(&url, &headers, &std::fs::read(page).ok()?)
}

#[test]
fn two_builds_of_a_site_in_folders() {
    let (Some(before), Some(after)) = (
        std::env::var_os("GLEANER_BEFORE"),
        std::env::var_os("GLEANER_AFTER"),
    ) else {
        return;
    };
    let (before, after) = (PathBuf::from(before), PathBuf::from(after));
    let mut pairs = Vec::new();
    for page in pages(&before) {
        let name = page
            .strip_prefix(&before)
            .expect("a page of the folder")
            .to_owned();
        let (Some(old), Some(new)) = (read(&before, &page), read(&after, &after.join(&name))) else {
            continue;
        };
        pairs.push((name, old, new));
    }
    let mut learned = Learned::default();
    for (at, (_, old, new)) in pairs.iter().enumerate() {
        learned.observe_alike(at as u64, old, new);
    }
    let (mut changed, all) = (0, pairs.len());
    for (name, old, new) in pairs {
        let known = learned.knowledge(&template_of(&new, "/*"));
        let (old, new) = (
            Side::new(old, [0; 32]),
            Side::new(new, [1; 32]).with_known(Arc::new(known)),
        );
        let (diff, verdict) = Diff::judged(&Chain::default(), &old, &new, None);
        if verdict.is_same() {
            continue;
        }
        changed += 1;
        eprintln!("UPD {}: {:?}", name.display(), verdict.outcome);
        if let Some((old, new)) = diff.title.as_ref().filter(|_| diff.title_ignored.is_none()) {
            eprintln!("    title: {old} → {new}");
        }
        for hunk in diff.shown().take(4) {
            let text = |part: &Option<gleaner_judge::diff::DiffPart>| {
                part.as_ref().map(|part| {
                    (
                        part.text.chars().take(200).collect::<String>(),
                        part.links.clone(),
                    )
                })
            };
            eprintln!("    {:?} main={} {}", hunk.kind, hunk.is_main, hunk.path);
            eprintln!(
                "      - {:.300?}\n      + {:.300?}",
                text(&hunk.before),
                text(&hunk.after)
            );
        }
    }
    eprintln!("{changed} of {all} pages changed");
}
