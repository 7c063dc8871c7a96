//! Folders that a server shows as lists, which can be sorted.

use super::super::Story;
use super::prose;
use gleaner_testkit::servers::{ApacheServer, NginxServer};
use std::path::Path;

const FOLDERS: u64 = 12;
const FILES: u64 = 6;
/// The lists, that of the root counted, and the files.
const DOCUMENTS: usize = 1 + (FOLDERS + FOLDERS * FILES) as usize;

fn write(site: &Path) {
    for folder in 0..FOLDERS {
        let place = site.join(format!("folder{folder}"));
        std::fs::create_dir(&place).expect("a folder");
        for file in 0..FILES {
            // Sizes in another order than the names.
            let number = folder * FILES + file;
            let text = prose::html(number, 1 + (file as usize * 5) % 7, "");
            std::fs::write(place.join(format!("page{file}.html")), text).expect("a file");
        }
    }
}

#[test]
fn case28_lists_in_another_order_are_one_document() {
    let server = match ApacheServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    let kept = told.urls("NEW");
    assert!(kept.iter().all(|url| !url.contains('?')), "{told}");
    assert_eq!(kept.len(), DOCUMENTS, "{told}");
    let asked = |server: &ApacheServer| server.log().iter().filter(|line| line.contains('?')).count();
    let wasted = asked(&server);
    assert!(
        (1..=12).contains(&wasted),
        "{wasted} requests for lists in another order"
    );
    story.expect_still();
    let more = asked(&server) - wasted;
    assert_eq!(more, 0, "requests for lists in another order in later runs");
}

#[test]
fn case28_the_lists_of_nginx_stay_as_they_are() {
    let server = match NginxServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), DOCUMENTS, "{told}");
    story.expect_still();
}
