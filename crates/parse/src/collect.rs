//! Links as they are met, gathered cheaply and resolved once, at the end (A8, HC032, HC083).
//!
//! Resolving an address is dear and a page repeats its addresses, so each distinct spelling is kept once and every
//! occurrence only counts. Resolving waits for the end because a `<base>` holds for the whole page, also for what
//! stands before it.

mod spelling;

pub(crate) use spelling::in_charset;

use crate::text::Folded;
use crate::{Note, Original, Parsed};
use encoding_rs::Encoding;
use foldhash::fast::RandomState;
use gleaner_model::defaults::{ANCHOR_CHARS_MAX, LINKS_PER_PAGE_MAX, URL_BYTES_MAX};
use gleaner_model::project::TypeGroup;
use gleaner_model::url::Mistaken;
use gleaner_model::{Link, LinkKind, Url, UrlError};
use spelling::{SCHEME_BYTES_MAX, scheme_of};
use std::borrow::Cow;
use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;

/// A spelling longer than this cannot be a usable URL: even if every byte of it were an escape, it would shrink to a third.
const SPELLING_BYTES_MAX: usize = 4 * URL_BYTES_MAX;
/// Distinct schemes that are counted by name; the rest is counted together.
const SCHEMES_MAX: usize = 32;
/// Room from the start for the links of a page, so that few pages make it grow.
const LINKS_USUAL: usize = 56;
const NONE: u32 = u32::MAX;
/// So many guesses are looked up among the links one by one.
const GUESSES_FEW: usize = 16;

/// A page chooses its own spellings, so hashes carry a seed of the process; they need not be stronger, since their number is bounded.
type HashMap<K, V> = std::collections::HashMap<K, V, RandomState>;

/// What an address is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Against {
    /// The `<base>` of the page, if it has one.
    Base,
    /// The page itself: what HTTP headers say.
    Page,
}

struct Target<'a> {
    text: Cow<'a, str>,
    against: Against,
    /// The first of its places in `found`, chained by `Found::next`.
    first: u32,
}

struct Found {
    target: u32,
    kind: LinkKind,
    next: u32,
    count: u32,
    nofollow: bool,
    anchor: String,
    /// The type that the page says it is of, where it says so of each occurrence.
    promised: Option<TypeGroup>,
}

/// Where an occurrence was put; the words that follow it can be added later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(u32);

