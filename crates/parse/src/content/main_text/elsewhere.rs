//! What leads from a text to others is no part of it: `Read also: …` between its paragraphs, `Related articles` and what stands
//! below that.
//!
//! Only on pages that are read for one text: a list is what leads elsewhere. The pages with gold texts are too few to learn such
//! phrases from, above all in languages that few of them are written in, so they are written down here.

use super::features::Facts;
use gleaner_model::BlockKind;
use std::collections::HashSet;
use std::sync::OnceLock;

/// Sites say these over their other texts: what stands below belongs to them.
const OVER: &[&str] = &[
    "articles similaires",
    "articles récents",
    "artigos relacionados",
    "articoli correlati",
    "articoli recenti",
    "artículos relacionados",
    "auch interessant",
    "czytaj także",
    "czytaj też",
    "entradas recientes",
    "entradas relacionadas",
    "gerelateerde artikelen",
    "leggi anche",
    "leia também",
    "lee también",
    "lees ook",
    "les plus lus",
    "lesen sie auch",
    "letzte beiträge",
    "lies auch",
    "lire aussi",
    "lo más leído",
    "läs också",
    "læs også",
    "les også",
    "lea también",
    "mais lidas",
    "mais notícias",
    "mehr artikel",
    "mehr zum thema",
    "meistgelesen",
    "meer nieuws",
    "more articles",
    "more from",
    "more like this",
    "more news",
    "more posts",
    "more stories",
    "most popular",
    "most read",
    "most viewed",
    "más noticias",
    "neueste artikel",
    "neueste beiträge",
    "noticias relacionadas",
    "notícias relacionadas",
    "other articles",
    "other news",
    "passend dazu",
    "popular articles",
    "popular posts",
    "posts relacionados",
    "potrebbe anche interessarti",
    "potrebbe interessarti",
    "quizás te interese",
    "recent articles",
    "recent news",
    "recent posts",
    "recommended for you",
    "recommended reading",
    "related articles",
    "related content",
    "related news",
    "related posts",
    "related reading",
    "related stories",
    "related topics",
    "related video",
    "related videos",
    "related",
    "similar articles",
    "similar posts",
    "sur le même sujet",
    "te puede interesar",
    "ti potrebbe",
    "trending now",
    "vedi anche",
    "veja também",
    "ver también",
    "verwandte artikel",
    "verwandte themen",
    "você pode gostar",
    "você também pode",
    "voir aussi",
    "vous aimerez aussi",
    "weitere artikel",
    "weitere beiträge",
    "weitere meldungen",
    "weitere nachrichten",
    "you may also",
    "you may like",
    "you might also",
    "you might like",
    "zobacz także",
    "zobacz też",
    "à lire aussi",
    "à voir aussi",
    "ähnliche artikel",
    "ähnliche beiträge",
    "читайте также",
    "смотрите также",
];
/// These name one other text right behind them.
const BEFORE: &[&str] = &[
    "also on",
    "also read",
    "also see",
    "continue reading",
    "don t miss",
    "further reading",
    "lire la suite",
    "more",
    "read also",
    "read more",
    "read next",
    "see also",
    "see more",
    "siehe auch",
    "mehr dazu",
    "dazu passend",
    "watch",
    "weiterlesen",
    "zum thema",
    "à lire",
    "leia mais",
    "leer más",
    "lees meer",
    "veja mais",
    "leggi tutto",
];
const PHRASE_WORDS_MAX: usize = 4;
/// A heading or label has no more words than this.
const LABEL_WORDS_MAX: f32 = 6.0;
/// A longer paragraph says more than where another text is.
const LEAD_WORDS_MAX: f32 = 40.0;
/// So many words stand before other texts; with fewer nobody knows which one the page is read for.
const OWN_WORDS_MIN: f32 = 80.0;
/// Blocks of so many words are the text that goes on where they are made like those before.
const TEXT_WORDS_MIN: f32 = 16.0;

struct Phrases {
    over: HashSet<&'static str>,
    before: HashSet<&'static str>,
}

fn phrases() -> &'static Phrases {
    static PHRASES: OnceLock<Phrases> = OnceLock::new();
    PHRASES.get_or_init(|| Phrases {
        over: OVER.iter().copied().collect(),
        before: BEFORE.iter().copied().collect(),
    })
}

