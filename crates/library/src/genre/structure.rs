//! How is a document built? Headings, lists, questions, blanks, references, signs.

use super::features::{Row, rate, share, slow};
use super::references;
use super::sample::{Part, Sample};
use super::signs::Signs;
use gleaner_model::BlockKind;
use gleaner_parse::documents::Reading;
use std::collections::HashMap;

/// A piece of fewer words is a short one.
const SHORT_WORDS: usize = 8;

pub(super) fn add(reading: &Reading, sample: &Sample<'_>, row: &mut Row) {
    let words = sample.len();
    let parts = sample.parts.len();
    let whole = words as f32 * sample.bytes as f32 / sample.sampled_bytes.max(1) as f32;
    row.text("words", "it is long", "it is short", slow(whole));
    kinds(sample, row);
    lengths(sample, row);
    links(reading, sample, row);
    let signs = Signs::of(sample);
    signs.add(words, row);
    beginnings(sample, parts, row);
    references::add(sample, row);
    repeats(reading, row);
}

fn kinds(sample: &Sample<'_>, row: &mut Row) {
    let parts = sample.parts.len();
    let of = |kind: BlockKind| share(sample.parts.iter().filter(|part| part.is(kind)).count(), parts);
    row.text(
        "headings",
        "much of it is headings",
        "few headings",
        of(BlockKind::Heading),
    );
    row.text(
        "items",
        "much of it is list items",
        "few list items",
        of(BlockKind::Item),
    );
    row.text(
        "rows",
        "much of it is rows of tables",
        "few rows of tables",
        of(BlockKind::Row),
    );
    row.text(
        "code",
        "much of it is code or plain lines",
        "hardly any code",
        of(BlockKind::Code),
    );
    let headings = sample
        .parts
        .iter()
        .filter(|part| part.is(BlockKind::Heading))
        .count();
    row.text(
        "headings-rate",
        "many headings for its length",
        "few headings for its length",
        rate(headings, sample.len()),
    );
}

fn lengths(sample: &Sample<'_>, row: &mut Row) {
    let lengths: Vec<f32> = sample.parts.iter().map(|part| part.words.len() as f32).collect();
    let count = lengths.len().max(1) as f32;
    let mean = lengths.iter().sum::<f32>() / count;
    let spread = (lengths.iter().map(|length| (length - mean).powi(2)).sum::<f32>() / count).sqrt();
    let short = lengths
        .iter()
        .filter(|length| **length < SHORT_WORDS as f32)
        .count();
    row.text("part-words", "long paragraphs", "short paragraphs", slow(mean));
    row.text(
        "part-spread",
        "paragraphs of very different length",
        "paragraphs of equal length",
        spread / mean.max(1.0),
    );
    row.text(
        "short-parts",
        "most of its paragraphs are a few words",
        "its paragraphs are whole sentences",
        share(short, lengths.len()),
    );
    let longest = lengths.iter().copied().fold(0.0, f32::max);
    row.text(
        "longest-part",
        "a very long paragraph",
        "no long paragraph",
        slow(longest),
    );
    let mut seen = std::collections::HashSet::new();
    let beginning = sample.len().min(400);
    let different = sample
        .words(0..beginning)
        .filter(|word| seen.insert(*word))
        .count();
    row.text(
        "different-words",
        "its words hardly repeat",
        "its words repeat",
        share(different, beginning),
    );
    let numbers = sample
        .words(0..sample.len())
        .filter(|word| word.bytes().all(|byte| byte == b'0'))
        .count();
    row.text(
        "numbers",
        "much of it is numbers",
        "few numbers",
        share(numbers, sample.len()),
    );
    let years = sample
        .words(0..sample.len())
        .filter(|word| *word == "0000")
        .count();
    row.text("years", "many years", "few years", rate(years, sample.len()));
    let letters: usize = sample
        .words(0..sample.len())
        .map(|word| word.chars().count())
        .sum();
    row.text(
        "word-letters",
        "long words",
        "short words",
        share(letters, sample.len()),
    );
    let single = sample
        .words(0..sample.len())
        .filter(|word| word.len() == 1 && *word != "0")
        .count();
    row.text(
        "single-letters",
        "many single letters, as in formulas",
        "few single letters",
        share(single, sample.len()),
    );
}

