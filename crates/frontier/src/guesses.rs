//! Do the addresses that stand in scripts and comments of a host lead anywhere? (A8, A11)
//!
//! In: each such address when it is met ([`Guesses::wants`]), when it is queued, when it is about to be asked for
//! ([`Guesses::turn`]) and what came of it ([`Guesses::came`]). Out: whether it is asked for, and how soon.
//!
//! Addresses of one *shape* (host, folder with numbers masked, extension, names of parameters) are learnt about together: the
//! first few are asked for soon, the others wait behind all links until those have answered. A shape that never leads
//! anywhere is given up after three questions. All shapes of a host together may be asked for in vain four times (eight times
//! where a shape was never asked for), and once more for each hundred pages that the host gave and for each four guesses that
//! were right: a host with nothing to find costs a handful of requests, however many strings its scripts have.
//!
//! `/sitemap.xml` of hosts whose robots.txt names none is a guess of another kind: a host is asked for it at most once, so what is learnt about
//! are hosts ([`GuessedLists`]).
//!
//! Nobody loses a page by this: an address that stands in a link as well is asked for in any case
//! ([`Guesses::vouch`]). Memory is bounded; what was learnt is kept with the trap rules' memory.

use gleaner_model::Url;
pub use lists::{GuessedLists, LARGE_HOST_DOCUMENTS};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use xxhash_rust::xxh3::xxh3_64;

mod lists;

/// Questions in vain after which a shape is given up, unless some of it was right.
const SHAPE_VAIN_MAX: u32 = 3;
/// The first addresses of a shape are asked for at once, to learn about the others.
const PROBES: u32 = 3;
/// Questions in vain that a host is asked in any case: about shapes that never led anywhere, and about new ones.
const HOST_VAIN_MIN: u32 = 4;
const HOST_VAIN_NEW: u32 = 8;
const PAGES_PER_VAIN: u32 = 100;
const RIGHT_PER_VAIN: u32 = 4;
const SHAPES_MAX: usize = 4_000;
const HOSTS_MAX: usize = 4_000;
const WAITING_MAX: usize = 50_000;
const TOLD_MAX: usize = 20_000;
/// How often a guess lets others go first, each time for longer: whoever never answers must not hold it up for ever.
const WAITS_MAX: u8 = 9;

/// How an address that was guessed is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// At once: what comes of it decides about others.
    Probe,
    /// Behind all links.
    Late,
    /// Not at all.
    Never,
    /// The same, and it was told before.
    NeverAgain,
}

/// What becomes of a queued guess whose turn has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GuessTurn {
    Ask,
    /// Others of its shape are on their way, and will tell. How often it has waited already.
    Wait(u8),
    Refuse,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) right: u32,
    pub(crate) vain: u32,
    /// Queued and not answered yet; asked for and not answered yet. Not kept.
    probes: u32,
    under_way: u32,
}

impl Tally {
    pub(crate) fn of(right: u32, vain: u32) -> Tally {
        Tally {
            right,
            vain,
            ..Tally::default()
        }
    }