pub(crate) struct Collector<'a> {
    /// The charset of the page: queries of its links are written in it.
    encoding: &'static Encoding,
    targets: Vec<Target<'a>>,
    found: Vec<Found>,
    /// Spellings as they stand in the page, so that a repeated one is not even decoded.
    by_bytes: HashMap<&'a [u8], u32>,
    by_text: HashMap<(Cow<'a, str>, bool), u32>,
    schemes: Vec<(String, u32)>,
    base: Option<String>,
    canonical: Option<u32>,
    is_file: bool,
    dropped: u64,
    too_long: u64,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(page: &Url, encoding: &'static Encoding) -> Collector<'a> {
        Collector {
            encoding,
            targets: Vec::with_capacity(LINKS_USUAL),
            found: Vec::with_capacity(LINKS_USUAL),
            by_bytes: HashMap::with_capacity_and_hasher(LINKS_USUAL, RandomState::default()),
            by_text: HashMap::default(),
            schemes: Vec::new(),
            base: None,
            canonical: None,
            is_file: page.scheme() == "file",
            dropped: 0,
            too_long: 0,
        }
    }

    /// Only the first counts, as the standard says.
    pub(crate) fn set_base(&mut self, href: &str) {
        if self.base.is_none() && href.len() <= SPELLING_BYTES_MAX {
            self.base = Some(href.to_owned());
        }
    }

    /// Adds an address by its bytes in the page; `decode` makes text of them where the spelling is new.
    pub(crate) fn add_bytes(
        &mut self,
        bytes: &'a [u8],
        kind: LinkKind,
        nofollow: bool,
        decode: impl FnOnce(&'a [u8]) -> Cow<'a, str>,
    ) -> Option<Place> {
        if let Some(&target) = self.by_bytes.get(bytes) {
            return self.count(target, kind, nofollow);
        }
        if bytes.len() > SPELLING_BYTES_MAX {
            self.refuse_long(bytes);
            return None;
        }
        let text = decode(bytes);
        let target = self.target(text, Against::Base, false)?;
        self.by_bytes.insert(bytes, target);
        self.count(target, kind, nofollow)
    }

    /// Adds an address as text.
    pub(crate) fn add_text(
        &mut self,
        text: Cow<'a, str>,
        kind: LinkKind,
        nofollow: bool,
        against: Against,
    ) -> Option<Place> {
        if text.len() > SPELLING_BYTES_MAX {
            self.refuse_long(text.as_bytes());
            return None;
        }
        let target = self.target(text, against, true)?;
        self.count(target, kind, nofollow)
    }

    fn refuse_long(&mut self, bytes: &[u8]) {
        let head = String::from_utf8_lossy(&bytes[..SCHEME_BYTES_MAX * 2]);
        match scheme_of(&head) {
            Some(scheme) if !self.is_fetched(&scheme) => self.count_scheme(&scheme),
            _ => self.too_long += 1,
        }
    }

    /// The target of this spelling; `None` where it is no address of a document or the page has too many.
    fn target(&mut self, text: Cow<'a, str>, against: Against, is_shared: bool) -> Option<u32> {
        let trimmed = text.trim_matches(|c: char| c <= ' ');
        if trimmed.is_empty() {
            return None;
        }
        if let Some(scheme) = scheme_of(trimmed)
            && !self.is_fetched(&scheme)
            && !Url::mends_scheme(trimmed)
        {
            self.count_scheme(&scheme);
            return None;
        }
        if self.found.len() >= LINKS_PER_PAGE_MAX && !is_shared {
            self.dropped += 1;
            return None;
        }
        let index = self.targets.len() as u32;
        if is_shared {
            match self.by_text.entry((text, against == Against::Page)) {
                Entry::Occupied(known) => return Some(*known.get()),
                Entry::Vacant(_) if self.found.len() >= LINKS_PER_PAGE_MAX => {
                    self.dropped += 1;
                    return None;
                }
                Entry::Vacant(free) => {
                    let text = free.key().0.clone();
                    free.insert(index);
                    self.targets.push(Target {
                        text,
                        against,
                        first: NONE,
                    });
                }
            }
        } else {
            self.targets.push(Target {
                text,
                against,
                first: NONE,
            });
        }
        Some(index)
    }

    fn count(&mut self, target: u32, kind: LinkKind, nofollow: bool) -> Option<Place> {
        let mut at = self.targets[target as usize].first;
        while at != NONE {
            let found = &mut self.found[at as usize];
            if found.kind == kind {
                found.count = found.count.saturating_add(1);
                found.nofollow &= nofollow;
                found.promised = None;
                return Some(Place(at));
            }
            at = found.next;
        }
        if self.found.len() >= LINKS_PER_PAGE_MAX {
            self.dropped += 1;
            return None;
        }
        let place = self.found.len() as u32;
        let next = std::mem::replace(&mut self.targets[target as usize].first, place);
        self.found.push(Found {
            target,
            kind,
            next,
            count: 1,
            nofollow,
            anchor: String::new(),
            promised: None,
        });
        Some(Place(place))
    }

    /// Of a link that stands on the page once; of others one place need not speak for all.
    pub(crate) fn set_promise(&mut self, place: Place, group: TypeGroup) {
        let found = &mut self.found[place.0 as usize];
        found.promised = (found.count == 1).then_some(group);
    }

    /// Whether the place still waits for its words.
    pub(crate) fn wants_words(&self, place: Place) -> bool {
        self.found[place.0 as usize].anchor.is_empty()
    }

    pub(crate) fn set_words(&mut self, place: Place, words: Folded) {
        let found = &mut self.found[place.0 as usize];
        if found.anchor.is_empty() {
            found.anchor = words.finish();
        }
    }

    pub(crate) fn set_words_of(&mut self, place: Place, words: &str) {
        if self.wants_words(place) {
            let mut folded = Folded::new(ANCHOR_CHARS_MAX);
            folded.push(words);
            self.set_words(place, folded);
        }
    }

    /// The page's canonical address; the first one counts.
    pub(crate) fn set_canonical(&mut self, place: Place) {
        self.canonical.get_or_insert(place.0);
    }

    fn is_fetched(&self, scheme: &str) -> bool {
        matches!(
            scheme,
            "http" | "https" | "ftp" | "ftps" | "sftp" | "nntp" | "nntps"
        ) || (scheme == "file" && self.is_file)
    }

    fn count_scheme(&mut self, scheme: &str) {
        if let Some((_, count)) = self.schemes.iter_mut().find(|(known, _)| known == scheme) {
            *count = count.saturating_add(1);
        } else if self.schemes.len() < SCHEMES_MAX {
            self.schemes.push((scheme.to_owned(), 1));
        } else {
            // The last place counts all that have none of their own.
            let (name, count) = &mut self.schemes[SCHEMES_MAX - 1];
            "(others)".clone_into(name);
            *count = count.saturating_add(1);
        }
    }

    /// Resolves every target and writes links, canonical, schemes and notes.
    pub(crate) fn finish(mut self, page: &Url, parsed: &mut Parsed) {
        let base = self
            .base
            .take()
            .and_then(|href| page.join(&in_charset(&href, self.encoding)).ok());
        let base = base.filter(|b| self.is_fetched(b.scheme()));
        let mut broken = 0u64;
        let mut resolved: Vec<Option<Url>> = Vec::with_capacity(self.targets.len());
        // Nearly always empty: places in `targets` whose text is no longer what is fetched.
        let mut mistaken: Vec<u32> = Vec::new();
        let targets = std::mem::take(&mut self.targets);
        for target in &targets {
            let from = match target.against {
                Against::Base => base.as_ref(),
                Against::Page => None,
            };
            // `#top` without a base is this very page: a place in it, not a link.
            if from.is_none()
                && target
                    .text
                    .trim_start_matches(|c: char| c <= ' ')
                    .starts_with('#')
            {
                resolved.push(None);
                continue;
            }
            resolved.push(
                match from
                    .unwrap_or(page)
                    .join_noting(&in_charset(&target.text, self.encoding))
                {
                    Ok((url, _)) if url.as_str().len() > URL_BYTES_MAX => {
                        self.too_long += 1;
                        None
                    }
                    Ok((url, noted)) => {
                        if noted == Mistaken::Yes {
                            mistaken.push(resolved.len() as u32);
                        }
                        Some(url)
                    }
                    Err(UrlError::TooLong { .. }) => {
                        self.too_long += 1;
                        None
                    }
                    Err(UrlError::Scheme { scheme }) => {
                        self.count_scheme(&scheme.to_ascii_lowercase());
                        None
                    }
                    Err(UrlError::Malformed { .. }) => {
                        broken += 1;
                        None
                    }
                },
            );
        }

        // Different spellings of one address become one link. Chains by hash, so that no URL is copied for a key.
        let hasher = RandomState::default();
        let mut by_hash: HashMap<u64, u32> =
            HashMap::with_capacity_and_hasher(self.found.len(), RandomState::default());
        let mut next_same: Vec<u32> = Vec::with_capacity(self.found.len());
        parsed.links.reserve(self.found.len());
        // Nearly always few: places in `found`, looked at when all links are known.
        let mut guessed: Vec<Found> = Vec::new();
        for (place, found) in self.found.into_iter().enumerate() {
            if found.kind.is_guess() {
                guessed.push(found);
                continue;
            }
            let is_last_use = targets[found.target as usize].first == place as u32;
            let slot = &mut resolved[found.target as usize];
            let Some(url) = slot.as_ref() else { continue };
            if self.canonical == Some(place as u32) {
                parsed.canonical = Some(url.clone());
            }
            let hash = hasher.hash_one((url.as_str(), found.kind as u8));
            let mut at = by_hash.get(&hash).copied().unwrap_or(NONE);
            let first = at;
            while at != NONE {
                let link = &mut parsed.links[at as usize];
                if link.kind == found.kind && link.url == *url {
                    break;
                }
                at = next_same[at as usize];
            }
            if at == NONE {
                by_hash.insert(hash, parsed.links.len() as u32);
                next_same.push(first);
                // The newest place is the first of its chain, so when it comes up all others have been served.
                let url = if is_last_use { slot.take() } else { slot.clone() };
                let Some(url) = url else { continue };
                if mistaken.binary_search(&found.target).is_ok() {
                    parsed.originals.push(Original {
                        link: parsed.links.len() as u32,
                        text: original(&targets[found.target as usize].text),
                    });
                }
                if let Some(group) = found.promised {
                    parsed.promises.push((parsed.links.len() as u32, group));
                }
                parsed.links.push(Link {
                    url,
                    kind: found.kind,
                    anchor: found.anchor,
                    count: found.count,
                    nofollow: found.nofollow,
                });
            } else {
                let link = &mut parsed.links[at as usize];
                link.count = link.count.saturating_add(found.count);
                link.nofollow &= found.nofollow;
                parsed.promises.retain(|(of, _)| *of != at);
                if link.anchor.is_empty() {
                    link.anchor = found.anchor;
                }
            }
        }
        parsed.guesses = guesses(guessed, &resolved, &parsed.links, page);
        parsed.other_schemes = self.schemes;
        if self.dropped > 0 {
            parsed.notes.push(Note::LinksCut {
                dropped: self.dropped,
            });
        }
        if self.too_long > 0 {
            parsed.notes.push(Note::UrlTooLong { count: self.too_long });
        }
        if broken > 0 {
            parsed.notes.push(Note::BrokenUrls { count: broken });
        }
    }
}

/// Those that are no links of the page already, each address once.
fn guesses(guessed: Vec<Found>, resolved: &[Option<Url>], links: &[Link], page: &Url) -> Vec<Link> {
    // Nearly always few: a table of all links costs more than looking at each.
    let known: Option<HashSet<&Url, RandomState>> = (guessed.len() > GUESSES_FEW).then(|| {
        let links = links.iter().map(|link| &link.url);
        links.collect()
    });
    let is_link = |url: &Url| match &known {
        Some(known) => known.contains(url),
        None => links.iter().any(|link| link.url == *url),
    };
    let mut met: HashSet<&Url, RandomState> = HashSet::default();
    let mut guesses: Vec<Link> = Vec::new();
    for found in guessed {
        // Its address was taken for a link where it has none any more.
        let Some(url) = &resolved[found.target as usize] else {
            continue;
        };
        if url == page || is_link(url) || !met.insert(url) {
            continue;
        }
        guesses.push(Link {
            url: url.clone(),
            kind: found.kind,
            anchor: found.anchor,
            count: found.count,
            nofollow: found.nofollow,
        });
    }
    guesses
}

/// What stood on the page, without the white space around it; no longer than a URL may be.
fn original(text: &str) -> Box<str> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let mut end = text.len().min(URL_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].into()
}
