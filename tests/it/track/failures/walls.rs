//! Pages with status 200 that stand in front of the content: walls, captchas, shells, error texts, soft 404s.

use super::site::{PATHS, heal, html};
use super::{Case, HERE, HOST, cases, expect_states, first_act};
use gleaner_testkit::hostile::{HostileServer, Request, Response, dynamic, page, redirect, status};

fn framed(title: &str, main: &str) -> Response {
    let links = "<nav><a href=\"/\">Home</a> <a href=\"/about.html\">About</a></nav>";
    page(format!(
        "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>{title}</title></head>\
         <body>{links}<main><h1>{title}</h1>{main}</main></body></html>"
    ))
}

fn login() -> Response {
    framed(
        "Log in",
        "<p>You must log in to see this page.</p><form action=\"/session\" method=\"post\">\
         <input name=\"user\"><input type=\"password\" name=\"password\"><input type=\"submit\" value=\"Log in\"></form>",
    )
}

/// Says where one was going, as such pages do: no two of them are equal.
fn login_that_returns(at: usize) -> Response {
    framed(
        "Sign in to continue",
        &format!(
            "<p>Your session has expired. Please sign in again.</p><form action=\"/session\" method=\"post\">\
             <input type=\"hidden\" name=\"return\" value=\"{}\"><input name=\"user\">\
             <input type=\"password\" name=\"password\"><button>Sign in</button></form>",
            PATHS[at]
        ),
    )
}

fn captcha() -> Response {
    framed(
        "Just a moment...",
        "<p>Checking your browser before accessing the site. Please verify that you are a human.</p>\
         <div class=\"g-recaptcha\" data-sitekey=\"x\"></div><script src=\"/challenge.js\"></script>",
    )
}

fn maintenance() -> Response {
    framed(
        "We will be back soon",
        "<p>The site is down for maintenance. We apologise for any inconvenience and will be back shortly.</p>",
    )
}

fn database_error() -> Response {
    page("<!DOCTYPE html><title>Database Error</title><h1>Error establishing a database connection</h1>")
}

fn shell() -> Response {
    page(
        "<!DOCTYPE html><html><head><title>App</title><script src=\"/app.3f9a.js\"></script></head>\
         <body><div id=\"root\"></div><noscript></noscript></body></html>",
    )
}

cases! {
    hc071_login_wall_everywhere: Case::all(login()).reasons(&["login-wall", "same-for-all"]);
    hc071_login_wall_on_half: Case::half(login()).reasons(&["login-wall", "same-for-all"]);
    hc071_login_wall_on_two_pages: Case::of([3, 8], login()).reasons(&["login-wall", "same-for-all"]);
    hc071_login_wall_that_says_where_to_return: Case::each(0..PATHS.len(), login_that_returns)
        .reasons(&["login-wall", "same-for-all"]);
    hc071_session_ends_in_mid_run: Case::each(6..PATHS.len(), login_that_returns).reasons(&["login-wall", "same-for-all"]);
    captcha_everywhere: Case::all(captcha()).reasons(&["blocked", "same-for-all"]);
    captcha_on_half: Case::half(captcha()).reasons(&["blocked", "same-for-all"]);
    captcha_with_403: Case::all(captcha().with_status(403)).reasons(&["http-403", "blocked"]);
    maintenance_everywhere: Case::all(maintenance()).reasons(&["same-for-all", "error-page"]);
    maintenance_but_for_the_start_page: Case::all_but_home(maintenance()).reasons(&["same-for-all", "error-page", "soft-404"]);
    database_error_on_some: Case::some(database_error()).reasons(&["error-page", "same-for-all"]);
    database_error_on_one: Case::of([7], database_error()).reasons(&["error-page"]);
    database_error_everywhere: Case::all(database_error()).reasons(&["error-page", "same-for-all"]);
    php_error_text: Case::some(page(
        "<br />\n<b>Fatal error</b>:  Uncaught PDOException: SQLSTATE[HY000] [2002] Connection refused in \
         <b>/srv/www/db.php</b> on line <b>12</b><br />\n"));
    json_error: Case::some(
        status(200).with_header("Content-Type", "application/json").with_body("{\"error\":\"backend unavailable\"}"))
        .states(&["ERR", "OUT"]);
    empty_shell_everywhere: Case::all(shell()).reasons(&["became-empty", "same-for-all"]);
    empty_shell_on_some: Case::some(shell()).reasons(&["became-empty", "same-for-all"]);
    consent_wall: Case::all(framed("Before you continue", "<p>We use cookies. Accept all or manage your choices to go on.</p>\
        <form action=\"/consent\" method=\"post\"><button>Accept all</button></form>"));
}

/// Everything leads to one login page, as content systems do when a session ends.
#[test]
fn hc071_login_wall_behind_a_redirect() {
    let case = Case::all(redirect("/login"));
    case.play_with(|server| server.route("/login", login()));
}

#[test]
fn hc071_login_wall_behind_a_redirect_that_says_where_to_return() {
    let case = Case::each(0..PATHS.len(), |at| redirect(&format!("/login?return={at}")));
    case.play_with(|server| server.route("/login", login()));
}

