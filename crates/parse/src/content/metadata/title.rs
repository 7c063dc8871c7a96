//! The title of a page without the name of its site.
//!
//! Pages write `What happened | The Daily`, `The Daily - What happened`, or the site's name in their first heading. What is
//! cut off must be named somewhere else: as the site ([`Site`]), or it is the end of a title whose beginning a heading says.
//! Where title and heading differ, an article is called by its heading, and other pages by their title, unless only the heading
//! says what the address says.

use super::headings::Heading;
use super::pitch::{calls_to, is_call, joins};
use super::site::{Site, plain};
use gleaner_model::Url;
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// What a page calls itself in different places.
pub(super) struct Candidates<'a> {
    /// `title`.
    pub(super) page: Option<String>,
    /// `og:title` and its like.
    pub(super) open: Option<String>,
    /// Of linked data.
    pub(super) linked: Option<String>,
    pub(super) headings: &'a [Heading],
    pub(super) site: &'a Site,
    /// What the page's links are called, in the form of [`plain`].
    pub(super) links: &'a HashSet<String>,
    pub(super) url: &'a Url,
    /// It is an article, a posting or a product.
    pub(super) is_article: bool,
}

/// Between the title and the site's name.
const BORDERS: &[&str] = &[
    " | ", " - ", " – ", " — ", " · ", " :: ", " » ", " « ", " • ", " ‹ ", " › ", " ~ ", " / ", " // ",
    " ← ", " → ", " ⋆ ", " ∙ ",
];
const BAR: &str = " | ";
/// These part a title from a site also where the site is named nowhere else.
const FIRM: &[&str] = &[" | ", " :: ", " » ", " · ", " ⋆ "];
/// A name of a site that nothing else says has at most so many words.
const UNSAID_WORDS_MAX: usize = 4;
/// Titles have no more parts than this that are worth a look.
const PARTS_MAX: usize = 12;
/// Words that say nothing about a page, alone: its site's name says more.
const EMPTY: &[&str] = &[
    "home",
    "home page",
    "homepage",
    "startseite",
    "index",
    "readme",
    "untitled",
    "welcome",
    "untitled document",
];
/// Words that name a part of the site and no page, alone.
const GENERAL: &[&str] = &["blog", "our blog", "news"];

pub(super) fn choose(of: &Candidates<'_>) -> Option<String> {
    let slug = Slug::of(of.url);
    let short: Vec<String> = [&of.page, &of.open, &of.linked]
        .into_iter()
        .flatten()
        .map(|title| tidy(&without_site(title, of, &slug)))
        .filter(|title| !plain(title).is_empty())
        .collect();
    let full: Vec<String> = [&of.page, &of.open, &of.linked]
        .into_iter()
        .flatten()
        .map(|title| plain(title))
        .collect();
    // The best of the titles by themselves: what the address says as well; then the one that another holds, which is
    // mostly without the site; then the first.
    let usable = short.iter().filter(|title| !says_nothing(title, of));
    let title = usable.reduce(|best, next| {
        let is_shorter = format!(" {} ", plain(best)).contains(&format!(" {} ", plain(next)));
        match slug.said_by(next).cmp(&slug.said_by(best)) {
            std::cmp::Ordering::Greater => next,
            std::cmp::Ordering::Equal if is_shorter => next,
            _ => best,
        }
    });
    let is_vague = title.is_none_or(|title| slug.said_by(title) == 0);
    let heading = heading(of, &full, &slug, is_vague);
    let found = match (heading, title) {
        (Some(heading), Some(title)) => between(heading, title, &short, of, &slug),
        (Some(heading), None) => heading.text.clone(),
        (None, Some(title)) => title.clone(),
        (None, None) => {
            let any = of.headings.iter().find(|heading| heading.level == 1);
            short
                .into_iter()
                .find(|title| !is_empty(title))
                .or_else(|| any.map(|heading| heading.text.clone()))
                .or_else(|| of.page.clone())?
        }
    };
    let found = tidy(&found);
    (!found.is_empty()).then_some(found)
}

