//! The room judged by real pages.

use flate2::read::GzDecoder;
use gleaner_model::{BlockKind, Url};
use gleaner_parse::content;
use gleaner_text::Text;
use gleaner_text::chunks::{TOKENS_DEFAULT, cut};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;

/// The texts of real pages, each with enough of it to be cut.
fn pages() -> Vec<Text> {
    let Some(folder) = gleaner_fixtures::corpus("wcxb/html") else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(folder).expect("a folder of pages");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    names.sort();
    let url = Url::parse("http://a.test/").expect("an address");
    let mut texts = Vec::new();
    for name in names {
        let mut html = Vec::new();
        GzDecoder::new(File::open(name).expect("a page"))
            .read_to_end(&mut html)
            .expect("bytes");
        let text = Text::of(content::of_html(&String::from_utf8_lossy(&html), &url));
        if text
            .main()
            .filter(|passage| passage.kind == BlockKind::Paragraph)
            .count()
            >= 2
        {
            texts.push(text);
        }
    }
    texts
}

/// The same page with one paragraph edited, in one of three ways.
fn edited(text: &Text, at: usize, way: usize) -> Text {
    let mut edited = text.clone();
    let words = &mut edited.passages[at].text;
    match way {
        0 => words.push_str(" One more sentence was added here."),
        1 => *words = words.split(' ').skip(3).collect::<Vec<_>>().join(" ") + " x",
        _ => *words = words.replacen(' ', " quite ", 1) + "!",
    }
    edited
}

/// One edited paragraph changes at most two chunks (J4): on every page where its middle paragraph is edited, and for all but
/// one in 500 of many edits, some of which leave little of a short paragraph; then it is three.
#[test]
fn j4_one_edited_paragraph_changes_at_most_two_chunks() {
    let pages = pages();
    let pages = &pages[..pages.len().min(200)];
    let (mut edits, mut more) = (0, 0);
    for text in pages {
        let paragraphs: Vec<usize> = (0..text.passages.len())
            .filter(|at| text.passages[*at].kind == BlockKind::Paragraph && text.passages[*at].is_main)
            .collect();
        for limit in [TOKENS_DEFAULT, 120] {
            let before: HashSet<String> = cut(text, limit).into_iter().map(|chunk| chunk.id).collect();
            let came = |at: usize, way: usize| {
                let after = cut(&edited(text, at, way), limit);
                after.iter().filter(|chunk| !before.contains(&chunk.id)).count()
            };
            if let Some(middle) = paragraphs.get(paragraphs.len() / 2) {
                let came = came(*middle, 0);
                assert!(came <= 2, "{came} chunks came by one edit of {:?}", text.title);
            }
            for at in paragraphs.iter().step_by((paragraphs.len() / 3).max(1)) {
                for way in 0..3 {
                    let came = came(*at, way);
                    edits += 1;
                    more += usize::from(came > 2);
                    assert!(came <= 4, "{came} chunks came by one edit of {:?}", text.title);
                }
            }
        }
    }
    println!(
        "{more} of {edits} edits on {} pages changed more than two chunks",
        pages.len()
    );
    assert!(more * 500 <= edits, "{more} of {edits}");
}
