//! What one edited paragraph changes, from the bytes of a page on: `bench/scores/sets/edits.py` calls it.
//!
//! ```text
//!  edits CORPORA N    N real pages, each with words added to the paragraph in the middle of its main text
//! ```
//! Prints a JSON line a page: how many lines of its Markdown differ, of the main text and of the whole page, how many
//! chunks have ids that were not there before, and which other blocks came into the main text or left it.
#![expect(clippy::print_stdout, reason = "a command that shows figures")]

use flate2::read::GzDecoder;
use gleaner_model::{BlockKind, Url};
use gleaner_parse::content::{self, Part};
use gleaner_text::Text;
use gleaner_text::chunks::{TOKENS_DEFAULT, cut};
use serde_json::json;
use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What is typed into a paragraph.
const ADDED: &str = "Edited by a hand. ";
/// Shorter ones are labels.
const WORDS_MIN: usize = 8;
/// So much of a paragraph's beginning tells where it stands in the bytes.
const WORDS_TO_FIND: usize = 4;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpora, count] = arguments.as_slice() else {
        return Err("usage: edits CORPORA N".into());
    };
    let url = Url::parse("http://a.test/")?;
    let mut left: usize = count.parse()?;
    for file in files(Path::new(corpora))? {
        if left == 0 {
            break;
        }
        let mut bytes = Vec::new();
        GzDecoder::new(File::open(&file)?).read_to_end(&mut bytes)?;
        let html = String::from_utf8_lossy(&bytes).into_owned();
        let before = Text::of(content::of_html(&html, &url));
        let Some(at) = middle(&html, &before) else {
            continue;
        };
        left -= 1;
        let edited = format!("{}{ADDED}{}", &html[..at], &html[at..]);
        let after = Text::of(content::of_html(&edited, &url));
        let lines = |part: Part| {
            let (old, new) = (
                content::markdown(&html, &url, part),
                content::markdown(&edited, &url, part),
            );
            differing(&old, &new)
        };
        let old: HashSet<String> = ids(&before);
        let came = ids(&after).iter().filter(|id| !old.contains(*id)).count();
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        println!(
            "{}",
            json!({"page": name, "main": lines(Part::Main), "whole": lines(Part::Whole), "chunks": came,
                "turned": turned(&before, &after)})
        );
    }
    Ok(())
}

fn files(corpora: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(corpora.join("wcxb/html"))? {
        files.push(entry?.path());
    }
    files.sort();
    Ok(files)
}

/// Where the paragraph in the middle of the main text begins in the bytes; none where no paragraph is found there.
fn middle(html: &str, text: &Text) -> Option<usize> {
    let paragraphs: Vec<&str> = text
        .passages
        .iter()
        .filter(|passage| passage.is_main && passage.kind == BlockKind::Paragraph)
        .map(|passage| passage.text.as_str())
        .filter(|text| text.split_whitespace().count() >= WORDS_MIN)
        .collect();
    let mut from_middle = (0..paragraphs.len()).map(|at| (paragraphs.len() / 2 + at) % paragraphs.len());
    from_middle.find_map(|at| {
        let words: Vec<&str> = paragraphs[at].split_whitespace().take(WORDS_TO_FIND).collect();
        let beginning = words.join(" ");
        let mut places = html.match_indices(&beginning);
        let (place, _) = places.next()?;
        // Behind a tag, and nowhere else: not in a script or an attribute.
        let is_text = html[..place].trim_end().ends_with('>');
        (is_text && places.next().is_none()).then_some(place)
    })
}

/// Blocks that nobody edited and that are now counted as main text, or no longer.
fn turned(before: &Text, after: &Text) -> Vec<String> {
    let main = |text: &Text| -> HashSet<String> { text.main().map(|passage| passage.text.clone()).collect() };
    let (before, after) = (main(before), main(after));
    let went = before.difference(&after).map(|text| format!("-{text}"));
    let came = after.difference(&before).map(|text| format!("+{text}"));
    let mut turned: Vec<String> = went
        .chain(came)
        .filter(|text| !text.contains(ADDED.trim()))
        .collect();
    turned.sort();
    turned
}

fn ids(text: &Text) -> HashSet<String> {
    cut(text, TOKENS_DEFAULT)
        .into_iter()
        .map(|chunk| chunk.id)
        .collect()
}

/// Lines that went or came, whichever are more.
fn differing(old: &str, new: &str) -> usize {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[start..], &new[start..]);
    // The longest row of lines that both have, row by row of the usual table.
    let mut common = vec![0usize; new.len() + 1];
    for line in old {
        let mut corner = 0;
        for (at, other) in new.iter().enumerate() {
            let above = common[at + 1];
            common[at + 1] = if line == other {
                corner + 1
            } else {
                above.max(common[at])
            };
            corner = above;
        }
    }
    old.len().max(new.len()) - common[new.len()]
}
