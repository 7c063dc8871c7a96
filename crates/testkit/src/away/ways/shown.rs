//! Pages that a site shows in place of its own, with the status of a page that is there (unless it says otherwise).

use super::super::site::{Site, document, framed, paragraphs, title};
use super::{CONSENT, LOGIN, Outage, bare, gate, inside, parked, table, topic, without_length};
use crate::hostile::{page, redirect, status, text};

table! { SHOWN
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
        Some(0) => page(framed(Site(asked.site.0 + 5000), &title(asked.site.0 + 5000), &paragraphs(asked.site.0 + 5000, 5))).into(),
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
    "parked with advertisements that use the topic's words" |asked| {
        let topic = topic(asked);
        let ads: Vec<String> = (0..5).map(|n| {
            let ad = (asked.turn.wrapping_mul(17) + n * 7) % 40;
            format!("<li><a href=\"/go?{ad}\">{topic}: {}</a><p>Buy {topic} with {} today.</p></li>", title(ad), title(ad + 50))
        }).collect();
        bare(&topic, &format!("<ul>{}</ul>", ads.concat()))
    };
    "parked in a frame of another host" |asked| page(format!(
        "<!DOCTYPE html><title>site{}.example</title><frameset><frame src=\"http://parking.example/?d={}\"></frameset>", asked.site.0, asked.seed())).into();
    "parked by a script" |asked| page(format!(
        "<!DOCTYPE html><html><head><script>window.location.replace('//ww1.parking.example/?t={}')</script></head></html>", asked.turn)).into();
    "parked with a start page that changes, and nothing else" |asked| match asked.page() {
        Some(0) => parked(asked, asked.turn),
        _ => status(404).into(),
    };
    "advertisements that change, each with much text" |asked| bare(
        &format!("site{}.example", asked.site.0), &format!("<p>Sponsored.</p>{}", paragraphs(asked.turn, 4)));
    "the gate of a hotel" |_| bare(
        "Welcome to our network", "<p>Enter the number of your room to go online.</p><form><input name=room><button>Connect</button></form>");
    "the gate of a hotel, behind a redirect" |asked| gate(
        asked, "/portal/hello", "Welcome to our network", "<p>Enter the number of your room.</p><form><input name=room></form>");
    "the filter of a network" |asked| bare("Web page blocked", &format!(
        "<p>Access to http://site{}.example{} was blocked by your administrator. Category: unrated.</p>", asked.site.0, asked.target));
    "a login with a word for each page" |asked| bare(
        "Sign in", &format!("<p>Sign in to read about {}.</p>{LOGIN}", topic(asked)));
    "a program that is to be installed" |asked| gate(
        asked, "/wp-admin/install.php", "Installation", &format!("<p>Welcome to the five-minute installation.</p>{LOGIN}"));
    "a program that is to be installed, at the root alone" |asked| match asked.page() {
        Some(0) => bare("Installation", &format!("<p>Welcome to the five-minute installation.</p>{LOGIN}")),
        _ => status(404).into(),
    };
    "a program without its extension" |asked| page(document("", &format!(
        "Your installation appears to be missing the database extension. Asked for {}.", asked.target))).into();
    "a program whose source is shown" |asked| page(format!(
        "<?php require 'lib/start.php'; show_page('{}', {}); ?>\n", asked.target, asked.seed())).into();
    "a program that says where it broke" |asked| page(document("Application error", &format!(
        "<h1>RuntimeError in PagesController#show</h1><pre>undefined method for nil\napp/pages.rb:{}\nRequest {:x}</pre>",
        asked.seed() % 90, asked.turn))).into();
    "too many connections" |asked| page(document("Error", &format!(
        "<p>Too many connections ({}).</p>", asked.turn))).into();
    "a picture as the server's own page" |asked| match asked.page() {
        Some(0) => page("<!DOCTYPE html><title>Server</title><a href=\"http://vendor.example/\"><img src=\"start.png\" alt=\"\"></a>").into(),
        _ => page(document("404 - File or directory not found.", "<h2>404</h2>")).with_status(404).into(),
    };
    "the control panel of a provider" |asked| match asked.page() {
        Some(0) => bare("Default page", "<p>You see this page because the site is not set up yet. Log in to your panel to begin.</p>"),
        _ => bare("Default page", "<p>You see this page because there is no such page here. Log in to your panel to begin.</p>"),
    };
    "coming soon, with a countdown" |asked| bare("Coming soon", &format!(
        "<p>Something new is on its way. {} hours left.</p>", 900 - asked.turn % 800));
    "coming soon at the root, and nothing else" |asked| match asked.page() {
        Some(0) => inside(asked, "Coming soon", "<p>We are building something new for you. Leave us your address.</p>"),
        _ => status(404).into(),
    };
    "another site with the same addresses" |asked| match asked.page() {
        Some(at @ (0 | 6)) => page(Site(asked.site.0 + 7000).html(at)).into(),
        _ => page(framed(Site(asked.site.0 + 7000), "Not here", "<p>Nothing.</p>")).with_status(404).into(),
    };
    "an application that wants scripts" |_| page(
        "<!DOCTYPE html><title>App</title><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div>").into();
    "an application that is loading, with its address in the title" |asked| page(format!(
        "<!DOCTYPE html><title>{} - App</title><div id=root>Loading</div>", asked.target)).into();
    "what is not found, with the address as its title" |asked| inside(
        asked, &asked.target.clone(), "<p>We could not find what you were looking for. Try the search.</p>");
    "what is not found, with much that is offered instead" |asked| inside(asked, "Not found", &format!(
        "<p>Perhaps you like one of these.</p>{}", paragraphs(asked.site.0 + 4000, 3)));
    "the results of a search for the address" |asked| inside(asked, &format!("Results for {}", asked.target), &format!(
        "<p>No results for {}.</p><form><input name=q></form>", asked.target));
    "a backup without texts" |asked| match asked.page() {
        Some(at) => page(framed(asked.site, &title(asked.site.0 * 100 + at as u64), "")).into(),
        None => status(404).into(),
    };
    "a third of every page" |asked| match asked.page() {
        Some(at) => {
            let html = asked.site.html(at);
            page(&html[..html.len() / 3]).into()
        }
        None => status(404).into(),
    };
    "only the head of every page" |asked| match asked.page() {
        Some(at) => {
            let html = asked.site.html(at);
            page(&html[..html.find("<body>").unwrap_or(0)]).into()
        }
        None => status(404).into(),
    };
    "a blank with a counter" |asked| page(format!("<!-- {} -->", asked.turn)).into();
    "white space" |_| page("\n\n   \n").into();
    "an old page for every address" |asked| page(asked.site.html(4)).into();
    "a shop that sells the domain" |asked| bare(
        &format!("site{}.example - premium domain", asked.site.0),
        &format!("<p>Price: {} dollars.</p><p>{} people look at it now.</p>", asked.turn % 900 + 100, asked.turn % 7));
}