fn links(reading: &Reading, sample: &Sample<'_>, row: &mut Row) {
    let (mut count, mut outside, mut with, mut words) = (0, 0, 0, 0);
    for part in &sample.parts {
        let links = &part.piece.links;
        with += usize::from(!links.is_empty());
        count += links.len();
        outside += links.iter().filter(|link| link.address.contains("://")).count();
        words += links
            .iter()
            .map(|link| link.text.split_whitespace().count())
            .sum::<usize>();
    }
    row.text("links", "many links", "few links", rate(count, sample.len()));
    row.text(
        "outside-links",
        "many links to other sites",
        "few links to other sites",
        rate(outside, sample.len()),
    );
    row.text(
        "linked-parts",
        "most paragraphs hold links",
        "few paragraphs hold links",
        share(with, sample.parts.len()),
    );
    row.text(
        "link-words",
        "most words are links",
        "few words are links",
        share(words, sample.len()),
    );
    let hosts: std::collections::HashSet<&str> = (reading.links().take(2000))
        .filter_map(|link| link.address.split_once("://")?.1.split('/').next())
        .collect();
    row.text(
        "link-hosts",
        "it links to many sites",
        "it links to few sites",
        slow(hosts.len() as f32),
    );
}

/// How paragraphs begin and end.
fn beginnings(sample: &Sample<'_>, parts: usize, row: &mut Row) {
    let count =
        |is: &dyn Fn(&Part<'_>) -> bool| share(sample.parts.iter().filter(|part| is(part)).count(), parts);
    let ends_with =
        |signs: &'static [char]| move |part: &Part<'_>| part.is_end && part.text.trim_end().ends_with(signs);
    row.text(
        "asked",
        "many paragraphs are questions",
        "few paragraphs are questions",
        count(&ends_with(&['?', '？'])),
    );
    row.text(
        "ended",
        "its paragraphs end as sentences do",
        "its paragraphs do not end as sentences do",
        count(&ends_with(&[
            '.', '!', '?', ':', ';', '。', '”', '"', '！', '？', ')',
        ])),
    );
    let data = |part: &Part<'_>| part.text.trim_start().starts_with(['{', '}', '[', '<', '@', ']']);
    row.text(
        "data-begin",
        "lines begin as those of data do",
        "no line begins as those of data do",
        count(&data),
    );
    let labels = sample
        .parts
        .iter()
        .filter(|part| part.is_begin && is_labelled(part.text))
        .count();
    row.text(
        "labels",
        "many lines of the form “name: value”",
        "few lines of the form “name: value”",
        share(labels, parts),
    );
    let speakers = sample
        .parts
        .iter()
        .filter(|part| part.is_begin && is_spoken(part.text))
        .count();
    row.text(
        "speakers",
        "lines begin with who speaks",
        "no line begins with who speaks",
        share(speakers, parts),
    );
    let answers = sample
        .parts
        .iter()
        .filter(|part| part.is_begin && is_answer(part.text))
        .count();
    row.text(
        "answers",
        "questions and answers are marked Q and A",
        "no paragraph is marked Q or A",
        slow(answers as f32),
    );
    let sections = sample
        .parts
        .iter()
        .filter(|part| part.is_begin && is_section(part.text))
        .count();
    row.text(
        "sections",
        "numbered sections",
        "no numbered sections",
        slow(sections as f32),
    );
    let points = sample
        .parts
        .iter()
        .filter(|part| part.is_begin && is_point(part.text))
        .count();
    row.text(
        "points",
        "numbered or lettered points",
        "no numbered points",
        share(points, parts),
    );
    let bullets = sample
        .parts
        .iter()
        .map(|part| part.text.chars().filter(|sign| is_bullet(*sign)).count());
    row.text(
        "bullets",
        "many bullets",
        "few bullets",
        rate(bullets.sum(), sample.len()),
    );
    let spoken = |part: &Part<'_>| part.is_begin && part.text.starts_with(['“', '"', '„', '«', '‘', '「']);
    row.text(
        "dialogue",
        "paragraphs begin with speech",
        "no paragraph begins with speech",
        count(&spoken),
    );
    let loud = |part: &Part<'_>| {
        part.text.chars().any(char::is_uppercase) && !part.text.chars().any(char::is_lowercase)
    };
    row.text(
        "loud",
        "many lines in capital letters",
        "few lines in capital letters",
        count(&loud),
    );
    let counted = sample
        .parts
        .iter()
        .filter(|part| is_page_count(part.text))
        .count();
    row.text(
        "page-counts",
        "pages are counted as “3 / 25”",
        "pages are not counted as “3 / 25”",
        slow(counted as f32),
    );
}