/// What a block says of other texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leads {
    /// What stands below is another text.
    Over,
    /// It names another text.
    Itself,
}

/// Takes what leads elsewhere out again.
pub(super) fn drop_leads(facts: &Facts<'_>, is_taken: &mut [bool]) {
    let mut before = 0.0;
    // How the blocks of the text so far are made.
    let mut made: HashSet<usize> = HashSet::new();
    let mut at = 0;
    while at < is_taken.len() {
        let words = facts.texts[at].words;
        let leads = leads(&facts.drafts[at].text, words, facts.drafts[at].kind);
        match leads {
            Some(Leads::Itself) => is_taken[at] = false,
            Some(Leads::Over) if before >= OWN_WORDS_MIN => {
                let end = facts.end_of_parent(at);
                is_taken[at] = false;
                at += 1;
                while at < end {
                    let is_text = facts.texts[at].words >= TEXT_WORDS_MIN && made.contains(&facts.group(at));
                    if is_text {
                        break;
                    }
                    is_taken[at] = false;
                    at += 1;
                }
                continue;
            }
            _ => {}
        }
        if is_taken[at] {
            before += words;
            if words >= TEXT_WORDS_MIN {
                made.insert(facts.group(at));
            }
        }
        at += 1;
    }
}

fn leads(text: &str, words: f32, kind: BlockKind) -> Option<Leads> {
    if words > LEAD_WORDS_MAX || matches!(kind, BlockKind::Code | BlockKind::Row) {
        return None;
    }
    let phrases = phrases();
    let mut phrase = String::new();
    let mut rest = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut is_over = false;
    for number in 0..PHRASE_WORDS_MAX {
        let Some(from) = rest.find(char::is_alphanumeric) else {
            break;
        };
        // A phrase goes over no mark but an apostrophe.
        if number > 0
            && !rest[..from]
                .chars()
                .all(|c| c.is_whitespace() || matches!(c, '\'' | '’'))
        {
            break;
        }
        let to = rest[from..]
            .find(|c: char| !c.is_alphanumeric())
            .map_or(rest.len(), |to| from + to);
        if number > 0 {
            phrase.push(' ');
        }
        phrase.extend(rest[from..to].chars().flat_map(char::to_lowercase));
        rest = &rest[to..];
        // A single word says it alone: `Related work` is what others have found.
        let is_whole = number > 0 || names_another(rest) || !rest.contains(char::is_alphanumeric);
        is_over |= is_whole && phrases.over.contains(phrase.as_str());
        let is_one = is_over || phrases.before.contains(phrase.as_str());
        // The title of a film begins with `Watch:` too.
        if is_one && kind != BlockKind::Heading && names_another(rest) {
            return Some(Leads::Itself);
        }
    }
    let is_sentence = text.ends_with(['.', '!', '?']) && !text.ends_with("...");
    (is_over && words <= LABEL_WORDS_MAX && !is_sentence).then_some(Leads::Over)
}

/// A mark right behind the phrase, and words behind the mark.
fn names_another(rest: &str) -> bool {
    let rest = rest.trim_start();
    let behind = rest.strip_prefix([':', '»', '›', '→']);
    behind.is_some_and(|behind| behind.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leads_elsewhere_is_known_by_its_beginning() {
        let of = |text: &str| leads(text, text.split(' ').count() as f32, BlockKind::Paragraph);
        for text in [
            "READ MORE: Reeds are cut in spring",
            "Related: reeds in ponds",
            "À lire aussi » Les roseaux",
            "Don’t miss: all about reeds",
            "(Related reading: most common reeds.)",
        ] {
            assert_eq!(of(text), Some(Leads::Itself), "{text}");
        }
        for text in [
            "Você pode gostar...",
            "You may also like",
            "Related",
            "Related:",
            "Related articles",
            "More from the Daily Reed",
            "Mehr zum Thema",
        ] {
            assert_eq!(of(text), Some(Leads::Over), "{text}");
        }
        for text in [
            "Related work",
            "Related reeds grow in ponds.",
            "More from them is not to be had.",
            "Read more",
            "Continue reading the main story",
            "Most read papers were printed on reed, and people also liked: bread.",
            "Reeds: cut them",
            "",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
