//! Edits beside a short text, in lists and of pictures are seen; what changes on every page of a site is its frame (B6).

use super::{Story, prose};
use gleaner_testkit::hostile::{HostileServer, page};
use gleaner_testkit::lists::{self, Shape};

/// A site whose pages have a large menu, a side bar of their own and little text, as of one day.
struct Site {
    /// Entries of the menu.
    entries: usize,
    /// Words in the header of every page.
    notice: &'static str,
    /// Behind the name of every page in its title.
    suffix: &'static str,
    /// The page whose side bar, picture or text was edited.
    edited: [Option<usize>; 3],
}

const PAGES: usize = 12;

impl Site {
    fn first() -> Site {
        Site {
            entries: 30,
            notice: "",
            suffix: "Town 3.2 papers",
            edited: [None; 3],
        }
    }

    fn publish(&self, server: &HostileServer) {
        let links = |from: &str| -> String {
            (0..PAGES)
                .map(|number| format!("<li><a href=\"{from}{number}.html\">Desk {number}</a></li>"))
                .collect::<Vec<String>>()
                .concat()
        };
        server.route(
            "/",
            page(format!(
                "<title>Start</title><h1>Start</h1><ul>{}</ul>",
                links("/desk/")
            )),
        );
        for number in 0..PAGES {
            server.route(&format!("/desk/{number}.html"), page(self.page(number)));
        }
    }

    fn page(&self, number: usize) -> String {
        let is_edited = |what: usize| self.edited[what] == Some(number);
        let menu = (0..self.entries)
            .map(|at| format!("<li><a href=\"/#m{at}\">Office number {at} of the town</a></li>"))
            .collect::<Vec<String>>()
            .concat();
        let hours = if is_edited(0) { "from ten" } else { "from nine" };
        let picture = if is_edited(1) { "portrait" } else { "map" };
        let word = if is_edited(2) { "never" } else { "always" };
        let title = prose::title(number as u64 + 40);
        format!(
            "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>{title} — {suffix}</title></head><body>\n\
             <div class=\"head\"><p>The town hall</p>{notice}</div>\n<div class=\"mainmenu\"><ul>{menu}</ul></div>\n\
             <div class=\"sidebar\"><h4>Open</h4><p>{hours} to {number}</p></div>\n\
             <div class=\"content\"><h1>{title}</h1><p><img src=\"/{picture}.png\" alt=\"The way there\"></p>\n\
             <p>Desk {number} is {word} there for you: {}</p></div>\n\
             <div class=\"footer\">Written in 2024</div></body></html>\n",
            prose::title(number as u64 + 90),
            notice = self.notice,
            suffix = self.suffix,
        )
    }
}

fn expect(story: &mut Story, server: &HostileServer, paths: &[String], what: &str) {
    let told = story.track(&[]);
    let mut updated: Vec<String> = told.urls("UPD").into_iter().map(str::to_owned).collect();
    updated.sort_unstable();
    let mut expected: Vec<String> = paths.iter().map(|path| server.url(path)).collect();
    expected.sort_unstable();
    assert_eq!(updated, expected, "{what}\n{told}");
}

#[test]
fn case20_what_changes_on_one_page_beside_its_short_text_is_seen_and_the_frame_of_all_is_not() {
    let server = HostileServer::start();
    let mut site = Site::first();
    site.publish(&server);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), PAGES + 1, "{told}");

    site.edited[0] = Some(3);
    site.publish(&server);
    expect(
        &mut story,
        &server,
        &["/desk/3.html".to_owned()],
        "hours in a side bar",
    );
    site.edited[1] = Some(5);
    site.publish(&server);
    expect(
        &mut story,
        &server,
        &["/desk/5.html".to_owned()],
        "another picture",
    );
    site.entries = 31;
    site.publish(&server);
    expect(&mut story, &server, &[], "one more entry in the menu of all");
    site.entries = 30;
    site.edited[2] = Some(7);
    site.publish(&server);
    expect(
        &mut story,
        &server,
        &["/desk/7.html".to_owned()],
        "a word, and the menu of all",
    );
}