/// The heading that names the page: one that a title says as well; else one that the address says; else the only one.
fn heading<'a>(of: &Candidates<'a>, full: &[String], slug: &Slug, is_vague: bool) -> Option<&'a Heading> {
    // On the first page of a site its name is no worse than another.
    let is_first_page = of.url.path() == "/" && of.url.query().is_none();
    let usable = |heading: &&Heading| {
        let is_known = !is_first_page && of.site.is_name(&heading.text);
        !heading.is_frame && !is_empty(&heading.text) && !is_known
    };
    let is_said = |heading: &&Heading| {
        let words = format!(" {} ", plain(&heading.text));
        full.iter().any(|title| format!(" {title} ").contains(&words))
    };
    let firsts = || {
        of.headings
            .iter()
            .filter(|heading| heading.level == 1)
            .filter(usable)
    };
    let length = |heading: &&Heading| plain(&heading.text).chars().count();
    // Of equals the first: `max_by_key` would take the last.
    let longest = |list: Vec<&'a Heading>| -> Option<&'a Heading> {
        list.into_iter()
            .reduce(|best, next| if length(&next) > length(&best) { next } else { best })
    };
    if let Some(found) = longest(firsts().filter(is_said).collect()) {
        return Some(found);
    }
    let by_slug = |list: Vec<&'a Heading>, least: usize| -> Option<&'a Heading> {
        let scored = list
            .into_iter()
            .map(|heading| (slug.said_by(&heading.text), heading));
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
        (best.0 >= least).then_some(best.1)
    };
    if let Some(found) = by_slug(firsts().collect(), 1) {
        return Some(found);
    }
    // Several that neither title nor address says are the headings of parts.
    if let Some(first) = firsts().next() {
        let said = plain(&first.text);
        return firsts().all(|other| plain(&other.text) == said).then_some(first);
    }
    // Without a heading of the first level, one of the second that the title says, or the address where the title says
    // nothing of it.
    let seconds = || {
        of.headings
            .iter()
            .filter(|heading| heading.level == 2)
            .filter(usable)
    };
    let long = |heading: &&Heading| heading.text.split(' ').count() >= 2;
    let said = seconds().filter(is_said).find(long);
    said.or_else(|| by_slug(seconds().filter(long).collect(), 3).filter(|_| is_vague))
}

/// A heading and a title that may differ.
fn between(heading: &Heading, title: &str, short: &[String], of: &Candidates<'_>, slug: &Slug) -> String {
    let said = plain(&heading.text);
    // Only the first page of a site may be called by its name.
    if of.site.is_name(&heading.text) {
        return heading.text.clone();
    }
    let holds = |outer: &str, inner: &str| format!(" {outer} ").contains(&format!(" {inner} "));
    if short.iter().any(|title| plain(title) == said) {
        // Linked data leaves out what stands before the title: `Player: Squad 2024`.
        let shorter = of
            .linked
            .as_deref()
            .map(|linked| tidy(&without_site(linked, of, slug)));
        if let Some(linked) = shorter
            && said.ends_with(&format!(" {}", plain(&linked)))
            && linked.split(' ').count() >= 2
        {
            return linked;
        }
        return heading.text.clone();
    }
    let (by_heading, by_title) = (slug.said_by(&heading.text), slug.said_by(title));
    // The heading with more around it: numbers of answers, a label in front.
    if let Some(inner) = short
        .iter()
        .filter(|title| title.split(' ').count() >= 2 && holds(&said, &plain(title)))
        .max_by_key(|title| title.chars().count())
    {
        // The address says what the heading has more.
        if by_heading > slug.said_by(inner) {
            return without_number(&heading.text).to_owned();
        }
        return inner.clone();
    }
    if let Some(outer) = short.iter().find(|title| holds(&plain(title), &said)) {
        let is_part = !is_inside(&said, outer) && !goes_on(&said, outer, of.site, slug);
        return if is_part {
            heading.text.clone()
        } else {
            outer.clone()
        };
    }
    let is_part = || {
        let full = [&of.page, &of.open].into_iter().flatten();
        full.into_iter()
            .any(|full| parts(full).0.into_iter().any(|place| plain(&full[place]) == said))
    };
    let is_heading = match by_heading.cmp(&by_title) {
        std::cmp::Ordering::Greater => of.is_article || by_title == 0 || is_part(),
        std::cmp::Ordering::Less => {
            of.is_article && by_heading * 2 >= by_title && heading.text.split(' ').count() >= 3
        }
        std::cmp::Ordering::Equal => {
            (of.is_article && heading.text.split(' ').count() >= 2)
                || (by_heading > 0 && calls_to(title, &heading.text))
        }
    };
    if is_heading {
        heading.text.clone()
    } else {
        title.to_owned()
    }
}

