//! Is this the page, or something the site says instead of it? (HC017, HC070, HC071)
//!
//! In: a page that shares hardly a word with what it was. Out: a login page, a question whether we are human, an error
//! message with status 200, one page for every address, or none of these. The evidence is what the host says to an
//! address that cannot exist, and its home page: asked once a host and run, and only where a page makes it necessary.

use crate::fresh::{decoded, fields_of};
use crate::stages::fetch::Fetcher;
use gleaner_judge::diff::words::{Fate, compare_words};
use gleaner_model::{Content, LinkKind, Url};
use gleaner_parse::content;
use gleaner_units::{Answer, Ask, Visitor};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Below this share of common words a page was replaced and not edited.
const REPLACED: f64 = 0.3;
/// From this share on two pages say the same, an echo of the address aside.
const SAME: f64 = 0.7;
/// The same for what two pages show beside the menus and footers that all pages of a site have: little text, so that an
/// echo of the address weighs more.
const SAME_OWN: f64 = 0.4;
/// Longer texts are content, whatever words are in them.
const MESSAGE_BYTES_MAX: usize = 4000;
/// The words that nothing is there stand at the beginning.
const OPENING_CHARS: usize = 300;

/// What a page shows besides its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signs {
    pub asks_password: bool,
    pub asks_human: bool,
}

impl Signs {
    pub fn of(body: &[u8]) -> Signs {
        let text = body.to_ascii_lowercase();
        let has = |needle: &str| memchr::memmem::find(&text, needle.as_bytes()).is_some();
        Signs {
            asks_password: ["type=\"password\"", "type='password'", "type=password"]
                .into_iter()
                .any(has),
            asks_human: [
                "g-recaptcha",
                "h-captcha",
                "hcaptcha.com",
                "cf-turnstile",
                "cf-challenge",
                "challenge-platform",
                "captcha",
                "are you a robot",
                "are you human",
                "verify you are human",
                "unusual traffic",
            ]
            .into_iter()
            .any(has),
        }
    }
}

/// What the host says to an address that cannot exist, and what its home page is.
#[derive(Debug, Default)]
pub struct Probe {
    /// None where the host says honestly that there is no such page; two where it may say so in two ways.
    pub nowhere: Vec<Content>,
    pub home: Option<Content>,
}

impl Probe {
    /// Whether the host says this to addresses that cannot exist. `before` is what the page was, if it is known: what it
    /// shares with the others then belongs to the site. A host that has other words for what was deleted than for what
    /// never was (`DokuWiki`) is believed where both say that nothing is there.
    pub fn is_nowhere(&self, now: &Content, before: Option<&Content>) -> bool {
        self.nowhere.iter().any(|nowhere| match before {
            None => is_alike(nowhere, now),
            Some(before) => {
                is_alike_beside(nowhere, now, before)
                    || says_absent(&own_text(nowhere, before)) && says_absent(&own_text(now, before))
            }
        })
    }

    /// Whether this is the home page, at another address.
    pub fn is_home(&self, now: &Content, before: &Content) -> bool {
        let home = self.home.as_ref();
        home.is_some_and(|home| is_alike_beside(home, now, before))
    }
}

#[derive(Default)]
pub struct Probes {
    by_origin: Mutex<HashMap<String, State>>,
    /// How many are wanted and not begun: nobody need look while this is zero.
    wanted: AtomicU64,
}

enum State {
    /// Near this page.
    Wanted(Url),
    Asked,
    Known(std::sync::Arc<Probe>),
}

impl Probes {
    fn states(&self) -> std::sync::MutexGuard<'_, HashMap<String, State>> {
        self.by_origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The probe of the URL's host; if there is none it will be made with one of the next fetches.
    pub fn get(&self, url: &Url) -> Option<std::sync::Arc<Probe>> {
        let mut states = self.states();
        match states.get(url.origin()) {
            Some(State::Known(probe)) => Some(std::sync::Arc::clone(probe)),
            Some(State::Wanted(_) | State::Asked) => None,
            None => {
                states.insert(url.origin().to_owned(), State::Wanted(url.clone()));
                self.wanted.fetch_add(1, Ordering::Relaxed);
                None
            }
        }
    }

    /// Whether somebody waits for a probe of this host; who is told so makes it.
    pub fn take(&self, url: &Url) -> Option<Url> {
        if self.wanted.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut states = self.states();
        let state = states.get_mut(url.origin())?;
        match std::mem::replace(state, State::Asked) {
            State::Wanted(near) => {
                self.wanted.fetch_sub(1, Ordering::Relaxed);
                Some(near)
            }
            other => {
                *state = other;
                None
            }
        }
    }

    pub fn put(&self, url: &Url, probe: Probe) {
        let known = State::Known(std::sync::Arc::new(probe));
        self.states().insert(url.origin().to_owned(), known);
    }
}

