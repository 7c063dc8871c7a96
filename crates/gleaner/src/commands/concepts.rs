//! `gleaner concepts`: which words stand together, and what is a document about?

use super::convert::pool_for_texts;
use super::search::{Indexing, usage};
use crate::arguments::{ConceptFormat, Concepts};
use crate::output::{Output, WrongUsage};
use anyhow::Context;
use gleaner_concepts::compatible::{COLUMNS, compatible_rows};
use gleaner_concepts::table::{Concept, ConceptOptions, ConceptTable};
use gleaner_concepts::vocabulary::Vocabulary;
use gleaner_publish::concepts::{cut_passage, sql_text};
use gleaner_publish::report::csv;
use gleaner_publish::time::count;
use gleaner_store::{Ledger, ledger};
use gleaner_text::{FollowProgress, ProjectTexts};
use gleaner_words::{Analyser, words_of};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn concepts(data: &Path, arguments: &Concepts, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let readers = pool_for_texts();
    let mut texts = ProjectTexts::open(data, &*reader, &readers, &arguments.project).map_err(usage)?;
    if let Some(file) = &arguments.vocabulary {
        return tags(&mut texts, &*reader, arguments, file, output);
    }
    if let Some(given) = &arguments.document {
        return phrases(&mut texts, &*reader, arguments, given, output);
    }
    let options = ConceptOptions {
        words_max: usize::from(arguments.words),
        ..ConceptOptions::default()
    };
    let mut bar = Indexing::new(output);
    let collection = texts.collection(|done, all| {
        bar.show(FollowProgress {
            done: done as u64,
            all: all as u64,
        });
    })?;
    bar.finish();
    let mut table = collection.table(&options);
    if let Some(about) = &arguments.about {
        keep_about(&mut table, about)?;
    }
    let mut out = output.writer();
    match arguments.format {
        _ if output.json => {
            for row in shown(&table, arguments.top) {
                let passages = passages(&mut texts, row)?;
                let mut line = serde_json::to_value(row)?;
                line["passages"] = passages
                    .into_iter()
                    .map(|(url, text)| json!({"url": url, "text": text}))
                    .collect();
                writeln!(out, "{line}")?;
            }
        }
        ConceptFormat::Text => {
            for row in shown(&table, arguments.top) {
                let (windows, documents) = (
                    count(u64::from(row.frequency), "time"),
                    count(u64::from(row.documents), "document"),
                );
                writeln!(
                    out,
                    "{}  ({windows} in {documents}, strength {:.2})",
                    row.original, row.npmi
                )?;
                if let Some((url, text)) = passages(&mut texts, row)?.first() {
                    writeln!(out, "    {text}\n    {url}")?;
                }
            }
        }
        ConceptFormat::Csv => {
            writeln!(
                out,
                "tokens,count,frequency,documents,original,npmi,maximal,topic,language,distance,first_position"
            )?;
            for row in shown(&table, arguments.top) {
                let topic = row
                    .topic
                    .map(|topic| table.topics[topic].words.join(" "))
                    .unwrap_or_default();
                let (tokens, original) = (csv(&row.tokens.join(" ")), csv(&row.original));
                writeln!(
                    out,
                    "{tokens},{},{},{},{original},{:.4},{},{},{},{},{}",
                    row.count,
                    row.frequency,
                    row.documents,
                    row.npmi,
                    row.maximal,
                    csv(&topic),
                    row.language,
                    row.distance,
                    row.first_position
                )?;
            }
        }
        ConceptFormat::S3Csv | ConceptFormat::S3Sql => write_compatible(&table, arguments, &mut out)?,
    }
    out.flush()?;
    if table.rows.is_empty() {
        let documents = count(table.documents as u64, "document");
        output.say(&match &arguments.about {
            None => format!("no words stand together often enough in {documents}"),
            Some(word) => format!(
                "no concept in {documents} has this word: it is too rare, or in more than a fifth of them: {word}"
            ),
        });
    }
    Ok(ExitCode::SUCCESS)
}

/// Rows that are shown where nobody says how many.
const TOP: usize = 50;
const TOP_PHRASES: usize = 10;

fn most(given: Option<usize>, default: usize) -> usize {
    match given.unwrap_or(default) {
        0 => usize::MAX,
        top => top,
    }
}

/// The first rows, those that are no part of another first. A word alone is no concept for people; it stays for those who
/// read all rows.
fn shown(table: &ConceptTable, top: Option<usize>) -> Vec<&Concept> {
    let top = most(top, TOP);
    let is_wanted = |row: &&Concept| top == usize::MAX || row.count > 1;
    let (mut rows, parts): (Vec<_>, Vec<_>) =
        table.rows.iter().filter(is_wanted).partition(|row| row.maximal);
    rows.extend(parts);
    rows.truncate(top);
    rows
}

