//! Drawings: one file, no net, the same places from visit to visit.

use super::{cache, crawled, graph};
use gleaner_testkit::program::Running;
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use std::time::Duration;

fn places(page: &str) -> BTreeMap<String, (f64, f64)> {
    let (_, rest) = page
        .split_once("<script type=\"application/json\" id=\"data\">")
        .expect("data");
    let (data, _) = rest.split_once("</script>").expect("its end");
    let data: Value = serde_json::from_str(data).expect("JSON");
    let nodes = data["nodes"].as_array().expect("nodes");
    nodes
        .iter()
        .map(|node| {
            let number = |key: &str| node[key].as_f64().expect("a number");
            let name = node["name"].as_str().expect("a name").to_owned();
            (name, (number("x"), number("y")))
        })
        .collect()
}

#[test]
fn e6_a_drawing_is_one_file_that_asks_no_server_and_stays_as_it_was() {
    let (_site, gleaner) = crawled(12, 240);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("web.html");
    let path = file.to_str().expect("a path");
    graph(&gleaner, &["draw", "--to", path]);
    let page = std::fs::read_to_string(&file).expect("a page");
    assert!(page.contains("default-src 'none'"), "nothing is loaded");
    for sign in [" src=", "@import", "url(", "<link", "fetch("] {
        assert!(!page.contains(sign), "the page names another file: {sign}");
    }
    assert!(page.contains("depend on the crawl") && page.contains("not prove a power law"));
    let before = places(&page);
    assert_eq!(before.len(), 12, "hosts: {before:?}");
    graph(&gleaner, &["draw", "--to", path]);
    let after = places(&std::fs::read_to_string(&file).expect("a page"));
    for (name, (x, y)) in &before {
        let (new_x, new_y) = after[name];
        let moved = (x - new_x).hypot(y - new_y);
        assert!(moved < 100.0, "{name} moved by {moved:.0} of 1000");
    }
    for picture in ["map", "degrees", "bow-tie", "matrix", "depths"] {
        let file = folder.path().join(format!("{picture}.svg"));
        graph(
            &gleaner,
            &[
                "draw",
                "--picture",
                picture,
                "--to",
                file.to_str().expect("a path"),
            ],
        );
        let svg = std::fs::read_to_string(&file).expect("a picture");
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    }
    let finished = gleaner.run(&["graph", "draw", "--to", "web.png"]);
    finished.expect_code(&[2]);
    assert!(finished.stderr.contains(".html or .svg"), "{finished}");
}

/// Chooses a row, runs axe inside the page and leaves what it found in the title.
const LOOK: &str = r##"document.querySelectorAll("#rows button")[2].click();
axe.run(document, {resultTypes: ["violations"]}).then(found => {
  document.title = "AXE " + JSON.stringify(found.violations.map(one => [one.id, one.nodes.map(node => node.html.slice(0, 200))]));
});"##;

#[test]
fn e6_axe_finds_nothing_wrong_with_a_drawing() {
    let axe = cache().join("axe/node_modules/axe-core/axe.min.js");
    let (Ok(axe), true) = (
        std::fs::read_to_string(axe),
        Command::new("chromium").arg("--version").output().is_ok(),
    ) else {
        gleaner_fixtures::skip("no axe or no Chromium (tools/setup.sh installs them)");
        return;
    };
    let (_site, gleaner) = crawled(12, 400);
    let folder = tempfile::tempdir().expect("a folder");
    for level in ["host", "page"] {
        let file = folder.path().join(format!("{level}.html"));
        graph(
            &gleaner,
            &["draw", "--level", level, "--to", file.to_str().expect("a path")],
        );
        let page = std::fs::read_to_string(&file).expect("a page");
        // The policy of the page allows no script but its own.
        let (before, rest) = page
            .split_once("<meta http-equiv=\"Content-Security-Policy\"")
            .expect("a policy");
        let (_, after) = rest.split_once('>').expect("its end");
        let axe = axe.replace("</script", "<\\/script");
        let after = after.replace(
            "</body>",
            &format!("<script>{axe}</script><script>{LOOK}</script></body>"),
        );
        std::fs::write(&file, format!("{before}{after}")).expect("written");
        let mut chromium = Command::new("chromium");
        chromium.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1400,2000",
            "--virtual-time-budget=20000",
            "--dump-dom",
        ]);
        chromium.arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ));
        chromium.arg(format!("file://{}", file.display()));
        let shown = Running::start(chromium)
            .expect("Chromium starts")
            .wait(Duration::from_mins(3));
        assert!(shown.stdout.contains("<title>AXE []</title>"), "{level}: {}", {
            let found = shown
                .stdout
                .split_once("<title>")
                .map_or("no title", |(_, rest)| rest);
            found.chars().take(2_000).collect::<String>()
        });
    }
}