    fn is_given_up(self) -> bool {
        self.vain >= SHAPE_VAIN_MAX && self.right.saturating_mul(2) < self.vain
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct OfHost {
    pub(crate) right: u32,
    pub(crate) vain: u32,
    pub(crate) pages: u32,
    /// Not kept.
    pub(crate) under_way: u32,
}

impl OfHost {
    /// Whether addresses of this shape are one question too many.
    fn is_spent_for(self, shape: Tally) -> bool {
        let most = match shape {
            Tally { right: 1.., .. } => return false,
            Tally { vain: 0, .. } => HOST_VAIN_NEW,
            _ => HOST_VAIN_MIN,
        };
        self.vain >= most + self.pages / PAGES_PER_VAIN + self.right / RIGHT_PER_VAIN
    }

    /// The same if all that are under way come to nothing.
    fn may_be_spent_for(self, shape: Tally) -> bool {
        let vain = self.vain + self.under_way;
        self.under_way > 0 && OfHost { vain, ..self }.is_spent_for(shape)
    }
}

/// A guess that waits or was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Guessed {
    /// A link leads there too.
    is_vouched: bool,
    is_under_way: bool,
    is_vain: bool,
    waits: u8,
}

#[derive(Debug, Default)]
pub struct Guesses {
    pub(crate) shapes: HashMap<u64, Tally>,
    pub(crate) hosts: HashMap<u64, OfHost>,
    /// By the address. What is not here is nobody's guess, or was forgotten: it is asked for.
    states: HashMap<u64, Guessed>,
    /// Addresses that were refused and told, so that each counts once.
    told: std::collections::HashSet<u64>,
    waiting: u32,
    /// Sitemaps that no robots.txt names.
    pub lists: GuessedLists,
}

impl Guesses {
    /// The next run: each host may be asked in vain once more, so that what appears later is found.
    pub fn begin_again(&mut self) {
        for host in self.hosts.values_mut() {
            host.vain = host.vain.saturating_sub(1);
        }
    }

    /// Whether an address that a page only mentions is taken up.
    pub fn wants(&mut self, url: &Url) -> Guess {
        let key = hash(url.as_str());
        match self.states.get(&key) {
            Some(Guessed { is_vain: true, .. }) => return Guess::NeverAgain,
            Some(_) => return Guess::Late,
            None => {}
        }
        let shape = self.shapes.get(&shape(url)).copied().unwrap_or_default();
        let host = self.hosts.get(&host(url)).copied().unwrap_or_default();
        if shape.is_given_up() || host.is_spent_for(shape) {
            if self.told.len() >= TOLD_MAX {
                self.told.clear();
            }
            return if self.told.insert(key) {
                Guess::Never
            } else {
                Guess::NeverAgain
            };
        }
        if shape.right == 0 && shape.probes + shape.vain < PROBES {
            Guess::Probe
        } else {
            Guess::Late
        }
    }

    /// It entered the frontier as a guess.
    pub fn queued(&mut self, url: &Url) {
        if self.states.len() >= WAITING_MAX {
            // What is forgotten is asked for.
            self.states.clear();
            self.waiting = 0;
        }
        if let Entry::Vacant(free) = self.states.entry(hash(url.as_str())) {
            free.insert(Guessed::default());
            self.waiting += 1;
            bounded(&mut self.shapes, SHAPES_MAX)
                .entry(shape(url))
                .or_default()
                .probes += 1;
        }
    }

    /// Whether any guess waits: if not, nobody need be asked about.
    pub fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// A link leads there: whatever becomes of the others, this one is asked for, and its failure is one.
    pub fn vouch(&mut self, url: &Url) {
        if let Some(guessed) = self.states.get_mut(&hash(url.as_str())) {
            guessed.is_vouched = true;
        }
    }

    /// Whether it was asked for in vain.
    pub fn is_vain(&self, url: &Url) -> bool {
        let known = || self.states.get(&hash(url.as_str()));
        !self.states.is_empty() && known().is_some_and(|guessed| guessed.is_vain)
    }

    /// Whether only strings lead there.
    pub fn is_guess(&self, url: &Url) -> bool {
        let known = self.states.get(&hash(url.as_str()));
        known.is_none_or(|guessed| !guessed.is_vouched)
    }

    /// A queued guess is about to be asked for: what was learnt since counts too.
    pub fn turn(&mut self, url: &Url) -> GuessTurn {
        let Some(guessed) = self.states.get_mut(&hash(url.as_str())) else {
            return GuessTurn::Ask;
        };
        if guessed.is_vouched || guessed.is_under_way {
            return GuessTurn::Ask;
        }
        let shape = bounded(&mut self.shapes, SHAPES_MAX)
            .entry(shape(url))
            .or_default();
        let host = bounded(&mut self.hosts, HOSTS_MAX).entry(host(url)).or_default();
        if shape.is_given_up() || host.is_spent_for(*shape) {
            return GuessTurn::Refuse;
        }
        let may_be_given_up = shape.right == 0 && shape.vain + shape.under_way >= SHAPE_VAIN_MAX;
        if (may_be_given_up || host.may_be_spent_for(*shape)) && guessed.waits < WAITS_MAX {
            guessed.waits += 1;
            return GuessTurn::Wait(guessed.waits - 1);
        }
        guessed.is_under_way = true;
        shape.under_way += 1;
        host.under_way += 1;
        GuessTurn::Ask
    }

