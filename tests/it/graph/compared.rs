//! Two epochs of the synthetic site, compared with what the site says of itself.

use super::{crawled, graph};
use crate::crawled::crawl_well;
use std::collections::BTreeSet;

#[test]
fn j3_what_came_and_went_between_two_runs_equals_the_truth() {
    let (site, gleaner) = crawled(2, 300);
    site.set_epoch(1);
    let tracked = gleaner.run(&["track", "synth", "--json", "--delay", "0", "--allow-private"]);
    tracked.expect_code(&[0]);
    let truth = site.truth(0, 1);
    let of = |state: &str| -> BTreeSet<String> {
        let pages = truth.iter().filter(|page| page.state == state);
        pages.map(|page| page.url.clone()).collect()
    };
    let rows = graph(&gleaner, &["compare", "1", "2", "--json"]).json_lines();
    let told = |change: &str| -> BTreeSet<String> {
        let rows = rows.iter().filter(|row| row["change"] == change);
        rows.filter_map(|row| row["url"].as_str())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(told("page-came"), of("NEW"));
    assert_eq!(told("page-went"), of("MIS"));
    assert!(told("host-came").is_empty() && told("host-went").is_empty());

    // Links, against the lists of the catalog: those that held at the end of each run.
    let links_of = |run: i64| -> BTreeSet<(String, String)> {
        let rows = gleaner.sqlite(&format!(
            "SELECT DISTINCT s.url, t.url FROM links l JOIN resources s ON s.id = l.source JOIN resources t ON t.id = l.target
             WHERE l.first_run <= {run} AND (l.gone_run IS NULL OR l.gone_run > {run}) AND l.kind NOT IN (14, 20) AND s.id <> t.id"
        ));
        rows.into_iter()
            .map(|row| (row[0].clone(), row[1].clone()))
            .collect()
    };
    let (before, after) = (links_of(1), links_of(2));
    let told_links = |change: &str| -> BTreeSet<(String, String)> {
        let rows = rows.iter().filter(|row| row["change"] == change);
        rows.map(|row| {
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            (text("from"), text("url"))
        })
        .collect()
    };
    assert_eq!(
        told_links("link-gained"),
        after.difference(&before).cloned().collect()
    );
    assert_eq!(
        told_links("link-lost"),
        before.difference(&after).cloned().collect()
    );
    let summary = rows.last().expect("a summary");
    assert_eq!(summary["links_kept"], before.intersection(&after).count());
}

#[test]
fn j3_runs_of_two_projects_are_compared_too() {
    let (site, gleaner) = crawled(2, 60);
    site.set_epoch(1);
    crawl_well(
        &gleaner,
        site.seed_url(),
        &[
            "--name",
            "again",
            "--allow-private",
            "--allow",
            "http://127\\.0\\.",
        ],
    );
    let documents = |project: &str| -> BTreeSet<String> {
        let rows = gleaner.sqlite(&format!(
            "SELECT r.url FROM documents d JOIN resources r ON r.id = d.resource JOIN projects p ON p.id = d.project
             WHERE p.name = '{project}'"
        ));
        rows.into_iter().map(|row| row[0].clone()).collect()
    };
    let (before, after) = (documents("synth"), documents("again"));
    assert_ne!(before, after, "the site has changed");
    let told = graph(&gleaner, &["compare", "1", "2", "--json"]);
    assert!(
        told.stderr.contains("run 1 is of synth, run 2 of again"),
        "{told}"
    );
    let rows = told.json_lines();
    let urls = |change: &str| -> BTreeSet<String> {
        let rows = rows.iter().filter(|row| row["change"] == change);
        rows.filter_map(|row| row["url"].as_str())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(urls("page-came"), after.difference(&before).cloned().collect());
    assert_eq!(urls("page-went"), before.difference(&after).cloned().collect());
}
