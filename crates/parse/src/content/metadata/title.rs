//! The title of a page without the name of its site.
//!
//! Pages write `What happened | The Daily`, `The Daily - What happened`, or the site's name in their first heading. What is
//! cut off must be named somewhere else: as the site, in the host, or it is the end of a title whose beginning a heading says.

/// What a page calls itself in different places.
pub(super) struct Candidates<'a> {
    pub(super) page: Option<String>,
    pub(super) open: Option<String>,
    pub(super) linked: Option<String>,
    /// Its headings of the first level, in order.
    pub(super) headings: &'a [String],
    pub(super) site: Option<&'a str>,
    pub(super) host: &'a str,
}

/// Between the title and the site's name.
const BORDERS: &[&str] = &[
    " | ", " - ", " – ", " — ", " · ", " :: ", " » ", " « ", " • ", " ‹ ", " › ", " ~ ", " / ", ": ",
];
/// From here on a border is not one: `Chapter 3: The end` keeps its number.
const FIRM: usize = 12;

pub(super) fn choose(of: &Candidates<'_>) -> Option<String> {
    let full: Vec<&str> = [&of.page, &of.open, &of.linked]
        .into_iter()
        .filter_map(|title| title.as_deref())
        .filter(|title| !plain(title).is_empty())
        .collect();
    let heading = heading(of, &full);
    let Some(longest) = of
        .open
        .as_deref()
        .filter(|open| !plain(open).is_empty())
        .or(full.first().copied())
    else {
        return heading.or_else(|| of.headings.first().cloned());
    };
    if let Some(heading) = heading {
        return Some(heading);
    }
    let page = of.page.as_deref().unwrap_or(longest);
    // What the page says of itself and what it is called in the browser: the shorter is mostly without the site.
    let short = [without_site(page, of), without_site(longest, of)];
    short
        .into_iter()
        .filter(|title| !plain(title).is_empty() && !is_site(title, of))
        .min_by_key(|title| title.chars().count())
        .or_else(|| Some(without_site(page, of)))
}

/// A heading that the title says as well, and that is not the site's name: nobody says it better.
fn heading(of: &Candidates<'_>, full: &[&str]) -> Option<String> {
    let mut said: Vec<&String> = of
        .headings
        .iter()
        .filter(|heading| {
            let heading = plain(heading);
            let is_said = |title: &&str| {
                let title = format!(" {} ", plain(title));
                title.contains(&format!(" {heading} "))
            };
            !heading.is_empty() && full.iter().any(is_said)
        })
        .filter(|heading| !is_site(heading, of))
        .collect();
    // Of several the longest; of equals the first.
    said.sort_by_key(|heading| std::cmp::Reverse(heading.chars().count()));
    let found = said.first()?;
    let is_whole = full.iter().any(|title| {
        let title = plain(title);
        let heading = plain(found);
        title.starts_with(&heading) || heading.split(' ').count() >= 2
    });
    is_whole.then(|| (*found).clone())
}

/// A title without the parts at its ends that name the site.
fn without_site(title: &str, of: &Candidates<'_>) -> String {
    let mut rest = title.trim();
    // At most a few parts name the site: `Title | Section | Site`.
    for _ in 0..4 {
        let mut cut = None;
        for border in &BORDERS[..FIRM] {
            if let Some((head, tail)) = rest.rsplit_once(border)
                && (is_site(tail, of) || is_said_by_heading(head, of))
                && !plain(head).is_empty()
            {
                cut = Some(head);
                break;
            }
            if let Some((head, tail)) = rest.split_once(border)
                && is_site(head, of)
                && !plain(tail).is_empty()
            {
                cut = Some(tail);
                break;
            }
        }
        match cut {
            Some(left) => rest = left.trim(),
            None => break,
        }
    }
    // A bar parts a title from a site also where the site is named nowhere else.
    for border in [" | ", " :: ", " » ", " · "] {
        if let Some((head, tail)) = rest.rsplit_once(border)
            && plain(tail).split(' ').count() <= 4
            && plain(head).len() > plain(tail).len()
        {
            rest = head;
        }
    }
    rest.trim().to_owned()
}

fn is_said_by_heading(head: &str, of: &Candidates<'_>) -> bool {
    let head = plain(head);
    of.headings.iter().any(|heading| plain(heading) == head)
}

/// Whether a part of a title is the site's name: as it calls itself, or as its host does.
fn is_site(part: &str, of: &Candidates<'_>) -> bool {
    let part = plain(part);
    if part.is_empty() {
        return true;
    }
    if let Some(site) = of.site {
        let site = plain(site);
        if !site.is_empty()
            && (site == part
                || part.starts_with(&format!("{site} "))
                || site.starts_with(&format!("{part} ")))
        {
            return true;
        }
    }
    let joined = part.replace(' ', "");
    let labels: Vec<&str> = of
        .host
        .split('.')
        .filter(|label| label.len() > 3 && *label != "www")
        .collect();
    let host = of.host.trim_start_matches("www.").replace(['.', '-'], "");
    joined.len() >= 3
        && (host == joined
            || labels.iter().any(|label| {
                let label = label.replace('-', "");
                label == joined
                    || (joined.len() >= 5
                        && (label.contains(&joined) || joined.contains(&label))
                        && part.split(' ').count() <= 4)
            }))
}

/// Letters and digits, lower case, parted by single blanks.
fn plain(text: &str) -> String {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}