    /// A page of a host came that was no guess.
    pub fn page_came(&mut self, url: &Url) {
        let host = bounded(&mut self.hosts, HOSTS_MAX).entry(host(url)).or_default();
        host.pages = host.pages.saturating_add(1);
    }

    /// What came of a URL; whether it was a guess. `is_right`: a document; none: it led elsewhere, which says nothing.
    pub fn came(&mut self, url: &Url, is_right: Option<bool>) -> bool {
        if self.states.is_empty() {
            return false;
        }
        let key = hash(url.as_str());
        let Some(guessed) = self.states.get_mut(&key).filter(|guessed| !guessed.is_vain) else {
            return false;
        };
        let was = *guessed;
        match is_right {
            Some(false) => (guessed.is_vain, guessed.is_under_way) = (true, false),
            _ => _ = self.states.remove(&key),
        }
        self.waiting = self.waiting.saturating_sub(1);
        let tally = bounded(&mut self.shapes, SHAPES_MAX)
            .entry(shape(url))
            .or_default();
        let of_host = bounded(&mut self.hosts, HOSTS_MAX).entry(host(url)).or_default();
        tally.probes = tally.probes.saturating_sub(1);
        if was.is_under_way {
            tally.under_way = tally.under_way.saturating_sub(1);
            of_host.under_way = of_host.under_way.saturating_sub(1);
        }
        let Some(is_right) = is_right.filter(|_| !was.is_vouched) else {
            return !was.is_vouched;
        };
        for (right, vain) in [
            (&mut tally.right, &mut tally.vain),
            (&mut of_host.right, &mut of_host.vain),
        ] {
            let count = if is_right { right } else { vain };
            *count = count.saturating_add(1);
        }
        true
    }
}

/// A full table is emptied: what it knew is learnt again by a few questions.
fn bounded<V>(table: &mut HashMap<u64, V>, max: usize) -> &mut HashMap<u64, V> {
    if table.len() >= max {
        table.clear();
    }
    table
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

fn host(url: &Url) -> u64 {
    hash(url.origin())
}

/// Host, folder with numbers masked, extension and the names of parameters.
fn shape(url: &Url) -> u64 {
    let path = url.path();
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let mut text = String::with_capacity(url.as_str().len());
    text.push_str(url.origin());
    let mut was_digit = false;
    for c in folder.chars() {
        let is_digit = c.is_ascii_digit();
        if !is_digit || !was_digit {
            text.push(if is_digit { '#' } else { c });
        }
        was_digit = is_digit;
    }
    text.push('.');
    text.push_str(extension);
    for pair in url.query().unwrap_or("").split('&') {
        text.push('?');
        text.push_str(pair.split('=').next().unwrap_or(""));
    }
    hash(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse(&format!("http://a.test{path}")).expect("a URL")
    }

    /// Meets addresses one by one, each asked for at once; how many were in vain.
    fn walk(
        guesses: &mut Guesses,
        paths: impl Iterator<Item = String>,
        is_there: impl Fn(&str) -> bool,
    ) -> (u32, u32) {
        let (mut right, mut vain) = (0, 0);
        for path in paths {
            let url = url(&path);
            if matches!(guesses.wants(&url), Guess::Probe | Guess::Late) {
                guesses.queued(&url);
                if guesses.turn(&url) == GuessTurn::Ask {
                    let is_right = is_there(&path);
                    guesses.came(&url, Some(is_right));
                    *(if is_right { &mut right } else { &mut vain }) += 1;
                }
            }
        }
        (right, vain)
    }

    #[test]
    fn case11_a_shape_that_leads_nowhere_is_given_up_after_three_questions() {
        let mut guesses = Guesses::default();
        let (right, vain) = walk(&mut guesses, (0..1000).map(|n| format!("/not/{n}")), |_| false);
        assert_eq!((right, vain), (0, 3));
    }

    #[test]
    fn case11_a_host_with_nothing_to_find_costs_a_handful_of_requests() {
        let mut guesses = Guesses::default();
        let (_, vain) = walk(
            &mut guesses,
            (0..1000).map(|n| format!("/f{}x/y", "a".repeat(n % 50))),
            |_| false,
        );
        assert_eq!(vain, 8);
        for _ in 0..1000 {
            guesses.page_came(&url("/"));
        }
        let (_, more) = walk(
            &mut guesses,
            (0..1000).map(|n| format!("/g{}x/y", "b".repeat(n % 50))),
            |_| false,
        );
        assert_eq!(more, 10, "one for each hundred pages");
    }

    #[test]
    fn case11_what_is_there_is_found_beside_what_is_not() {
        let mut guesses = Guesses::default();
        let paths = (0..400).map(|n| format!("/{}/{n}.html", if n % 8 == 0 { "not" } else { "menu" }));
        let (right, vain) = walk(&mut guesses, paths, |path| path.starts_with("/menu/"));
        assert_eq!((right, vain), (350, 3));
    }

    #[test]
    fn case11_what_a_link_leads_to_is_asked_for_in_any_case() {
        let mut guesses = Guesses::default();
        let linked = url("/not/linked");
        assert_eq!(guesses.wants(&linked), Guess::Probe);
        guesses.queued(&linked);
        guesses.vouch(&linked);
        walk(&mut guesses, (0..100).map(|n| format!("/not/{n}")), |_| false);
        assert!(guesses.turn(&linked) == GuessTurn::Ask && !guesses.is_guess(&linked));
        let other = url("/not/other");
        assert_eq!(guesses.wants(&other), Guess::Never);
        assert_eq!(guesses.wants(&other), Guess::NeverAgain, "each is told once");
    }

    #[test]
    fn case11_no_more_are_under_way_than_may_be_in_vain() {
        let mut guesses = Guesses::default();
        let urls: Vec<Url> = (0..50).map(|n| url(&format!("/not/{n}"))).collect();
        for url in &urls {
            guesses.queued(url);
        }
        let turns: Vec<GuessTurn> = urls.iter().map(|url| guesses.turn(url)).collect();
        let asked = |turn: GuessTurn| turns.iter().filter(|is| **is == turn).count();
        assert_eq!((asked(GuessTurn::Ask), asked(GuessTurn::Wait(0))), (3, 47));
        for url in &urls[..3] {
            guesses.came(url, Some(false));
        }
        assert!(urls[3..].iter().all(|url| guesses.turn(url) == GuessTurn::Refuse));
        // One that never answers holds nobody up for ever.
        let slow: Vec<Url> = (0..4).map(|n| url(&format!("/slow/{n}.html"))).collect();
        for url in &slow {
            guesses.queued(url);
        }
        assert!(slow[..3].iter().all(|url| guesses.turn(url) == GuessTurn::Ask));
        let waits = (0..200)
            .take_while(|_| matches!(guesses.turn(&slow[3]), GuessTurn::Wait(_)))
            .count();
        assert_eq!(waits, usize::from(WAITS_MAX));
    }

    #[test]
    fn memory_is_bounded() {
        let mut guesses = Guesses::default();
        for n in 0..200_000 {
            let url = url(&format!("/{}/x", "z".repeat(n % 7) + &format!("{n}q")));
            guesses.queued(&url);
            guesses.came(&url, Some(true));
        }
        assert!(guesses.states.len() <= WAITING_MAX && guesses.shapes.len() <= SHAPES_MAX);
    }
}
