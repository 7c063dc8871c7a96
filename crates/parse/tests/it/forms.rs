//! Forms of real pages: no panic, bounded time, and what is read can be filled and sent.

use gleaner_model::Url;
use gleaner_parse::Input;
use gleaner_parse::forms::{Button, Which, encode, fill, find, forms};
use std::fs;
use std::io::Read;
use std::time::{Duration, Instant};

/// Far beyond what a page takes, in a build without optimisation and on a busy machine.
const PAGE_TIME_MAX: Duration = Duration::from_secs(30);

#[test]
fn forms_of_real_pages_are_read_and_written() {
    let mut files: Vec<_> = [
        "wcxb/html",
        "aeb/html",
        "trafilatura-eval/html",
        "focused-ebola/html",
    ]
    .iter()
    .filter_map(|name| gleaner_fixtures::corpus(name))
    .map(|folder| fs::read_dir(folder).expect("a folder of pages"))
    .flat_map(|entries| entries.map(|entry| entry.unwrap().path()))
    .filter(|path| path.to_string_lossy().ends_with(".gz"))
    .collect();
    if files.is_empty() {
        return;
    }
    files.sort();
    let url = Url::parse("http://site.test/page.html").unwrap();
    let headers = [("content-type".to_owned(), "text/html".to_owned())];
    let (mut count, mut controls, mut labelled, mut sent, mut logins) = (0, 0, 0, 0, 0);
    let mut slowest = Duration::ZERO;
    for file in &files {
        let mut body = Vec::new();
        let unpacked = flate2::read::GzDecoder::new(fs::File::open(file).unwrap()).read_to_end(&mut body);
        unpacked.unwrap();
        let start = Instant::now();
        let page = forms(&Input {
            url: &url,
            headers: &headers,
            body: &body,
            agent: "gleaner",
            is_sitemap: false,
        });
        slowest = slowest.max(start.elapsed());
        logins += usize::from(find(&page, &Which::Password).is_ok());
        for form in page.iter() {
            assert!(!form.is_cut, "{}", file.display());
            count += 1;
            controls += form.controls.len();
            labelled += form.controls.iter().filter(|c| !c.label.is_empty()).count();
            let Ok(submission) = fill(form, &[], &Button::First) else {
                continue;
            };
            sent += usize::from(encode(&submission).is_ok());
        }
    }
    println!(
        "forms: {count} with {controls} controls ({labelled} labelled) on {} pages, {sent} can be sent, {logins} logins, slowest page {slowest:?}",
        files.len()
    );
    assert!(count > 500 && sent * 10 > count * 9);
    assert!(slowest < PAGE_TIME_MAX);
}