/// Addresses that cannot exist beside `near`. Where a program tells its pages apart by the query, it is the program that
/// says what does not exist, and the web server around it knows nothing of that.
fn nowhere_near(near: &Url, luck: u64) -> Vec<Url> {
    let name = format!("gleaner-{luck:016x}");
    let extension = match near.path().rsplit_once('.') {
        Some((_, extension)) if extension.len() <= 5 && !extension.contains('/') => format!(".{extension}"),
        _ => String::new(),
    };
    let mut found: Vec<Url> = near.join(&format!("{name}{extension}")).into_iter().collect();
    if let Some(query) = near.query().filter(|query| query.contains('=')) {
        let fields: Vec<String> = query
            .split('&')
            .map(|field| match field.split_once('=') {
                Some((field, _)) => format!("{field}={name}"),
                None => field.to_owned(),
            })
            .collect();
        found.extend(near.join(&format!("?{}", fields.join("&"))));
    }
    found
}

/// Asks for addresses that cannot exist beside `near`, and for the home page.
pub async fn probe(near: &Url, fetcher: &Fetcher, luck: u64, gap: Duration) -> Probe {
    let mut found = Probe::default();
    for nowhere in nowhere_near(near, luck) {
        found.nowhere.extend(ask(&nowhere, fetcher).await);
        tokio::time::sleep(gap).await;
    }
    if let Ok(home) = near.join("/") {
        found.home = ask(&home, fetcher).await;
    }
    tokio::time::sleep(gap).await;
    found
}

async fn ask(url: &Url, fetcher: &Fetcher) -> Option<Content> {
    if fetcher.deciding.refuses(url, LinkKind::Anchor, 0).is_some() {
        return None;
    }
    let mut ask = Ask::of(url.clone());
    ask.body_bytes_max = fetcher.body_bytes_max;
    ask.visitor = Visitor::Run;
    let Ok(Answer::Here(exchange)) = fetcher.units.fetch(&ask).await else {
        return None;
    };
    let fields = fields_of(&exchange);
    content::read(url, &fields, &decoded(&fields, &exchange.body)?)
}

/// All visible text.
fn text(content: &Content) -> String {
    let blocks: Vec<&str> = content.blocks.iter().map(|block| block.text.as_str()).collect();
    blocks.join("\n")
}

/// The share of the larger text that both have.
pub fn share_of_words(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let longer = one.len().max(other.len());
    let runs = compare_words(one, other);
    let kept = runs.iter().filter(|run| run.fate == Fate::Kept);
    // Blanks and stops are in every text.
    let words: usize = kept
        .flat_map(|run| run.text.split(|c: char| !c.is_alphanumeric()))
        .map(|word| word.len() + usize::from(!word.is_empty()))
        .sum();
    words as f64 / longer.max(1) as f64
}

/// The main text, or all of it where there is none.
fn main_or_all(content: &Content) -> String {
    let main: Vec<&str> = content.main().map(|block| block.text.as_str()).collect();
    if main.is_empty() {
        text(content)
    } else {
        main.join("\n")
    }
}

/// Hardly anything of the page is left.
pub fn is_replaced(before: &Content, now: &Content) -> bool {
    share_of_words(&main_or_all(before), &main_or_all(now)) < REPLACED
}

/// Two addresses, one page.
pub fn is_alike(one: &Content, other: &Content) -> bool {
    share_of_words(&text(one), &text(other)) >= SAME
}

/// What a page shows that `before`, another page of its site, does not show in the same words.
fn own_text(content: &Content, before: &Content) -> String {
    let known: HashSet<&str> = before.blocks.iter().map(|block| block.text.as_str()).collect();
    let own: Vec<&str> = (content.blocks.iter().map(|block| block.text.as_str()))
        .filter(|text| !known.contains(text))
        .collect();
    own.join("\n")
}

/// Two addresses, one page; and not only because menus and footers are most of every page of the site.
fn is_alike_beside(one: &Content, other: &Content, before: &Content) -> bool {
    is_alike(one, other) && share_of_words(&own_text(one, before), &own_text(other, before)) >= SAME_OWN
}

/// A short text that says that there is nothing.
fn says_absent(text: &str) -> bool {
    const SIGNS: [&str; 16] = [
        "404",
        "not found",
        "not be found",
        "not exist",
        "n't exist",
        "no longer exist",
        "no such page",
        "nicht gefunden",
        "existiert nicht",
        "introuvable",
        "n'existe",
        "no encontrad",
        "no existe",
        "não encontrad",
        "не найден",
        "не существует",
    ];
    if text.len() > MESSAGE_BYTES_MAX {
        return false;
    }
    let opening: String = text.chars().take(OPENING_CHARS).collect();
    let opening = opening.to_lowercase();
    SIGNS.iter().any(|sign| opening.contains(sign))
}

