//! A small site in one of several templates, each page with a text of its own.

use crate::hostile::{Request, Response, page};
use crate::mutate::Dice;

/// The pages of every site.
pub const PATHS: [&str; 7] = [
    "/",
    "/p/1.html",
    "/p/2.html?ref=home",
    "/item?id=3",
    "/docs/",
    "/docs/guide/x",
    "/about",
];

/// One site among many: its number decides its template and its texts.
#[derive(Debug, Clone, Copy)]
pub struct Site(pub u64);

/// A request as a site sees it.
#[derive(Debug, Clone)]
pub struct SiteRequest {
    pub site: Site,
    /// Path with query.
    pub target: String,
    /// How many requests the site had before.
    pub turn: u64,
}

impl SiteRequest {
    pub fn of(request: &Request, site: Site, turn: u64) -> SiteRequest {
        SiteRequest {
            site,
            target: request.target.clone(),
            turn,
        }
    }

    /// Which page of the site was asked for.
    pub fn page(&self) -> Option<usize> {
        PATHS.iter().position(|path| *path == self.target)
    }

    /// A number for each address.
    pub fn seed(&self) -> u64 {
        (self.target.bytes()).fold(self.site.0 + 17, |sum, byte| {
            sum.wrapping_mul(1_099_511_628_211) ^ u64::from(byte)
        })
    }
}

impl Site {
    /// The site as it should be: 404 for what it does not have.
    pub fn healthy(self, asked: &SiteRequest) -> Response {
        if let Some(at) = asked.page() {
            return page(self.html(at));
        }
        let text = "<p>There is nothing at this address.</p>";
        page(framed(self, "Not here", text)).with_status(404)
    }

    pub fn html(self, at: usize) -> String {
        let seed = self.0 * 100 + at as u64;
        framed(self, &title(seed), &paragraphs(seed, 5))
    }

    /// The first half of a page, cut in the middle of a word.
    pub fn half(self, at: usize) -> String {
        let html = self.html(at);
        html[..html.len() / 2].to_owned()
    }
}

/// A title of three words.
pub fn title(seed: u64) -> String {
    let mut dice = Dice::new(seed ^ 0xface);
    format!("{} {} {}", word(&mut dice), word(&mut dice), word(&mut dice))
}

pub fn paragraphs(seed: u64, count: usize) -> String {
    let mut dice = Dice::new(seed);
    let paragraph = |_| {
        let words: Vec<String> = (0..40).map(|_| word(&mut dice)).collect();
        format!("<p>{}.</p>\n", words.join(" "))
    };
    (0..count).map(paragraph).collect::<Vec<_>>().concat()
}

fn word(dice: &mut Dice) -> String {
    let length = 3 + dice.below(6);
    dice.word(length)
}

/// A page in the site's own frame: menus, side bars and footers of several kinds, or none.
pub fn framed(site: Site, title: &str, main: &str) -> String {
    framed_with(site, title, main, &PATHS)
}

/// The same with other links in its menu.
pub fn framed_with(site: Site, title: &str, main: &str, paths: &[&str]) -> String {
    let links: Vec<String> = paths
        .iter()
        .map(|path| format!("<li><a href=\"{path}\">{path}</a></li>\n"))
        .collect();
    let links = links.concat();
    let body = match site.0 % 5 {
        0 => format!(
            "<nav><ul>{links}</ul></nav><main><h1>{title}</h1>{main}</main><footer>Printed by hand.</footer>"
        ),
        1 => format!(
            "<div id=top><b>The gazette</b> <a href=/>Home</a> <a href=/errors>Errors</a></div><div class=content>\
             <h2>{title}</h2>{main}</div><div class=side><ul>{links}</ul></div>"
        ),
        2 => format!("<h1>{title}</h1>{main}<ul>{links}</ul>"),
        3 => format!(
            "<table><tr><td><ul>{links}</ul></td><td><h1>{title}</h1>{main}</td></tr></table>\
             <p>All rights reserved by the people who wrote this.</p>"
        ),
        _ => format!(
            "<header><form action=/search><input name=q></form><ul>{links}</ul></header><article><h1>{title}</h1>{main}\
             </article><footer><p>Imprint, privacy, contact and the rest of it.</p></footer>"
        ),
    };
    document(title, &body)
}

/// A whole document around a body.
pub fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head><body>\n{body}\n</body></html>\n"
    )
}
