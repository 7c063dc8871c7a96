//! The web site of a small town library, for `make demo`. It says where it is; a line on its input makes it change as such a site
//! does within a week: longer hours, a new event, a corrected phone number, a notice taken down, a page moved.

use gleaner_testkit::HostileServer;
use gleaner_testkit::hostile::{page, redirect, status};
use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let server = HostileServer::start();
    set_up(&server);
    let mut out = std::io::stdout();
    writeln!(out, "seed={}", server.url("/"))?;
    let mut lines = std::io::stdin().lock().lines();
    if lines.next().transpose()?.is_some() {
        change(&server);
        writeln!(out, "changed")?;
    }
    // Until its input ends.
    for line in lines {
        line?;
    }
    Ok(())
}

fn html(title: &str, main: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title} – Millbrook Town Library</title></head>\n\
         <body>\n<nav><a href=\"/\">Home</a> <a href=\"/opening-hours.html\">Opening hours</a> <a href=\"/events.html\">Events</a> \
         <a href=\"/new-books.html\">New books</a> <a href=\"/contact.html\">Contact</a></nav>\n\
         <main>\n<h1>{title}</h1>\n{main}\n</main>\n\
         <footer><p>Millbrook Town Library, 12 Station Road, Millbrook</p></footer>\n</body>\n</html>\n"
    )
}

fn home(news: &str) -> String {
    let text = format!(
        "<p>Welcome to the library in the old railway station. We lend books, films and board games to everyone who lives or works \
         in Millbrook, and there is a reading room with a view of the platform.</p>\n<h2>News</h2>\n<ul>\n{news}</ul>\n\
         <p>For our youngest visitors there is <a href=\"/children.html\">a corner of their own</a>.</p>"
    );
    html("Home", &text)
}

const NOTICE: &str =
    "<li><a href=\"/notices/roof.html\">The reading room is closed while the roof is repaired</a></li>\n";
const EVENING: &str = "<li><a href=\"/events/poetry-evening.html\">Poetry evening with Anna Field</a></li>\n";

fn hours(saturday: &str) -> String {
    let text = format!(
        "<p>The library is open on five days a week. Books can be returned at any time through the flap beside the door.</p>\n\
         <table>\n<tr><th>Day</th><th>Hours</th></tr>\n<tr><td>Tuesday to Friday</td><td>10:00 to 18:00</td></tr>\n\
         <tr><td>Saturday</td><td>{saturday}</td></tr>\n<tr><td>Sunday and Monday</td><td>closed</td></tr>\n</table>\n\
         <p>On Saturdays we are here from {saturday}. On public holidays the library stays closed.</p>"
    );
    html("Opening hours", &text)
}

fn contact(phone: &str) -> String {
    let text = format!(
        "<p>Come in, write to us or call. The desk answers the telephone while the library is open.</p>\n\
         <p>Telephone: {phone}</p>\n<p>Post: 12 Station Road, Millbrook. The bus stops at the door.</p>"
    );
    html("Contact", &text)
}

fn children() -> String {
    html(
        "Children and young readers",
        "<p>Picture books, first readers and comics stand in the old waiting room, with cushions on the floor. Every Wednesday at \
         four o'clock somebody reads aloud; nobody has to sit still. A library card for children costs nothing.</p>",
    )
}

fn events(list: &str) -> String {
    let text = format!(
        "<p>Events are free. Please tell the desk if you would like to come, so that there are enough chairs.</p>\n<ul>\n\
         <li><a href=\"/events/book-club.html\">Book club, every first Thursday of the month</a></li>\n{list}</ul>"
    );
    html("Events", &text)
}

fn set_up(server: &HostileServer) {
    server.route("/robots.txt", status(404));
    server.route("/", page(home(NOTICE)));
    server.route("/opening-hours.html", page(hours("10:00 to 13:00")));
    server.route("/events.html", page(events("")));
    server.route(
        "/events/book-club.html",
        page(html(
            "Book club",
            "<p>We read one book a month and talk about it over tea. Next is a novel about a lighthouse keeper who learns to write. \
             Copies are at the desk, and new readers are always welcome.</p>",
        )),
    );
    server.route(
        "/new-books.html",
        page(html(
            "New books",
            "<p>Twelve books came this week. Among them are a history of the canal, a cookery book for small kitchens, and the last \
             volume of the mountain trilogy, for which there is a waiting list already.</p>",
        )),
    );
    server.route("/contact.html", page(contact("01234 567 980")));
    server.route("/children.html", page(children()));
    server.route(
        "/notices/roof.html",
        page(html(
            "The reading room is closed",
            "<p>The roof above the reading room is being repaired. Until the work is done the newspapers lie in the entrance hall, \
             and the desks by the window can be used by everyone.</p>",
        )),
    );
}

fn change(server: &HostileServer) {
    server.route(
        "/",
        page(home(EVENING).replace("/children.html", "/young-readers.html")),
    );
    server.route("/opening-hours.html", page(hours("10:00 to 16:00")));
    server.route("/events.html", page(events(EVENING)));
    server.route(
        "/events/poetry-evening.html",
        page(html(
            "Poetry evening with Anna Field",
            "<p>Anna Field reads from her new poems on Friday at seven o'clock, in the hall of the old station. Afterwards there is \
             time to talk, and her books can be bought.</p>",
        )),
    );
    server.route("/contact.html", page(contact("01234 567 890")));
    server.route("/children.html", redirect("/young-readers.html"));
    server.route("/young-readers.html", page(children()));
    server.remove("/notices/roof.html");
}
