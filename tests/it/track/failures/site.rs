//! A small healthy site that can be broken and healed: twelve pages with texts of their own.
//!
//! Some pages send validators and answer 304, some do not, so that each failure is met both ways.

use super::super::prose;
use gleaner_testkit::hostile::{HostileServer, Reply, Request, Response, dynamic, page, status, text};

/// The pages. The first four have an `ETag`, the next two `Last-Modified`, the others nothing.
pub(crate) const PATHS: [&str; 12] = [
    "/",
    "/news/1.html",
    "/news/2.html",
    "/shop/item?id=1",
    "/shop/item?id=2",
    "/docs/guide.html",
    "/docs/faq.html",
    "/docs/terms.html",
    "/people/ada",
    "/people/bob",
    "/news/3.html",
    "/about.html",
];

/// How many pages, from the first, carry a validator.
pub(crate) const WITH_VALIDATORS: usize = 6;

const MODIFIED: &str = "Sun, 01 Mar 2026 10:00:00 GMT";

/// Sets every route as it should be.
pub(crate) fn heal(server: &HostileServer) {
    for (at, path) in PATHS.iter().enumerate() {
        server.route(path, healthy(at));
    }
    server.route("/robots.txt", text("User-agent: *\nDisallow: /private/\n"));
    server.route("/*", not_found());
    server.remove("/login").greet(None);
}

/// 404 with a page around it, as sites have.
fn not_found() -> Response {
    page("<!DOCTYPE html><title>Not here</title><h1>Not here</h1><p>There is nothing at this address.</p>")
        .with_status(404)
}

/// The page as it should be; conditional requests are answered where it has validators.
pub(crate) fn healthy(at: usize) -> Reply {
    let whole = page(html(at, "utf-8"));
    match at {
        0..4 => {
            let tag = format!("\"v{at}\"");
            let whole = whole.with_header("ETag", &tag);
            conditional("if-none-match", tag, whole)
        }
        4..WITH_VALIDATORS => {
            let whole = whole.with_header("Last-Modified", MODIFIED);
            conditional("if-modified-since", MODIFIED.to_owned(), whole)
        }
        _ => whole.into(),
    }
}

fn conditional(field: &'static str, value: String, whole: Response) -> Reply {
    dynamic(move |request: &Request| match request.header(field) {
        Some(known) if known == value => status(304),
        _ => whole.clone(),
    })
}

/// The source of a page. Its letters are those of Latin-1, so that it can be written in several charsets.
pub(crate) fn html(at: usize, charset: &str) -> String {
    let links = PATHS.map(|path| format!("<li><a href=\"{path}\">{path}</a></li>\n"));
    let links = links.concat();
    let title = prose::title(at as u64);
    let paragraphs = prose::html(at as u64, 5, " Café Übung naïve.");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"{charset}\"><title>{title}</title></head>\n<body>\n\
         <nav><ul>\n{links}</ul></nav>\n<main><h1>{title}</h1>\n{paragraphs}</main>\n\
         <footer><p>Printed by the harbour press.</p></footer></body></html>\n"
    )
}