/// A project of one page: nothing else can tell what its frame is, so a label of its menu counts too.
#[test]
fn case20_a_label_of_a_menu_is_seen_where_the_page_is_alone() {
    let server = HostileServer::start();
    let publish = |label: &str| {
        let entries = (0..160)
            .map(|at| format!("<li><a href=\"/#m{at}\">Office {at}</a></li>"))
            .collect::<Vec<String>>()
            .concat();
        server.route(
            "/",
            page(format!(
                "<title>Town hall</title><nav><ul>{entries}<li><a href=\"/#m160\">{label}</a></li></ul></nav>\
                 <div class=\"content\"><h1>Town hall</h1><p>We are here for you on every day but Sunday, and on \
                 Sunday in the afternoon. Come in by the small door, ring twice, and somebody will open: that may take a \
                 while, for the house is old and the stairs are long. Bring what you were asked to bring, and a pen.</p></div>"
            )),
        );
    };
    publish("Passports");
    let mut story = Story::new();
    story.crawl(&server.url("/"), &["--scope", "list"]);
    expect(&mut story, &server, &[], "nothing changed");
    publish("Marriages");
    expect(&mut story, &server, &["/".to_owned()], "a label of the menu");
    expect(&mut story, &server, &[], "nothing changed since");
}

#[test]
fn case21_a_notice_in_the_header_of_every_page_is_no_change() {
    let server = HostileServer::start();
    let mut site = Site::first();
    site.publish(&server);
    let mut story = Story::new();
    story.crawl(&server.url("/"), &[]);
    for (at, notice) in [
        "<div>Welcome, guest. <a href=\"/#in\">Sign in</a></div>",
        "<p>We keep small files on your machine so that this site can work; read on or <a href=\"/#no\">say no</a> to them.</p>",
        "<form action=\"/#q\"><label>Look for <input name=\"q\"></label><input type=\"submit\" value=\"Go\"></form>",
        "",
    ]
    .into_iter()
    .enumerate()
    {
        site.notice = notice;
        site.publish(&server);
        expect(&mut story, &server, &[], notice);
        site.edited[2] = Some(at + 2);
        site.edited[0] = Some(at + 6);
        site.publish(&server);
        let told = story.track(&[]);
        let updated = told.urls("UPD");
        for path in [format!("/desk/{}.html", at + 2), format!("/desk/{}.html", at + 6)] {
            assert!(updated.contains(server.url(&path).as_str()), "{path}\n{told}");
        }
    }
}

#[test]
fn case29_the_part_of_the_title_that_all_pages_share_is_no_change() {
    let server = HostileServer::start();
    let mut site = Site::first();
    site.publish(&server);
    let mut story = Story::new();
    story.crawl(&server.url("/"), &[]);
    for suffix in ["Town 3.3 papers", "Papers of our town", "Town (rc 4)"] {
        site.suffix = suffix;
        site.publish(&server);
        expect(&mut story, &server, &[], suffix);
    }
    site.suffix = "Town 4.0";
    site.edited[2] = Some(1);
    site.publish(&server);
    expect(
        &mut story,
        &server,
        &["/desk/1.html".to_owned()],
        "a release with an edit",
    );
}

#[test]
fn case29_another_title_on_one_page_is_a_change() {
    let server = HostileServer::start();
    let site = Site::first();
    site.publish(&server);
    let mut story = Story::new();
    story.crawl(&server.url("/"), &[]);
    let sold = site
        .page(4)
        .replace("— Town 3.2 papers</title>", "— Closed for ever</title>");
    server.route("/desk/4.html", page(sold));
    expect(
        &mut story,
        &server,
        &["/desk/4.html".to_owned()],
        "a title of its own",
    );
}

#[test]
fn case20_pages_that_are_lists_are_watched() {
    let server = HostileServer::start();
    let path = |at: usize| format!("/list/{at}.html");
    let links = (0..Shape::ALL.len())
        .map(|at| format!("<p><a href=\"{}\">{at}</a></p>", path(at)))
        .collect::<Vec<String>>()
        .concat();
    server.route("/", page(format!("<title>Start</title>{links}")));
    let mut all: Vec<_> = (0..Shape::ALL.len()).map(|at| lists::entries(at, 14)).collect();
    let publish = |all: &[Vec<lists::ListItem>]| {
        for (at, (shape, entries)) in Shape::ALL.into_iter().zip(all).enumerate() {
            server.route(&path(at), page(lists::page(shape, entries)));
        }
    };
    publish(&all);
    let mut story = Story::new();
    story.crawl(&server.url("/"), &[]);
    for (at, entries) in all.iter_mut().enumerate() {
        match at % 3 {
            0 => entries[7].text = format!("Songs of the harbour {at}"),
            1 => drop(entries.remove(5)),
            _ => entries.push(lists::ListItem {
                path: "#more".to_owned(),
                text: format!("Plays {at}"),
            }),
        }
    }
    publish(&all);
    let paths: Vec<String> = (0..all.len()).map(path).collect();
    expect(&mut story, &server, &paths, "items changed, went and came");
    publish(&all);
    expect(&mut story, &server, &[], "nothing changed");
}