/// A heading without the number of its section: `3.1 Branches` is `Branches`.
fn without_number(heading: &str) -> &str {
    match heading.split_once(' ') {
        Some((number, rest))
            if number.contains('.') && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') =>
        {
            rest
        }
        _ => heading,
    }
}

/// Whether words stand in the midst of a title, where nothing parts them from the others: they are a piece of a phrase.
fn is_inside(words: &str, title: &str) -> bool {
    let begins = |text: &str| format!("{} ", plain(text)).starts_with(&format!("{words} "));
    let ends = |text: &str| format!(" {}", plain(text)).ends_with(&format!(" {words}"));
    let is_edge = |part: &str| {
        let mut marks = part.match_indices(": ").take(PARTS_MAX);
        begins(part)
            || ends(part)
            || marks.any(|(at, mark)| ends(&part[..at]) || begins(&part[at + mark.len()..]))
    };
    words.contains(' ') && !parts(title).0.into_iter().any(|place| is_edge(&title[place]))
}

/// Whether a title goes on behind its first word, without a mark between: `Trending` of `Trending tools of the day`. The word
/// alone says less than the page does. Not so where the address says the word and nothing more, and the title only what that
/// is for: `Headlamps for hiking`.
fn goes_on(word: &str, title: &str, site: &Site, slug: &Slug) -> bool {
    let mut words = title.split_whitespace();
    let is_first = words
        .next()
        .is_some_and(|first| first.to_lowercase() == word && first.chars().all(char::is_alphanumeric));
    let rest: Vec<&str> = words.collect();
    let is_word = rest
        .first()
        .is_some_and(|next| next.starts_with(char::is_alphanumeric));
    let said = slug.said_by(word);
    let is_whole = said > 0 && said == slug.said_by(title) && rest.first().is_some_and(|next| joins(next));
    is_first && is_word && !is_whole && !site.is_name(&rest.join(" "))
}

/// A title without the parts at its ends that name the site.
fn without_site(title: &str, of: &Candidates<'_>, slug: &Slug) -> String {
    let title = title.trim();
    let (places, borders) = parts(title);
    let parts: Vec<&str> = places.iter().map(|place| &title[place.clone()]).collect();
    if parts.len() < 2 {
        return title.to_owned();
    }
    let is_heading = |text: &str| {
        let text = plain(text);
        of.headings
            .iter()
            .any(|heading| heading.level == 1 && !heading.is_frame && plain(&heading.text) == text)
    };
    let mut from = 0;
    let mut to = parts.len();
    let text = |from: usize, to: usize| &title[places[from].start..places[to - 1].end];
    while to - from > 1 {
        let is_rest_said = is_heading(text(from, to - 1)) && !of.site.is_name(text(from, to - 1));
        if (of.site.is_named(parts[to - 1]) || is_rest_said) && !is_heading(parts[to - 1]) {
            to -= 1;
        } else if (of.site.is_name(parts[from]) || (to == parts.len() && of.site.is_named(parts[from])))
            && !is_heading(parts[from])
            && !plain(text(from + 1, to)).is_empty()
        {
            from += 1;
        } else {
            break;
        }
    }
    // Behind the site's name in the middle comes what it says of itself.
    if let Some(middle) = (from + 1..to).find(|at| of.site.is_named(parts[*at])) {
        to = middle;
    }
    // Before the site's name comes the part of the site that the page is in, and links lead there.
    if to < parts.len()
        && to - from > 1
        && of.links.contains(&plain(parts[to - 1]))
        && slug.said_by(parts[to - 1]) == 0
        && !is_heading(parts[to - 1])
    {
        to -= 1;
    }
    let is_firm = to - from > 1 && FIRM.contains(&borders[to - 2]);
    if is_firm {
        let (head, tail) = (plain(text(from, to - 1)), plain(parts[to - 1]));
        if tail.split(' ').count() <= UNSAID_WORDS_MAX && head.len() > tail.len() {
            to -= 1;
        }
    }
    // Behind a bar comes more about the page, or about the site.
    if let Some(bar) = (from + 1..to).find(|at| borders[at - 1] == BAR) {
        let (head, rest) = (text(from, bar), text(bar, to));
        if !is_empty(head) && (slug.said_by(head) > 0 || slug.said_by(rest) == 0) {
            to = bar;
        }
    }
    while to - from > 1 && is_call(parts[to - 1]) {
        to -= 1;
    }
    let left = text(from, to);
    if EMPTY.contains(&plain(left).as_str()) {
        let site = if to < parts.len() { parts[to] } else { parts[0] };
        return site.to_owned();
    }
    left.to_owned()
}

