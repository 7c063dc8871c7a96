//! The ways in which a site can be away: what it answers then, whatever it is asked for.

use super::site::{Asked, document, framed, paragraphs, title};
use crate::hostile::{Reply, Script, page, redirect, status, text};

/// One of them.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub name: &'static str,
    pub answer: fn(&Asked) -> Reply,
}

/// A table of ways that reads as one.
macro_rules! ways {
    ($( $name:literal $answer:expr; )*) => {
        /// Failures with a status that makes a host rest are not among them: a run would wait for each.
        pub const WAYS: &[Way] = &[ $( Way { name: $name, answer: $answer }, )* ];
    };
}

ways! {
    "maintenance" |_| bare("Maintenance", "<p>We are doing some work. Please come back later.</p>");
    "maintenance in the site's frame" |asked| inside(asked, "We will be back soon", "<p>The site is down for maintenance.</p>");
    "maintenance that names the path" |asked| bare("Down for maintenance", &format!("<p>{} cannot be shown right now.</p>", asked.target));
    "maintenance that names the topic" |asked| {
        let topic = topic(asked);
        inside(asked, &format!("{topic} - back soon"), &format!("<p>Our pages about {topic} are being worked on.</p>"))
    };
    "maintenance behind a redirect" |asked| gate(asked, "/maintenance", "Maintenance", "<p>Back at noon.</p>");
    "maintenance behind a redirect for each page" |asked| {
        gate(asked, &format!("/maintenance?from={}", asked.seed()), "Maintenance", "<p>Back at noon.</p>")
    };
    "maintenance behind a refresh" |asked| match asked.target.as_str() {
        "/soon.html" => bare("Soon", "<p>We are moving house and will open the doors again in a while.</p>"),
        _ => page("<!DOCTYPE html><title>One moment</title><meta http-equiv=refresh content=\"0;url=/soon.html\"><p>Going on.</p>").into(),
    };
    "only the start page works" |asked| match asked.page() {
        Some(0) => asked.site.healthy(asked).into(),
        _ => inside(asked, "Page not found", "<p>Sorry, the page you are looking for could not be found.</p>"),
    };
    "parked with advertisements that rotate" |asked| parked(asked, asked.turn);
    "parked with advertisements for each address" |asked| parked(asked, asked.seed());
    "parked with one page" |asked| bare(
        &format!("site{}.example is for sale", asked.site.0), "<p>This domain is for sale. Make an offer to its owner today.</p>");
    "parked on another host" |asked| redirect(&format!("http://parking.example/?d=site{}", asked.site.0)).into();
    "parked with shops behind every link" |asked| {
        let links: Vec<String> = (0..6).map(|n| format!("<li><a href=\"/shop/{}-{n}\">Offer {n} {}</a></li>", asked.turn % 7, title(asked.turn + n))).collect();
        let links = links.concat();
        bare("Best offers", &format!("<ul>{links}</ul><p>Sponsored listings for you.</p>"))
    };
    "nothing at all" |_| page("").into();
    "nothing but on the start page" |asked| match asked.page() {
        Some(0) => asked.site.healthy(asked).into(),
        _ => page("").into(),
    };
    "a shell without text" |_| page("<!DOCTYPE html><title>App</title><div id=root></div><script src=/app.js></script>").into();
    "half pages without a length" |asked| match asked.page() {
        Some(at) => without_length(&asked.site.half(at)),
        None => status(404).into(),
    };
    "half pages with the length of the half" |asked| match asked.page() {
        Some(at) => page(asked.site.half(at)).into(),
        None => status(404).into(),
    };
    "pages without their text" |asked| match asked.page() {
        Some(at) => page(framed(asked.site, &title(asked.site.0 * 100 + at as u64), "<p>Loading.</p>")).into(),
        None => status(404).into(),
    };
    "a login form" |_| bare("Sign in", LOGIN);
    "a login form in the site's frame" |asked| inside(asked, "Members only", LOGIN);
    "a login form that says where to return" |asked| inside(
        asked, "Sign in to go on", &format!("<p>{} needs a login.</p>{LOGIN}", asked.target));
    "a login behind a redirect" |asked| gate(asked, "/login", "Sign in", LOGIN);
    "a login behind a redirect for each page" |asked| gate(asked, &format!("/login?return={}", asked.seed()), "Sign in", LOGIN);
    "consent" |asked| inside(asked, "Before you go on", CONSENT);
    "consent behind a redirect for each page" |asked| {
        gate(asked, &format!("/consent?return={}", asked.seed()), "Your privacy", CONSENT)
    };
    "consent in a folder for each page" |asked| gate(asked, &format!("/privacy-gate/{}", asked.seed()), "Your privacy", CONSENT);
    "consent that is one page" |asked| gate(asked, "/consent", "Your privacy", CONSENT);
    "a captcha" |_| bare("One more step", "<p>Please show that you are human.</p><div class=\"g-recaptcha\"></div>");
    "a captcha with 403" |_| page(document("One more step", "<div class=\"h-captcha\"></div>")).with_status(403).into();
    "a picture to be read" |_| bare("Security check", "<p>Type the letters.</p><img src=/c.png><input name=captcha>");
    "a check of the browser" |_| bare("Just a moment...", "<p>Checking your browser before you go on.</p><script>x()</script>");
    "a check of the browser by script alone" |asked| page(format!(
        "<!DOCTYPE html><title>Loading</title><script>var t='{}';go(t)</script><p>Please wait a second.</p>", asked.turn)).into();
    "the server's own page" |_| bare("Welcome to nginx!", "<p>If you see this page, the web server is successfully installed.</p>");
    "the server's own page and nothing else" |asked| match asked.page() {
        Some(0) => bare("It works!", "<p>It works!</p>"),
        _ => status(404).into(),
    };
    "a listing of an empty folder" |asked| bare(&format!("Index of {}", asked.target), "<ul><li><a href=..>Parent Directory</a></ul>");
    "an empty folder at the root" |asked| match asked.page() {
        Some(0) => bare("Index of /", "<ul><li><a href=\"?C=N\">Name</a></ul>"),
        _ => status(404).into(),
    };
    "another site" |asked| match asked.page() {
        Some(0) => page(framed(super::Site(asked.site.0 + 5000), &title(asked.site.0 + 5000), &paragraphs(asked.site.0 + 5000, 5))).into(),
        _ => status(404).into(),
    };
    "an error of the network before it" |asked| bare(
        "Error 1016", &format!("<p>Origin DNS error. Ray {:x}. The owner of this site has to look at its records.</p>", asked.seed()));
    "blocked in this country" |_| bare("Not available", "<p>This content is not available in your region.</p>");
    "451 for all" |_| status(451).into();
    "403 for all" |_| page(document("403 Forbidden", "<h1>Forbidden</h1>")).with_status(403).into();
    "401 for all" |_| status(401).with_header("WWW-Authenticate", "Basic realm=\"x\"").into();
    "404 for all" |_| status(404).into();
    "404 for all in a frame" |asked| page(framed(asked.site, "Not found", "<p>Nothing.</p>")).with_status(404).into();
    "410 for all" |_| status(410).into();
    "404 for all but the start page" |asked| match asked.page() {
        Some(0) => asked.site.healthy(asked).into(),
        _ => status(404).into(),
    };
    "a database that is down" |_| bare("Database Error", "<h1>Error establishing a database connection</h1>");
    "a database that is down, with menus" |asked| inside(asked, "Server error", "<p>Could not connect to the database.</p>");
    "a program that breaks" |asked| page(format!(
        "<br /><b>Fatal error</b>: Uncaught Error in <b>/srv{}</b> on line <b>12</b>", asked.target)).into();
    "one text and a little filling" |asked| inside(
        asked, "We will be right back", &format!("<p>{}</p>", title(asked.seed())));
    "one text and much filling" |asked| inside(asked, "We will be right back", &paragraphs(asked.seed(), 5));
    "one text and filling that changes" |asked| inside(asked, "A word from us", &format!(
        "<p>Our readers come first, and so we take a break.</p>{}", paragraphs(asked.turn, 3)));
    "hosting suspended" |_| bare("Account Suspended", "<p>This account has been suspended. Contact your provider.</p>");
    "hosting suspended behind a redirect" |asked| gate(
        asked, "/cgi-sys/suspendedpage.cgi", "Account Suspended", "<p>Contact your provider.</p>");
    "a choice of languages" |_| bare("Choose your language", "<ul><li><a href=/en>English</a><li><a href=/fr>Français</a></ul>");
    "a question for the age" |asked| inside(asked, "Are you of age?", "<form><button>Yes</button><button>No</button></form>");
    "the start page for every address" |asked| page(asked.site.html(0)).into();
    "what is not found, for every address" |asked| inside(asked, "Nothing here", "<p>The page was not found on this server.</p>");
    "what is not found, naming the address" |asked| inside(
        asked, "Page not found", &format!("<p>There is no page at {} any more.</p>", asked.target));
    "robots.txt closes everything" |asked| match asked.target.as_str() {
        "/robots.txt" => text("User-agent: *\nDisallow: /\n").into(),
        _ => bare("Closed", "<p>Closed for the winter.</p>"),
    };
}

const LOGIN: &str = "<p>Please sign in.</p><form method=post action=/session><input name=user><input type=\"password\" name=word>\
    <button>Sign in</button></form>";
const CONSENT: &str = "<p>We and our partners use cookies. Accept them to go on.</p><form method=post><button>Accept</button></form>";

/// A page without the site's frame.
fn bare(title: &str, main: &str) -> Reply {
    page(document(title, &format!("<h1>{title}</h1>{main}"))).into()
}

/// A page in the site's frame.
fn inside(asked: &Asked, title: &str, main: &str) -> Reply {
    page(framed(asked.site, title, main)).into()
}

/// Every address leads to `to`, which shows one page.
fn gate(asked: &Asked, to: &str, title: &str, main: &str) -> Reply {
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

fn topic(asked: &Asked) -> String {
    match asked.page() {
        Some(at) => title(asked.site.0 * 100 + at as u64),
        None => title(asked.seed()),
    }
}

/// Five of twenty advertisements.
fn parked(asked: &Asked, seed: u64) -> Reply {
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