/// Keeps the rows that have a word, in any of its forms.
fn keep_about(table: &mut ConceptTable, about: &str) -> anyhow::Result<()> {
    let mut stems: Vec<(&'static str, String)> = Vec::new();
    let mut languages: Vec<&'static str> = table.rows.iter().map(|row| row.language).collect();
    languages.sort_unstable();
    languages.dedup();
    for language in languages {
        let words = words_of(about, Analyser::of(language));
        if let [word] = words.as_slice() {
            stems.push((language, word.stem.clone()));
        } else {
            return Err(WrongUsage(format!("--about takes one word: {about}")).into());
        }
    }
    let has = |row: &Concept| {
        stems
            .iter()
            .any(|(language, stem)| row.language == *language && row.tokens.contains(stem))
    };
    table.rows.retain(has);
    Ok(())
}

/// The passages of a row: address and text.
fn passages(texts: &mut ProjectTexts<'_>, row: &Concept) -> anyhow::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for one in &row.passages {
        let at = usize::try_from(one.document)?;
        let text = texts.text(at)?.unwrap_or_default();
        found.push((
            texts.documents()[at].url.clone(),
            cut_passage(&text, one.start, one.end),
        ));
    }
    Ok(found)
}

fn write_compatible(table: &ConceptTable, arguments: &Concepts, out: &mut impl Write) -> anyhow::Result<()> {
    let rows = compatible_rows(table);
    let top = most(arguments.top, 0);
    if arguments.format == ConceptFormat::S3Csv {
        writeln!(out, "{}", COLUMNS.join(","))?;
        for row in rows.iter().take(top) {
            writeln!(
                out,
                "{},{},{},{},{},{},{},{},{}",
                row.id,
                csv(&row.tokens),
                row.token_count,
                row.frequency,
                row.document_frequency,
                row.permutation,
                csv(&row.tokens_origin),
                row.first_position,
                row.distance
            )?;
        }
        return Ok(());
    }
    writeln!(
        out,
        "BEGIN;\nCREATE TABLE Concepts (ID INTEGER PRIMARY KEY, Tokens TEXT NOT NULL, TokenCount INTEGER NOT NULL, Frequency INTEGER NOT NULL, \
         DocFrequency INTEGER NOT NULL, Perm INTEGER NOT NULL, TokensOrigin TEXT NOT NULL, FirstPos INTEGER NOT NULL, Distance INTEGER NOT NULL);"
    )?;
    for row in rows.iter().take(top) {
        writeln!(
            out,
            "INSERT INTO Concepts VALUES ({}, {}, {}, {}, {}, {}, {}, {}, {});",
            row.id,
            sql_text(&row.tokens),
            row.token_count,
            row.frequency,
            row.document_frequency,
            row.permutation,
            sql_text(&row.tokens_origin),
            row.first_position,
            row.distance
        )?;
    }
    writeln!(out, "COMMIT;")?;
    Ok(())
}

fn phrases(
    texts: &mut ProjectTexts<'_>,
    reader: &dyn Ledger,
    arguments: &Concepts,
    given: &str,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let at = place(texts, reader, arguments, given)?;
    let mut out = output.writer();
    for phrase in texts.phrases(at, most(arguments.top, TOP_PHRASES))? {
        if output.json {
            writeln!(out, "{}", serde_json::to_value(&phrase)?)?;
        } else {
            writeln!(
                out,
                "{:.2}  {}  ({})",
                phrase.score,
                phrase.text,
                count(u64::from(phrase.times), "time")
            )?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn place(
    texts: &ProjectTexts<'_>,
    reader: &dyn Ledger,
    arguments: &Concepts,
    given: &str,
) -> anyhow::Result<usize> {
    let document = reader.document_named(given)?;
    let missing = || {
        WrongUsage(format!(
            "the project does not have this document now: {} in {}",
            given, arguments.project
        ))
    };
    Ok(texts.find(document).ok_or_else(missing)?)
}

fn tags(
    texts: &mut ProjectTexts<'_>,
    reader: &dyn Ledger,
    arguments: &Concepts,
    file: &Path,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the vocabulary cannot be read: {}", file.display()))?;
    let vocabulary =
        Vocabulary::read(&text).map_err(|error| WrongUsage(format!("{error}: {}", file.display())))?;
    let places = match &arguments.document {
        Some(given) => vec![place(texts, reader, arguments, given)?],
        None => (0..texts.documents().len()).collect(),
    };
    let mut out = output.writer();
    for at in places {
        let (tags, text) = texts.tags(at, &vocabulary)?;
        let document = &texts.documents()[at];
        if output.json {
            for tag in &tags {
                let passages: Vec<String> = tag
                    .passages
                    .iter()
                    .take(3)
                    .map(|(start, end)| cut_passage(&text, *start, *end))
                    .collect();
                let line = json!({"id": document.document.0, "url": document.url, "term": tag.term.id, "name": tag.term.name,
                    "times": tag.passages.len(), "passages": passages});
                writeln!(out, "{line}")?;
            }
        } else if !tags.is_empty() {
            writeln!(out, "{}", document.url)?;
            for tag in &tags {
                let (start, end) = tag.passages[0];
                writeln!(
                    out,
                    "    {}  ({})  {}",
                    tag.term.name,
                    count(tag.passages.len() as u64, "time"),
                    cut_passage(&text, start, end)
                )?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