/// `Time: 9am`, `title = …`, `"name": …`.
fn is_labelled(text: &str) -> bool {
    let head = text.trim_start_matches(['"', '-', '*', ' ', '{']);
    let end = head.find([':', '=']).unwrap_or(usize::MAX);
    end > 1 && end < 32 && head[..end].split_whitespace().count() <= 3 && !head[end + 1..].starts_with("//")
}

/// `JN: …`, `MISS PRISM. …`.
fn is_spoken(text: &str) -> bool {
    let Some(end) = text.find([':', '.']) else {
        return false;
    };
    let name = &text[..end];
    (2..=24).contains(&name.len())
        && name.chars().all(|sign| sign.is_uppercase() || sign == ' ')
        && text.len() > end + 12
}

fn is_answer(text: &str) -> bool {
    let mut signs = text.chars();
    let is_mark = |sign: char| matches!(sign, 'Q' | 'A' | 'q' | 'F' | 'P' | 'D' | 'R');
    let Some(first) = signs.next() else { return false };
    let rest = signs
        .as_str()
        .trim_start_matches(|sign: char| sign.is_ascii_digit());
    is_mark(first) && (rest.starts_with(':') || rest.starts_with(". ") || rest.starts_with(") "))
}

/// `3.2 Results`.
fn is_section(text: &str) -> bool {
    let digits = text.trim_start_matches('§').trim_start();
    let number = digits.len()
        - digits
            .trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == '.')
            .len();
    let rest = &digits[number..];
    (1..=8).contains(&number)
        && digits.starts_with(|sign: char| sign.is_ascii_digit())
        && rest.starts_with([' ', '\t'])
        && rest.trim_start().starts_with(char::is_alphabetic)
        && rest.len() < 90
}

/// `(a) …`, `3. …`, `b) …`.
fn is_point(text: &str) -> bool {
    let inner = text.strip_prefix('(').unwrap_or(text);
    let Some(end) = inner.find([')', '.', ':']) else {
        return false;
    };
    let mark = &inner[..end];
    let is_short = (1..=3).contains(&mark.len());
    is_short
        && (mark.bytes().all(|byte| byte.is_ascii_digit())
            || (mark.len() == 1 && mark.bytes().all(|byte| byte.is_ascii_alphabetic()))
            || mark.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x')))
        && inner[end + 1..].starts_with(' ')
}

fn is_bullet(sign: char) -> bool {
    matches!(
        sign,
        '•' | '▪' | '◦' | '‣' | '▶' | '►' | '●' | '○' | '■' | '◆' | '∙' | '➢' | '✓' | '\u{f0b7}'
    )
}

/// At the end of a slide's or form's text.
fn is_page_count(text: &str) -> bool {
    let tail: Vec<&str> = text.split_whitespace().rev().take(3).collect();
    let is_number =
        |word: &str| !word.is_empty() && word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    match tail.as_slice() {
        [all, slash, page] if matches!(*slash, "/" | "of" | "von") => is_number(all) && is_number(page),
        [last, ..] => last
            .split_once('/')
            .is_some_and(|(page, all)| is_number(page) && is_number(all)),
        _ => false,
    }
}

/// Lines that come again on other pages.
fn repeats(reading: &Reading, row: &mut Row) {
    const LOOKED_AT: usize = 3000;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut all = 0;
    for piece in reading
        .pieces
        .iter()
        .take(LOOKED_AT)
        .filter(|piece| (4..120).contains(&piece.text.len()))
    {
        all += 1;
        *counts.entry(&piece.text).or_default() += 1;
    }
    let repeated: usize = counts.values().filter(|count| **count > 2).sum();
    row.text(
        "repeats",
        "lines come again on other pages",
        "no line comes again",
        share(repeated, all),
    );
}
