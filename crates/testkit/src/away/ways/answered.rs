//! Statuses, redirects and broken answers in place of a site.

use super::super::site::{SiteRequest, document, paragraphs};
use super::{Outage, bare, inside, parked, table};
use crate::hostile::{Reply, Script, page, redirect, status, text};

table! { ANSWERED
    "202 with nothing" |_| status(202).into();
    "204 for all" |_| status(204).into();
    "400 for all" |_| status(400).into();
    "402 for all" |_| page(document("Payment required", "<p>The account of this site was closed.</p>")).with_status(402).into();
    "405 for all" |_| status(405).into();
    "406 for all" |_| page(document("Not Acceptable!", "<p>An appropriate representation could not be found.</p>")).with_status(406).into();
    "421 for all" |_| status(421).into();
    "500 for all" |_| page(document("Error", "<h1>Internal Server Error</h1>")).with_status(500).into();
    "502 for all" |_| status(502).into();
    "508 for all" |_| status(508).into();
    "511 for all" |_| page(document("Network login", "<p>Sign in to the network.</p>")).with_status(511).into();
    "520 for all" |asked| network(asked, 520);
    "the page of a network with 200" |asked| network(asked, 200);
    "the page of a network with 403" |asked| network(asked, 403);
    "the page of a network with 404" |asked| network(asked, 404);
    "the page of a network with 410" |asked| network(asked, 410);
    "hosting suspended with 404" |_| page(document("Account Suspended", "<p>Contact your provider.</p>")).with_status(404).into();
    "404 and 410 in turns" |asked| status(if asked.turn % 2 == 0 { 404 } else { 410 }).into();
    "404 for all, with 403 at the root" |asked| at_the_root(asked, status(403).into());
    "404 for all, with 500 at the root" |asked| at_the_root(asked, status(500).into());
    "404 for all, with nothing at the root" |asked| at_the_root(asked, page("").into());
    "404 for all, with a login at the root" |asked| at_the_root(
        asked, bare("Panel", "<form><input name=user><input type=password name=word></form>"));
    "404 for all, with advertisements at the root" |asked| at_the_root(asked, parked(asked, asked.turn));
    "404 for all, with half a page at the root" |asked| at_the_root(asked, page(asked.site.half(0)).into());
    "404 for all, with another text at the root" |asked| at_the_root(
        asked, inside(asked, "A new beginning", &paragraphs(asked.site.0 + 31_000, 6)));
    "404 for all, and the root leads elsewhere" |asked| at_the_root(asked, redirect("http://elsewhere.example/").into());
    "404 for all, and the root leads to a page of its own" |asked| match asked.target.as_str() {
        "/welcome" => bare("Welcome", "<p>Your new server is ready. Upload your files.</p>"),
        _ => at_the_root(asked, redirect("/welcome").into()),
    };
    "410 for all, with the start page of a server" |asked| match asked.page() {
        Some(0) => bare("Test page", "<p>This page is used to test the proper operation of the server.</p>"),
        _ => status(410).into(),
    };
    "every second page is 404, the others are empty" |asked| match asked.page() {
        Some(at) if at % 2 == 0 => page("").into(),
        _ => status(404).into(),
    };
    "every second page is 404, the others are 500" |asked| match asked.page() {
        Some(at) if at % 2 == 0 => status(500).into(),
        _ => status(404).into(),
    };
    "redirects in a circle" |asked| match asked.target.as_str() {
        "/round/1" => redirect("/round/2").into(),
        _ => redirect("/round/1").into(),
    };
    "every address leads to itself" |asked| redirect(&asked.target).into();
    "every address leads to a longer one" |asked| redirect(&format!("{}x", asked.target)).into();
    "every address leads to the root, which is a login" |asked| match asked.page() {
        Some(0) => bare("Sign in", "<form><input name=user><input type=password name=word></form>"),
        _ => redirect("/").into(),
    };
    "every address leads to the root, which is as it was" |asked| match asked.page() {
        Some(0) => asked.site.healthy(asked).into(),
        _ => redirect("/").into(),
    };
    "every address leads to https, where nobody is" |asked| redirect(
        &format!("https://site{}.example{}", asked.site.0, asked.target)).into();
    "every address leads to another host" |asked| redirect(&format!("http://new.example{}", asked.target)).into();
    "moved for good to another host" |asked| redirect(&format!("http://new.example{}", asked.target)).with_status(301).into();
    "robots.txt closes everything, the pages are as ever" |asked| match asked.target.as_str() {
        "/robots.txt" => text("User-agent: *\nDisallow: /\n").into(),
        _ => asked.site.healthy(asked).into(),
    };
    "robots.txt is broken" |asked| match asked.target.as_str() {
        "/robots.txt" => status(500).into(),
        _ => status(404).into(),
    };
    "an error as JSON" |asked| status(200).with_header("Content-Type", "application/json")
        .with_body(format!("{{\"error\":\"no backend\",\"path\":\"{}\"}}", asked.target)).into();
    "an error as text" |_| text("no healthy upstream").into();
    "an error as text with 404" |_| text("404 page not found\n").with_status(404).into();
    "a message of a store of files" |asked| status(404).with_header("Content-Type", "application/xml").with_body(format!(
        "<?xml version=\"1.0\"?><Error><Code>NoSuchBucket</Code><RequestId>{:x}</RequestId></Error>", asked.turn)).into();
    "a body that is not packed as it says" |asked| match asked.page() {
        Some(at) => page(asked.site.html(at)).with_header("Content-Encoding", "gzip").into(),
        None => status(404).into(),
    };
    "a body of a packing that nobody knows" |asked| match asked.page() {
        Some(at) => page(asked.site.html(at)).with_header("Content-Encoding", "x-secret").into(),
        None => status(404).into(),
    };
    "a length that is not reached" |asked| match asked.page() {
        Some(at) => {
            let html = asked.site.half(at);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", 2 * html.len());
            Script::new().send(head).send(html).close().into()
        }
        None => status(404).into(),
    };
    "pieces without their end" |asked| match asked.page() {
        Some(at) => {
            let html = asked.site.half(at);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n", html.len());
            Script::new().send(head).send(html).send("\r\n").close().into()
        }
        None => status(404).into(),
    };
    "an answer that is none" |_| Script::new().send("SSH-2.0-OpenSSH_9.7\r\n").close().into();
}