/// Where the parts of a title stand between its borders, and the borders.
fn parts(title: &str) -> (Vec<Range<usize>>, Vec<&'static str>) {
    let mut parts = Vec::new();
    let mut borders = Vec::new();
    let mut start = 0;
    while parts.len() < PARTS_MAX {
        let rest = &title[start..];
        let first = BORDERS
            .iter()
            .filter_map(|border| rest.find(border).map(|at| (at, *border)))
            .min_by_key(|(at, border)| (*at, std::cmp::Reverse(border.len())));
        let Some((at, border)) = first else { break };
        parts.push(start..start + at);
        borders.push(border);
        start += at + border.len();
    }
    parts.push(start..title.len());
    (parts, borders)
}

/// The site's name, or a word that every site has.
fn says_nothing(title: &str, of: &Candidates<'_>) -> bool {
    is_empty(title) || of.site.is_name(title)
}

fn is_empty(title: &str) -> bool {
    let words = plain(title);
    words.is_empty() || EMPTY.contains(&words.as_str()) || GENERAL.contains(&words.as_str())
}

/// Without the marks that stand around titles: the sign of a link to the heading, borders that part nothing.
fn tidy(title: &str) -> String {
    let is_mark = |c: char| {
        c.is_whitespace() || matches!(c, '|' | '¶' | '§' | '·' | '»' | '«' | '•' | '–' | '—' | '-' | '~')
    };
    let title = title.trim_end_matches(|c: char| is_mark(c) || c == '#' || c == ':');
    without_count(title.trim_start_matches(is_mark)).to_owned()
}

/// Without how many things a list has: `Best books (77141 books)`, `Stoves (102+)`. A year in brackets stays.
fn without_count(title: &str) -> &str {
    let Some((head, count)) = title.strip_suffix(')').and_then(|title| title.rsplit_once('(')) else {
        return title;
    };
    let (number, unit) = count.split_at(
        count
            .find(|c: char| !c.is_ascii_digit() && c != ',')
            .unwrap_or(count.len()),
    );
    let is_unit = unit == "+" || (unit.starts_with(' ') && unit.trim().chars().all(char::is_lowercase));
    let head = head.trim_end();
    if !number.is_empty() && is_unit && !head.is_empty() {
        head
    } else {
        title
    }
}

/// The words of an address, mostly those of the title.
struct Slug {
    words: Vec<String>,
}

impl Slug {
    fn of(url: &Url) -> Slug {
        let mut parts = url.path().trim_end_matches('/').rsplit('/');
        let last = parts.next().unwrap_or_default();
        let name = last.rsplit_once('.').map_or(last, |(name, _)| name);
        let words_of = |part: &str| -> Vec<String> {
            let words = part.split(|c: char| !c.is_alphanumeric());
            let words =
                words.filter(|word| word.len() >= 3 && !word.bytes().any(|byte| byte.is_ascii_digit()));
            words
                .map(|word| {
                    word.to_lowercase()
                        .nfd()
                        .filter(|c| !is_combining_mark(*c))
                        .collect()
                })
                .take(30)
                .collect()
        };
        let mut words = words_of(name);
        // `/a-long-title/12345`: the number stands behind the words.
        if words.is_empty() {
            words = words_of(parts.next().unwrap_or_default());
        }
        words.sort();
        words.dedup();
        Slug { words }
    }

    /// How many of its words a title says.
    fn said_by(&self, title: &str) -> usize {
        let title: String = plain(title).nfd().filter(|c| !is_combining_mark(*c)).collect();
        let said = |word: &&String| title.split(' ').any(|one| one == word.as_str());
        self.words.iter().filter(said).count()
    }
}
