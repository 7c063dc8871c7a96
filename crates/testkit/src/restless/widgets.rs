//! The noise of a page: each widget stands in one place and shows something else in each answer.

use super::naming::Naming;
use super::words::{phrase, sentence};
use crate::mutate::Dice;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Widget {
    /// Time of day with seconds, or when the page was made.
    Clock,
    /// "Updated 12 seconds ago".
    RelativeTime,
    Counter,
    /// A few numbers in a sentence.
    Statistics,
    /// Some of many stories, as a list, as cards or as paragraphs.
    Teasers,
    /// None to three advertisements.
    Ads,
    /// One advertisement as a block of its own, or none.
    AdSlot,
    /// The same items in another order.
    Shuffled,
    /// Between two and seven items.
    Related,
    Greeting,
    /// A saying of the day, for each reader another.
    Saying,
    /// A form with a token, and a request's number for support.
    Token,
}

pub(super) const WIDGETS: [Widget; 12] = [
    Widget::Clock,
    Widget::RelativeTime,
    Widget::Counter,
    Widget::Statistics,
    Widget::Teasers,
    Widget::Ads,
    Widget::AdSlot,
    Widget::Shuffled,
    Widget::Related,
    Widget::Greeting,
    Widget::Saying,
    Widget::Token,
];

/// Everything a widget needs to show itself.
pub(super) struct Showing<'a> {
    /// The same in each answer.
    pub(super) site: Dice,
    pub(super) now: Dice,
    pub(super) fetch: u64,
    pub(super) naming: &'a mut Naming,
}

