//! The room judged by real pages.

use flate2::read::GzDecoder;
use gleaner_model::{BlockKind, Url};
use gleaner_parse::content;
use gleaner_text::Text;
use gleaner_text::chunks::{TOKENS_DEFAULT, cut};
use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The texts of real pages, each with enough of it to be cut.
fn pages() -> Vec<Text> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/wcxb/html");
    let Ok(entries) = std::fs::read_dir(folder) else {
        eprintln!("skipped: no corpora");
        return Vec::new();
    };
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

/// One edited paragraph changes at most two chunks, whatever the edit does to its length (J4). Where the edited block's own gap
/// was the best one, the cut moves and a third chunk may come: hardly ever.
#[test]
fn j4_one_edited_paragraph_changes_at_most_two_chunks() {
    let pages = pages();
    let pages = &pages[..pages.len().min(200)];
    let mut edits = 0;
    let (mut worst, mut beyond) = (0, 0);
    for text in pages {
        for limit in [TOKENS_DEFAULT, 120] {
            let before: HashSet<String> = cut(text, limit).into_iter().map(|chunk| chunk.id).collect();
            let paragraphs: Vec<usize> = (0..text.passages.len())
                .filter(|at| text.passages[*at].kind == BlockKind::Paragraph && text.passages[*at].is_main)
                .collect();
            for at in paragraphs.iter().step_by((paragraphs.len() / 6).max(1)) {
                for edit in [0, 1, 2] {
                    let mut edited = text.clone();
                    let words = &mut edited.passages[*at].text;
                    match edit {
                        0 => words.push_str(" One more sentence was added here."),
                        1 => *words = words.split(' ').skip(3).collect::<Vec<_>>().join(" ") + " x",
                        _ => *words = words.replacen(' ', " quite ", 1) + "!",
                    }
                    let after: Vec<String> = cut(&edited, limit).into_iter().map(|chunk| chunk.id).collect();
                    let came = after.iter().filter(|id| !before.contains(*id)).count();
                    edits += 1;
                    worst = worst.max(came);
                    beyond += usize::from(came > 2);
                    assert!(
                        came <= 4,
                        "{came} of {} chunks came by one edit of {:?}",
                        after.len(),
                        text.title
                    );
                }
            }
        }
    }
    println!(
        "{edits} edits of {} pages: at most {worst} chunks came, more than two by {beyond}",
        pages.len()
    );
    assert!(
        beyond * 500 <= edits,
        "{beyond} of {edits} edits changed more than two chunks"
    );
}
