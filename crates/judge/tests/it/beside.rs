//! Edits beside what an extractor takes for the text: pages of which it is a small share, lists, pictures (B6).
//!
//! Real pages, edited in any place; kept are the edits that came out in the places meant. `GLEANER_SHOW=1` prints what was
//! missed, `GLEANER_SEED` takes other edits.

use crate::{files_below, unpacked};
use gleaner_fixtures::{corpus, keep_scores};
use gleaner_judge::diff::{ChangeKind, changes};
use gleaner_judge::equality::{Chain, Learned, Side, template_of};
use gleaner_model::{Block, Content, Url};
use gleaner_testkit::lists::{self, ListItem, Shape};
use gleaner_testkit::mutate::Anywhere;
use std::collections::BTreeMap;
use std::sync::Arc;

fn content(html: &str) -> Content {
    let url = Url::parse("http://site.test/section/page.html").expect("an address");
    gleaner_parse::content::of_html(html, &url)
}

fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for name in [
        "wcxb",
        "aeb",
        "trafilatura-eval",
        "readability-pages",
        "page-history",
    ] {
        let Some(folder) = corpus(name) else { continue };
        for path in files_below(&folder) {
            let file = path.to_string_lossy().into_owned();
            let bytes = match (
                file.ends_with(".html.gz"),
                path.extension().is_some_and(|end| end == "html"),
            ) {
                (true, _) => unpacked(&path),
                (_, true) => std::fs::read(&path).expect("a file of the corpus"),
                _ => continue,
            };
            if let Ok(html) = String::from_utf8(bytes) {
                pages.push((file, html));
            }
        }
    }
    pages
}

/// Which part of a page was edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Outside the main text of a page that has little of it.
    Beside,
    /// In a page that is a list.
    List,
    /// A picture in the main text.
    Picture,
    /// What a page shows its visitor of himself, beside a short text: not watched, and counted only to be seen here.
    Visitor,
}

/// Whether a block stands in an element that is named for signing in, consent, or the way the visitor came by.
fn is_for_the_visitor(block: &Block) -> bool {
    const NAMES: [&str; 6] = ["account", "breadcrumb", "consent", "cookie", "login", "user"];
    let path = block.path.to_ascii_lowercase();
    NAMES.iter().any(|name| path.contains(name))
}

/// Shares of what a page shows, in percent: main text, and words that are links.
fn main_share(content: &Content) -> usize {
    let bytes =
        |blocks: &mut dyn Iterator<Item = &Block>| blocks.map(|block| block.text.len()).sum::<usize>();
    100 * bytes(&mut content.main()) / bytes(&mut content.blocks.iter()).max(1)
}

/// Nearly all the page shows is short and leads elsewhere.
fn is_list(content: &Content) -> bool {
    let bytes = |is_it: &dyn Fn(&Block) -> bool| -> usize {
        let blocks = content.blocks.iter().filter(|block| is_it(block));
        blocks.map(|block| block.text.len()).sum()
    };
    let words = |block: &Block| block.text.split_whitespace().count();
    let shown = bytes(&|_| true);
    let items = bytes(&|block| !block.links.is_empty() && words(block) < 20);
    let prose = bytes(&|block| words(block) >= 12 && block.links.len() < 2);
    items * 100 >= shown * 70 && prose * 10 < shown && content.blocks.len() > 4
}

/// Where the edit came out; none where it is not a case of ours.
fn place(kind: Anywhere, before: &Content, now: &Content) -> Option<Place> {
    let found = changes(&before.blocks, &now.blocks);
    let blocks = || {
        found.iter().flat_map(|change| {
            let sides = [
                change.before.map(|at| &before.blocks[at]),
                change.after.map(|at| &now.blocks[at]),
            ];
            sides.into_iter().flatten()
        })
    };
    if found.is_empty() {
        return None;
    }
    if matches!(kind, Anywhere::Source | Anywhere::Alt) {
        let is_link = found.iter().all(|change| change.kind == ChangeKind::Link);
        return (is_link && blocks().all(|block| block.is_main)).then_some(Place::Picture);
    }
    // The year of a copyright is a stamp wherever it stands.
    if found.len() > 2 || blocks().any(|block| block.text.contains('©')) {
        return None;
    }
    if is_list(before) {
        return Some(Place::List);
    }
    let is_beside = main_share(before) < 25 && blocks().all(|block| !block.is_main);
    let place = if blocks().any(is_for_the_visitor) {
        Place::Visitor
    } else {
        Place::Beside
    };
    is_beside.then_some(place)
}