impl Showing<'_> {
    pub(super) fn html(&mut self, widget: Widget) -> String {
        let body = match widget {
            Widget::Clock => self.clock(),
            Widget::RelativeTime => self.relative_time(),
            Widget::Counter => self.counter(),
            Widget::Statistics => self.statistics(),
            Widget::Teasers => self.teasers(),
            Widget::Ads => self.ads(),
            Widget::AdSlot => self.ad_slot(),
            Widget::Shuffled => self.shuffled(),
            Widget::Related => self.related(),
            Widget::Greeting => self.greeting(),
            Widget::Saying => self.saying(),
            Widget::Token => self.token(),
        };
        // Some servers wrap what they put in, some do not, and some do not know.
        match self.site.below(4) {
            0 => format!("<div{}>{body}</div>", self.naming.of("box")),
            1 if self.now.chance(50) => format!("<div>{body}</div>"),
            _ => body,
        }
    }

    fn clock(&mut self) -> String {
        let seconds = self.fetch * 40_009 + self.now.below(50) as u64;
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        let names = self.naming.of("clock");
        match self.site.below(3) {
            0 => format!("<div{names}>{hour:02}:{minute:02}:{second:02}</div>"),
            1 => format!(
                "<p{names}>This page was made at {hour:02}:{minute:02}:{second:02} by our server.</p>"
            ),
            _ => format!(
                "<p{names}>Rendered 2026-03-{:02} {hour:02}:{minute:02}:{second:02} UTC</p>",
                1 + self.fetch % 28
            ),
        }
    }

    fn relative_time(&mut self) -> String {
        let (count, unit) = (2 + self.now.below(50), *self.site.pick(&["seconds", "minutes"]));
        let names = self.naming.of("age");
        match self.site.below(2) {
            0 => format!("<p{names}>Last comment {count} {unit} ago</p>"),
            _ => format!("<div{names}>Updated {count} {unit} ago by the editors</div>"),
        }
    }

    fn counter(&mut self) -> String {
        let count = 1000 + self.fetch * 37 + self.now.below(30) as u64;
        let names = self.naming.of("views");
        match self.site.below(3) {
            0 => format!("<p{names}>{},{:03} views</p>", count / 1000, count % 1000),
            1 => format!("<p{names}>You are visitor number {count} of this page.</p>"),
            _ => format!("<div{names}>{count}</div>"),
        }
    }

    fn statistics(&mut self) -> String {
        let mut number = |range: usize| 1 + self.now.below(range);
        let (members, guests, shared) = (number(90), number(400), number(3000));
        let names = self.naming.of("stats");
        format!(
            "<p{names}>{members} members and {guests} guests are here now, and {shared} have shared this.</p>"
        )
    }

    /// Titles of stories, the same in each answer.
    fn titles(&mut self, count: usize) -> Vec<String> {
        (0..count)
            .map(|_| {
                let words = 4 + self.site.below(5);
                phrase(&mut self.site, words)
            })
            .collect()
    }

    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.now.below(at + 1));
        }
        order
    }

    /// A list of stories in the site's manner.
    fn list(&mut self, name: &str, chosen: &[(usize, String)]) -> String {
        let style = self.site.below(4);
        let around = self.naming.of(name);
        let items: String = chosen
            .iter()
            .map(|(number, title)| {
                let names = self.naming.of("item");
                match style {
                    0 => format!("<li><a href=\"/story/{number}\">{title}</a></li>"),
                    1 => format!(
                        "<div{names}><h3><a href=\"/story/{number}\">{title}</a></h3><p>{title} and more of it.</p></div>"
                    ),
                    2 => format!("<p{names}><a href=\"/story/{number}\">{title}</a></p>"),
                    _ => format!(
                        "<li{names}><a href=\"/story/{number}\">{title}</a> <a href=\"/story/{number}\">Read more</a></li>"
                    ),
                }
            })
            .collect();
        let (heading, tag) = match style {
            0 | 3 => ("", "ul"),
            1 => ("<h2>More to read</h2>", "section"),
            _ => ("", "div"),
        };
        format!("<{tag}{around}>{heading}{items}</{tag}>")
    }

    fn teasers(&mut self) -> String {
        let titles = self.titles(9);
        let chosen: Vec<(usize, String)> = self.order(9)[..4]
            .iter()
            .map(|&at| (at, titles[at].clone()))
            .collect();
        self.list("teasers", &chosen)
    }

    fn related(&mut self) -> String {
        let titles = self.titles(7);
        let count = 2 + self.now.below(6);
        let chosen: Vec<(usize, String)> = self.order(7)[..count]
            .iter()
            .map(|&at| (at, titles[at].clone()))
            .collect();
        self.list("related", &chosen)
    }

    fn shuffled(&mut self) -> String {
        let titles = self.titles(6);
        let chosen: Vec<(usize, String)> = self
            .order(6)
            .into_iter()
            .map(|at| (at, titles[at].clone()))
            .collect();
        self.list("popular", &chosen)
    }

    fn ads(&mut self) -> String {
        let count = self.now.below(4);
        let around = self.naming.of("ads");
        let ads: Vec<String> = (0..count)
            .map(|_| {
                let names = self.naming.of("ad");
                format!("<p{names}>{}</p>", sentence(&mut self.now))
            })
            .collect();
        format!("<div{around}>{}</div>", ads.concat())
    }

    fn ad_slot(&mut self) -> String {
        if self.now.chance(15) {
            return String::new();
        }
        let (names, text) = (self.naming.of("sponsor"), sentence(&mut self.now));
        match self.site.below(2) {
            0 => format!(
                "<div{names}><a href=\"https://ads.test/{}\">{text}</a></div>",
                self.now.hex(8)
            ),
            _ => format!("<aside{names}><p>Sponsored</p><p>{text}</p></aside>"),
        }
    }

    fn greeting(&mut self) -> String {
        let name = *self
            .now
            .pick(&["Ann", "Bob", "Carla", "Dmitri", "Eve", "Farid", "Grace", "Hugo"]);
        let names = self.naming.of("hello");
        match self.site.below(2) {
            0 => format!("<p{names}>Hello {name}, good to see you here again.</p>"),
            _ => format!("<div{names}>Signed in as {name}</div>"),
        }
    }

    fn saying(&mut self) -> String {
        let (names, text) = (self.naming.of("saying"), sentence(&mut self.now));
        format!("<blockquote{names}>{text}</blockquote>")
    }

    fn token(&mut self) -> String {
        let (token, number) = (self.now.hex(40), self.now.hex(10));
        let names = self.naming.of("support");
        format!(
            "<form action=\"/search\"><input type=\"hidden\" name=\"csrf\" value=\"{token}\"></form>\
             <p{names}>Questions? Tell us the request {number} please.</p>"
        )
    }
}
