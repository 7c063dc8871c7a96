//! The ways in which a site can be away: what it answers then, whatever it is asked for.

use super::site::{SiteRequest, document, framed, title};
use crate::hostile::{Reply, Script, page, redirect};

mod answered;
mod shown;

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct Outage {
    pub name: &'static str,
    pub answer: fn(&SiteRequest) -> Reply,
}

/// A table of ways that reads as one.
macro_rules! table {
    ($table:ident $( $name:literal $answer:expr; )*) => {
        pub(super) const $table: &[Outage] = &[ $( Outage { name: $name, answer: $answer }, )* ];
    };
}
use table;

/// All of them: however often a run meets them, nothing of the site is gone, changed or new. Statuses that make a host rest
/// (429, 503) are in [`resting`], because a run would wait for each.
pub fn ways() -> Vec<Outage> {
    [shown::SHOWN, answered::ANSWERED].concat()
}

/// Answers after which a host is left alone for a while.
pub fn resting() -> Vec<Outage> {
    answered::RESTING.to_vec()
}

/// The start page is as ever and all others are gone by the server's own word: believed when it says so twice.
pub fn start_page_alone() -> Outage {
    answered::START_PAGE_ALONE
}

const LOGIN: &str = "<p>Please sign in.</p><form method=post action=/session><input name=user><input type=\"password\" name=word>\
    <button>Sign in</button></form>";
const CONSENT: &str = "<p>We and our partners use cookies. Accept them to go on.</p><form method=post><button>Accept</button></form>";

/// A page without the site's frame.
fn bare(title: &str, main: &str) -> Reply {
    page(document(title, &format!("<h1>{title}</h1>{main}"))).into()
}

/// A page in the site's frame.
fn inside(asked: &SiteRequest, title: &str, main: &str) -> Reply {
    page(framed(asked.site, title, main)).into()
}

/// Every address leads to `to`, which shows one page.
fn gate(asked: &SiteRequest, to: &str, title: &str, main: &str) -> Reply {
    let path = to.split('?').next().unwrap_or(to);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_there = match folder {
        "" | "/cgi-sys" => asked.target.starts_with(path),
        folder => asked.target.starts_with(folder),
    };
    if is_there {
        bare(title, main)
    } else {
        redirect(to).into()
    }
}

fn topic(asked: &SiteRequest) -> String {
    match asked.page() {
        Some(at) => title(asked.site.0 * 100 + at as u64),
        None => title(asked.seed()),
    }
}

/// Five of twenty advertisements.
fn parked(asked: &SiteRequest, seed: u64) -> Reply {
    let ads: Vec<String> = (0..5)
        .map(|n| {
            let ad = (seed.wrapping_mul(31) + n * 7) % 20;
            format!(
                "<li><a href=\"/search?q={ad}\">{}: {}</a></li>",
                title(ad + 900),
                title(ad + 700)
            )
        })
        .collect();
    let ads = ads.concat();
    let name = format!("site{}.example", asked.site.0);
    bare(
        &name,
        &format!("<p>{name} may be for sale.</p><ul>{ads}</ul><p>Related searches</p>"),
    )
}

/// The body ends where the connection ends.
fn without_length(html: &str) -> Reply {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n";
    Script::new().send(head).send(html).close().into()
}