/// A short page whose title or first words say that something is wrong.
pub fn is_message(content: &Content) -> bool {
    let all = text(content);
    if all.len() > MESSAGE_BYTES_MAX {
        return false;
    }
    let opening: String = all.chars().take(OPENING_CHARS).collect();
    says_wrong(&content.title) || says_wrong(&opening)
}

/// Whether a title or a first sentence is that of an error page.
pub fn says_wrong(text: &str) -> bool {
    const SIGNS: [&str; 30] = [
        "404",
        "403",
        "500",
        "502",
        "503",
        "not found",
        "not be found",
        "no longer available",
        "does not exist",
        "doesn't exist",
        "no such page",
        "error",
        "unavailable",
        "maintenance",
        "be back soon",
        "went wrong",
        "access denied",
        "forbidden",
        "permission denied",
        "too many requests",
        "bad gateway",
        "could not connect",
        "nicht gefunden",
        "nicht verfügbar",
        "wartung",
        "introuvable",
        "indisponible",
        "no encontrad",
        "não encontrad",
        "не найден",
    ];
    let text = text.to_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Content {
        let url = Url::parse("http://a.test/x").unwrap();
        content::of_html(text, &url)
    }

    #[test]
    fn hc017_an_echo_of_the_address_makes_no_other_page() {
        let one = page(
            "<title>Oops</title><h1>Oops</h1><p>There is no page called /one.html on this server, sorry.</p>",
        );
        let two = page(
            "<title>Oops</title><h1>Oops</h1><p>There is no page called /gleaner-17.html on this server, sorry.</p>",
        );
        assert!(is_alike(&one, &two));
        let story = page(
            "<title>Rain</title><h1>Rain</h1><p>It rained all day in the hills, and the river rose again.</p>",
        );
        assert!(!is_alike(&one, &story));
        assert!(is_replaced(&story, &one));
    }

    #[test]
    fn hc017_a_program_is_asked_for_pages_that_it_does_not_have() {
        let nowhere = |near: &str| -> Vec<String> {
            let found = nowhere_near(&Url::parse(near).unwrap(), 17);
            found.iter().map(Url::to_string).collect()
        };
        assert_eq!(
            nowhere("http://a.test/x/"),
            ["http://a.test/x/gleaner-0000000000000011"]
        );
        assert_eq!(
            nowhere("http://a.test/wiki.php?id=rain&lang=en"),
            [
                "http://a.test/gleaner-0000000000000011.php",
                "http://a.test/wiki.php?id=gleaner-0000000000000011&lang=gleaner-0000000000000011"
            ]
        );
    }

    /// A wiki as found: most of a short page is what surrounds it, and a page that was deleted has other words than one
    /// that never was.
    #[test]
    fn hc017_pages_are_told_apart_by_what_is_their_own() {
        let wiki = |text: &str| {
            page(&format!(
                "<ul><li>Logged in as somebody with a rather long name<li>Update the profile<li>Log out<li>Recent changes\
                 <li>Media manager<li>Sitemap of the wiki</ul>{text}<p>Except where otherwise noted, the content of this \
                 wiki may be shared by whoever shares alike and says who wrote it, and for whom, and when.</p>"
            ))
        };
        let before = wiki("<p>A heron stood at the water and waited for fish.</p>");
        let probe = Probe {
            nowhere: vec![wiki(
                "<h1>This topic does not exist yet</h1><p>You may create it.</p>",
            )],
            home: Some(wiki("<p>Welcome to a wiki about birds.</p>")),
        };
        let edited = wiki("<p>Nobody has seen anything for days.</p>");
        assert!(is_alike(&edited, probe.home.as_ref().unwrap()), "mostly menus");
        assert!(!probe.is_home(&edited, &before) && !probe.is_nowhere(&edited, Some(&before)));
        let deleted = wiki("<h1>This page does not exist anymore</h1><p>Old versions tell when and why.</p>");
        assert!(probe.is_nowhere(&deleted, Some(&before)));
        assert!(probe.is_home(&wiki("<p>Welcome to a wiki about birds.</p>"), &before));
    }

    #[test]
    fn an_edit_is_no_replacement() {
        let before = page("<p>The price is 10 euros. It rained all day in the hills.</p>");
        let after = page("<p>The price is 12 euros. It rained all day in the hills.</p>");
        assert!(!is_replaced(&before, &after));
    }

    #[test]
    fn hc071_signs_of_walls() {
        assert!(Signs::of(b"<input TYPE='password' name=p>").asks_password);
        assert!(Signs::of(b"<div class=\"g-recaptcha\">").asks_human);
        assert_eq!(Signs::of(b"<p>words</p>"), Signs::default());
    }
}