#[test]
fn case20_edits_beside_a_short_text_in_lists_and_of_pictures_are_seen() {
    let pages = pages();
    if pages.is_empty() {
        return;
    }
    let first: u64 = std::env::var("GLEANER_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(5);
    let is_shown = std::env::var_os("GLEANER_SHOW").is_some();
    let chain = Chain::default();
    // Other pages of the site were asked for too, and have not changed.
    let mut site = Learned::default();
    for _ in 0..12 {
        site.note_still();
    }
    let mut scores: BTreeMap<(Place, Anywhere), [usize; 3]> = BTreeMap::new();
    for (at, (name, html)) in pages.iter().enumerate() {
        let before = content(html);
        let is_wanted = main_share(&before) < 25 || is_list(&before);
        for (turn, kind) in Anywhere::ALL.into_iter().enumerate() {
            let is_picture = matches!(kind, Anywhere::Source | Anywhere::Alt);
            if !(is_wanted || is_picture && at % 4 == 0) {
                continue;
            }
            let seed = first.wrapping_mul(1_000_003) + (at * 31 + turn) as u64;
            let Some(edited) = kind.edit(html, seed) else {
                continue;
            };
            let now = content(&edited);
            let Some(place) = place(kind, &before, &now) else {
                continue;
            };
            let (old, new) = (Side::new(before.clone(), [0; 32]), Side::new(now, [1; 32]));
            let is_seen_alone = !chain.judge(&old, &new).is_same();
            let known = site.knowledge(&template_of(new.content(), "/*"));
            let new = new.with_known(Arc::new(known));
            let is_seen = !chain.judge(&old, &new).is_same();
            let count = scores.entry((place, kind)).or_default();
            count[0] += usize::from(is_seen);
            count[1] += usize::from(is_seen_alone);
            count[2] += 1;
            if is_shown && !is_seen {
                let found = changes(&before.blocks, &new.content().blocks);
                for change in &found {
                    let side = |block: Option<&Block>| {
                        block.map(|block| {
                            format!(
                                "{:?} frame={} main={} {} {:.90} {:?}",
                                block.kind,
                                block.is_frame,
                                block.is_main,
                                block.path,
                                block.text,
                                block.images.iter().take(3).collect::<Vec<_>>()
                            )
                        })
                    };
                    eprintln!(
                        "missed {place:?} {kind:?} {name} main={} {:?}\n  - {:?}\n  + {:?}",
                        main_share(&before),
                        change.kind,
                        side(change.before.map(|at| &before.blocks[at])),
                        side(change.after.map(|at| &new.content().blocks[at])),
                    );
                }
            }
        }
    }
    let mut lines =
        vec!["beside: edits of real pages outside a short main text, in lists, of pictures".to_owned()];
    let mut by_place: BTreeMap<Place, [usize; 3]> = BTreeMap::new();
    for ((place, kind), count) in &scores {
        let [seen, alone, all] = count;
        lines.push(format!(
            "  {place:?} {kind:?} seen {seen}/{all}, alone {alone}/{all}"
        ));
        let sums = by_place.entry(*place).or_default();
        for (sum, count) in sums.iter_mut().zip(count) {
            *sum += count;
        }
    }
    for (place, count) in &by_place {
        let [seen, alone, all] = count;
        lines.push(format!(
            "{place:?} seen {seen}/{all}, as the only page of its site {alone}/{all}"
        ));
    }
    keep_scores("beside", &lines);
    eprintln!("{}", lines.join("\n"));
    for (place, [seen, _, all]) in by_place {
        let percent = match place {
            Place::Beside => 98,
            Place::List | Place::Picture => 99,
            Place::Visitor => 0,
        };
        assert!(seen * 100 >= all * percent, "{place:?}: {seen}/{all}");
    }
}

/// What may happen to a list, each small.
fn edited(entries: &[ListItem]) -> Vec<(&'static str, Vec<ListItem>)> {
    let middle = entries.len() / 2;
    let mut renamed = entries.to_vec();
    "Recipes of the mill 7".clone_into(&mut renamed[middle].text);
    let mut longer = entries.to_vec();
    longer.insert(
        middle,
        ListItem {
            path: "#new".to_owned(),
            text: "Songs".to_owned(),
        },
    );
    let mut shorter = entries.to_vec();
    shorter.remove(middle);
    let mut moved = entries.to_vec();
    moved.swap(1, middle);
    let mut counted = entries.to_vec();
    counted[middle].text = counted[middle].text.replace('0', "9") + "1";
    vec![
        ("renamed", renamed),
        ("one more", longer),
        ("one less", shorter),
        ("another order", moved),
        ("another number", counted),
    ]
}

#[test]
fn case20_an_edit_of_a_page_that_is_a_list_is_seen() {
    for shape in Shape::ALL {
        for count in [4, 12, 60] {
            let entries = lists::entries(3, count);
            let before = content(&lists::page(shape, &entries));
            for (what, entries) in edited(&entries) {
                let now = content(&lists::page(shape, &entries));
                let (old, new) = (Side::new(before.clone(), [0; 32]), Side::new(now, [1; 32]));
                let verdict = Chain::default().judge(&old, &new);
                assert!(
                    !verdict.is_same(),
                    "{shape:?} of {count}: {what}\n{:#?}",
                    verdict.ignored
                );
            }
        }
    }
}