table! { RESTING
    "maintenance with a time to come back" |_| page(document("Maintenance", "<p>Back in an hour.</p>"))
        .with_status(503).with_header("Retry-After", "3600").into();
    "the page of a network with 503" |asked| network(asked, 503);
    "too many requests" |_| status(429).into();
    "503 for all but the start page, which is the server's own" |asked| match asked.page() {
        Some(0) => bare("It works!", "<p>It works!</p>"),
        _ => status(503).into(),
    };
    "a connection that is closed" |_| Script::new().close().into();
    "a connection that is reset" |_| Script::new().reset().into();
}

pub(super) const START_PAGE_ALONE: Outage = Outage {
    name: "404 for all but the start page",
    answer: |asked| at_the_root(asked, asked.site.healthy(asked).into()),
};

/// What a network that stands before a site says when the site does not answer: no two are equal.
fn network(asked: &SiteRequest, code: u16) -> Reply {
    let text = format!(
        "<h1>Error {code}</h1><p>Request {:016x}{:x}</p><p>site{}.example: the host did not answer. What can I do? Try again in a few minutes.</p>",
        asked.seed(),
        asked.turn,
        asked.site.0
    );
    page(document(&format!("site{}.example | {code}", asked.site.0), &text))
        .with_status(code)
        .into()
}

/// This at the root, and 404 elsewhere.
fn at_the_root(asked: &SiteRequest, reply: Reply) -> Reply {
    match asked.page() {
        Some(0) => reply,
        _ => status(404).into(),
    }
}
