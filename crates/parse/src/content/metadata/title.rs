//! The title of a page without the name of its site.
//!
//! Pages write `What happened | The Daily`, `The Daily - What happened`, or the site's name in their first heading. What is
//! cut off must be named somewhere else: as the site ([`Site`]), or it is the end of a title whose beginning a heading says.
//! Where title and heading differ, an article is called by its heading, and other pages by what their address says as well.

use super::headings::Heading;
use super::site::{Site, plain};
use gleaner_model::Url;
use std::ops::Range;

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
    pub(super) url: &'a Url,
    /// It is an article, a posting or a product.
    pub(super) is_article: bool,
}

/// Between the title and the site's name.
const BORDERS: &[&str] = &[
    " | ", " - ", " – ", " — ", " · ", " :: ", " » ", " « ", " • ", " ‹ ", " › ", " ~ ", " / ", " // ",
    " ← ", " → ", " ⋆ ", " ∙ ",
];
/// These part a title from a site also where the site is named nowhere else.
const FIRM: &[&str] = &[" | ", " :: ", " » ", " · ", " ⋆ "];
/// A name of a site that nothing else says has at most so many words.
const UNSAID_WORDS_MAX: usize = 4;
/// Titles have no more parts than this that are worth a look.
const PARTS_MAX: usize = 12;
/// Words that say nothing about a page, alone.
const EMPTY: &[&str] = &[
    "home",
    "homepage",
    "startseite",
    "index",
    "untitled",
    "welcome",
    "untitled document",
    "blog",
    "our blog",
    "news",
];

pub(super) fn choose(of: &Candidates<'_>) -> Option<String> {
    let slug = Slug::of(of.url);
    let short: Vec<String> = [&of.page, &of.open, &of.linked]
        .into_iter()
        .flatten()
        .map(|title| tidy(&without_site(title, of)))
        .filter(|title| !plain(title).is_empty())
        .collect();
    let full: Vec<String> = [&of.page, &of.open, &of.linked]
        .into_iter()
        .flatten()
        .map(|title| plain(title))
        .collect();
    // The best of the titles by themselves: what the address says as well, then the shorter one, which is mostly
    // without the site.
    let title = short
        .iter()
        .filter(|title| !says_nothing(title, of))
        .min_by_key(|title| (std::cmp::Reverse(slug.said_by(title)), title.chars().count()));
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
                .find(|title| !EMPTY.contains(&plain(title).as_str()))
                .or_else(|| any.map(|heading| heading.text.clone()))
                .or_else(|| of.page.clone())?
        }
    };
    let found = tidy(&found);
    (!found.is_empty()).then_some(found)
}

/// The heading that names the page: one that a title says as well; else one that the address says; else the only one.
fn heading<'a>(of: &Candidates<'a>, full: &[String], slug: &Slug, is_vague: bool) -> Option<&'a Heading> {
    let usable = |heading: &&Heading| !heading.is_frame && !says_nothing(&heading.text, of);
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
    let holds = |outer: &str, inner: &str| format!(" {outer} ").contains(&format!(" {inner} "));
    if short.iter().any(|title| plain(title) == said) {
        // Linked data leaves out what stands before the title: `Player: Squad 2024`.
        let shorter = of.linked.as_deref().map(|linked| tidy(&without_site(linked, of)));
        if let Some(linked) = shorter
            && said.ends_with(&format!(" {}", plain(&linked)))
            && linked.split(' ').count() >= 2
        {
            return linked;
        }
        return heading.text.clone();
    }
    // The heading with more around it: numbers of answers, a label in front.
    if let Some(inner) = short
        .iter()
        .filter(|title| title.split(' ').count() >= 2 && holds(&said, &plain(title)))
        .max_by_key(|title| title.chars().count())
    {
        return inner.clone();
    }
    if short.iter().any(|title| holds(&plain(title), &said)) {
        return heading.text.clone();
    }
    let (by_heading, by_title) = (slug.said_by(&heading.text), slug.said_by(title));
    let is_heading = match by_heading.cmp(&by_title) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Less => {
            of.is_article && by_heading * 2 >= by_title && heading.text.split(' ').count() >= 3
        }
        std::cmp::Ordering::Equal => of.is_article && heading.text.split(' ').count() >= 2,
    };
    if is_heading {
        heading.text.clone()
    } else {
        title.to_owned()
    }
}

/// A title without the parts at its ends that name the site.
fn without_site(title: &str, of: &Candidates<'_>) -> String {
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
        let is_rest_said = is_heading(text(from, to - 1)) && !of.site.is_named(text(from, to - 1));
        if (of.site.is_named(parts[to - 1]) && !is_heading(parts[to - 1])) || is_rest_said {
            to -= 1;
        } else if of.site.is_named(parts[from])
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
    let is_firm = to - from > 1 && FIRM.contains(&borders[to - 2]);
    if is_firm {
        let (head, tail) = (plain(text(from, to - 1)), plain(parts[to - 1]));
        if tail.split(' ').count() <= UNSAID_WORDS_MAX && head.len() > tail.len() {
            to -= 1;
        }
    }
    text(from, to).to_owned()
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
    let words = plain(title);
    words.is_empty() || EMPTY.contains(&words.as_str()) || of.site.is_named(title)
}

/// Without the marks that stand around titles: the sign of a link to the heading, borders that part nothing.
fn tidy(title: &str) -> String {
    let is_mark = |c: char| {
        c.is_whitespace() || matches!(c, '|' | '¶' | '§' | '·' | '»' | '«' | '•' | '–' | '—' | '-' | '~')
    };
    let title = title.trim_end_matches(|c: char| is_mark(c) || c == '#' || c == ':');
    title.trim_start_matches(is_mark).to_owned()
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
            words.map(str::to_lowercase).take(30).collect()
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
        let title = plain(title);
        let said = |word: &&String| title.split(' ').any(|one| one == word.as_str());
        self.words.iter().filter(said).count()
    }
}