/// The wall stands for every path, also for those that never were.
#[test]
fn hc071_login_wall_for_every_path() {
    Case::all(login()).play_with(|server| server.route("/*", login()));
}

#[test]
fn maintenance_for_every_path() {
    Case::all(maintenance()).play_with(|server| server.route("/*", maintenance()));
}

/// HC070: the wall is there, one summary line says so, and there is no wave of changes.
#[test]
fn hc070_a_wall_is_one_line_of_the_report() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    for path in PATHS {
        server.route(path, login());
    }
    let told = story.track(&[HERE]);
    expect_states(&told, &server, &[["ERR"].as_slice(); PATHS.len()]);
    let text = story.report_text();
    let summaries: Vec<_> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert!(
        summaries.len() == 1 && summaries[0].contains("12 of 12") && summaries[0].contains("login-wall"),
        "one sentence about all of it: {summaries:?}\n{text}"
    );
}

/// A host that is down is one line too.
#[test]
fn a_host_that_is_down_is_one_line_of_the_report() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    // Nobody listens there.
    let told = story.track(&["--resolve=site.test=127.0.0.9"]);
    expect_states(&told, &server, &[["ERR"].as_slice(); PATHS.len()]);
    let text = story.report_text();
    let summaries: Vec<_> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert!(
        summaries.len() == 1 && summaries[0].contains("12 of 12"),
        "one sentence about all of it: {summaries:?}\n{text}"
    );
}

/// The site's 'not found' page, with status 200.
fn soft_404() -> Response {
    framed(
        "Page not found",
        "<p>Sorry, the page you are looking for could not be found. It may have been moved or deleted.</p>",
    )
}

/// Two pages are gone, and the server says 200 to every unknown path: the probe proves it, and MIS is right.
#[test]
fn hc017_soft_404_is_gone_and_never_changed() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    server.remove(PATHS[2]).remove(PATHS[9]).route("/*", soft_404());
    let told = story.track(&[HERE]);
    let mut allowed = [["SAM"].as_slice(); PATHS.len()];
    (allowed[2], allowed[9]) = (&["MIS", "ERR"], &["MIS", "ERR"]);
    expect_states(&told, &server, &allowed);
    for at in [2, 9] {
        let change = told.of(&server.url_as(HOST, PATHS[at]));
        assert_eq!(change.reason, "soft-404", "{told}");
    }
    // What is gone stays gone and is not told again; the rest is as it was.
    let gone = told.count("MIS");
    let again = story.track(&[HERE]);
    assert_eq!(
        (
            again.count("SAM"),
            again.count("MIS"),
            again.count("NEW"),
            again.count("UPD")
        ),
        (PATHS.len() - 2, 0, 0, 0),
        "{gone} were gone before\n{again}"
    );
}

/// The soft 404 names the path it was asked for, so no two of them are equal.
#[test]
fn hc017_soft_404_that_repeats_the_path() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    let missing = dynamic(|request: &Request| {
        framed(
            "Page not found",
            &format!(
                "<p>Sorry, there is nothing at <b>{}</b>. Perhaps you mistyped the address?</p>",
                request.target
            ),
        )
    });
    server.remove(PATHS[6]).route("/*", missing);
    let told = story.track(&[HERE]);
    let mut allowed = [["SAM"].as_slice(); PATHS.len()];
    allowed[6] = &["MIS", "ERR"];
    expect_states(&told, &server, &allowed);
}

/// The same while the site was crawled: soft 404s are no documents then, and none are told as new later.
#[test]
fn hc017_a_site_that_was_soft_from_the_first_day() {
    let server = HostileServer::start();
    heal(&server);
    server.route("/*", soft_404());
    let mut story = super::Story::new();
    let crawled = story.crawl(&server.url_as(HOST, "/"), &[HERE]);
    assert_eq!(crawled.count("NEW"), PATHS.len(), "{crawled}");
    server.remove(PATHS[10]);
    let told = story.track(&[HERE]);
    let mut allowed = [["SAM"].as_slice(); PATHS.len()];
    allowed[10] = &["MIS"];
    expect_states(&told, &server, &allowed);
}

/// A real change to a short page is no wall: guards must not make everything ERR.
#[test]
fn an_honest_change_is_still_told() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    // Another text altogether, and one that speaks of logins and errors as a page may.
    server.route(PATHS[7], page(html(57, "utf-8")));
    let speaks = html(8, "utf-8").replacen(
        "<p>The",
        "<p>We explain how a login works, what an error 404 is, and why a page was not found. The",
        1,
    );
    server.route(PATHS[8], page(speaks));
    server.remove(PATHS[11]);
    let told = story.track(&[HERE]);
    let mut allowed = [["SAM"].as_slice(); PATHS.len()];
    (allowed[7], allowed[8], allowed[11]) = (&["UPD"], &["UPD"], &["MIS"]);
    expect_states(&told, &server, &allowed);
    assert_eq!(
        told.of(&server.url_as(HOST, PATHS[11])).reason,
        "http-404",
        "{told}"
    );
}
