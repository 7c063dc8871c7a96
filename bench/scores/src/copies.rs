//! Copies, formats and versions among other texts: pairs of which it is known what they are, and 10,000 texts of other sets.

mod origins;

use crate::corpora;
use crate::corpora::Gold;
use anyhow::{Context, Result};
use gleaner_library::record::BibliographicRecord;
use gleaner_library::works::{Asked, Relation, TextLikeness, TextSignature, Works, likeness, related_as};
use gleaner_parse::documents::{Format, Given, read};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// Texts besides those of the pairs.
const OTHERS: usize = 10_000;

struct Pair {
    id: i64,
    owner: String,
    label: String,
    kind: String,
    sides: [Side; 2],
}

struct Side {
    name: String,
    rev: String,
    repo: String,
    format: String,
    text: String,
    document: i64,
}

struct Document {
    /// Of a pair, or the set it comes from.
    owner: String,
    name: String,
    format: u16,
    signature: TextSignature,
}

pub(crate) fn measure(corpora: &Path, prints_rows: bool) -> Result<()> {
    let (pairs, documents) = load(corpora)?;
    let mut works = Works::default();
    let begun = Instant::now();
    for (at, document) in documents.iter().enumerate() {
        works.add(at as i64, document.format, &document.signature);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let seen: Vec<(TextLikeness, bool, bool)> = pairs
        .iter()
        .map(|pair| {
            let [a, b] = [0, 1].map(|side| &documents[pair.sides[side].document as usize]);
            let is_candidate = a.signature.fingerprint() == b.signature.fingerprint()
                || works
                    .candidates(&a.signature)
                    .contains(&b.signature.fingerprint());
            (
                likeness(&a.signature, &b.signature),
                a.format == b.format,
                is_candidate,
            )
        })
        .collect();
    let ours: Vec<Option<Relation>> = pairs
        .iter()
        .map(|pair| works.relation(pair.sides[0].document, pair.sides[1].document))
        .collect();
    let crossed = crossed(&pairs, &seen);
    if prints_rows {
        for ((pair, seen), ours) in pairs.iter().zip(&seen).zip(&ours) {
            println!("{}", row(pair, seen, *ours));
        }
        for bond in works.bonds() {
            let names = [bond.one, bond.other].map(|text| {
                let document = works
                    .documents(text)
                    .next()
                    .map(|document| &documents[document as usize]);
                document.map_or(String::new(), |document| {
                    format!("{} {}", document.owner, document.name)
                })
            });
            if names.iter().any(|name| name.starts_with("other ")) {
                println!("{}", json!({ "bond": names }));
            }
        }
        return Ok(());
    }
    let related: Vec<usize> = (0..pairs.len())
        .filter(|at| pairs[*at].label != "different")
        .collect();
    let found = related.iter().filter(|at| seen[**at].2).count();
    print("candidates", "recall", found as f64 / related.len().max(1) as f64);
    // Bonds with texts of other owners are wrong, whatever was asked.
    let (mut strange, mut others) = (0usize, 0usize);
    for bond in works.bonds() {
        let owners = [bond.one, bond.other].map(|text| {
            let mut of = works.documents(text);
            of.next()
                .map(|document| documents[document as usize].owner.as_str())
        });
        let is_of_pair = owners.map(|owner| owner.is_some_and(|owner| !owner.starts_with("other ")));
        strange += usize::from(owners[0] != owners[1] && (is_of_pair[0] || is_of_pair[1]));
        others += usize::from(!is_of_pair[0] && !is_of_pair[1]);
    }
    let told: Vec<Option<&str>> = ours.iter().map(|relation| relation.map(label_of)).collect();
    figures("", &pairs, &told, strange);
    let told: Vec<Option<&str>> = crossed.iter().map(|relation| relation.map(label_of)).collect();
    figures("crossed ", &pairs, &told, strange);
    let told: Vec<Option<&str>> = pairs.iter().map(by_seed).collect();
    figures("seed ", &pairs, &told, 0);
    print("others", "bonds with pairs", strange as f64);
    print("others", "bonds among them", others as f64);
    print("speed", "texts", documents.len() as f64);
    print("speed", "ms to add", seconds * 1000.0 / documents.len() as f64);
    let (right, by_date, works) = origins::measure(
        &documents
            .iter()
            .map(|document| document.name.as_str())
            .collect::<Vec<_>>(),
    );
    print("original", "right", right);
    print("original", "seed right", by_date);
    print("original", "works", works as f64);
    let bytes: usize = documents
        .iter()
        .map(|document| document.signature.to_bytes().len())
        .sum();
    print(
        "speed",
        "bytes a signature",
        bytes as f64 / documents.len() as f64,
    );
    Ok(())
}

fn label_of(relation: Relation) -> &'static str {
    match relation {
        Relation::Copy => "copy",
        Relation::OtherFormat => "same-work-other-format",
        Relation::Version => "version",
    }
}

fn load(corpora: &Path) -> Result<(Vec<Pair>, Vec<Document>)> {
    let mut pairs = Vec::new();
    let mut known: HashMap<(String, String, String), i64> = HashMap::new();
    let mut raw: Vec<(String, String, String, String)> = Vec::new();
    for row in lines(&corpora.join("near-duplicates/pairs.jsonl.zst"))? {
        let word = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let owner = word(&row, "owner");
        let sides = ["a", "b"].map(|side| {
            let side = &row[side];
            let key = (word(side, "repo"), word(side, "path"), word(side, "rev"));
            let (name, format, text) = (word(side, "path"), word(side, "format"), word(side, "text"));
            let document = *known.entry(key).or_insert_with(|| {
                raw.push((owner.clone(), name.clone(), format.clone(), text.clone()));
                raw.len() as i64 - 1
            });
            Side {
                name,
                rev: word(side, "rev"),
                repo: word(side, "repo"),
                format,
                text,
                document,
            }
        });
        pairs.push(Pair {
            id: row["id"].as_i64().unwrap_or_default(),
            owner,
            label: word(&row, "label"),
            kind: word(&row, "kind"),
            sides,
        });
    }
    anyhow::ensure!(!pairs.is_empty(), "there are no pairs");
    let own = raw.len();
    raw.extend(others(corpora)?.into_iter().take(OTHERS));
    eprintln!("{own} texts of {} pairs, {} others", pairs.len(), raw.len() - own);
    let formats: BTreeSet<&String> = raw.iter().map(|row| &row.2).collect();
    let formats: BTreeMap<String, u16> = formats.into_iter().cloned().zip(0..).collect();
    let documents = crate::on_all(&raw, |(owner, name, format, text)| Document {
        owner: owner.clone(),
        name: name.clone(),
        format: formats[format],
        signature: signature(format, text),
    });
    Ok((pairs, documents))
}

/// As a library sees a document of this format; pages of the pairs are text already.
fn signature(format: &str, text: &str) -> TextSignature {
    let read_as = match format {
        "md" => Format::Markdown,
        "page" => Format::Html,
        _ => Format::Text,
    };
    let given = Given {
        media_type: "text/plain; charset=utf-8",
        name: "",
    };
    match read(read_as, text.as_bytes(), &given) {
        Ok(reading) => TextSignature::of_reading(&reading, &BibliographicRecord::of(&reading)),
        Err(_) => TextSignature::of(&gleaner_library::works::WorkText {
            text,
            ..Default::default()
        }),
    }
}

/// Owner, name, format and text.
fn others(corpora: &Path) -> Result<Vec<(String, String, String, String)>> {
    let mut found = Vec::new();
    for (folder, field) in [("topics", "text"), ("keyphrases", "text"), ("webkb", "html")] {
        let Ok(files) = std::fs::read_dir(corpora.join(folder)) else {
            continue;
        };
        let mut files: Vec<_> = files.flatten().map(|file| file.path()).collect();
        files.sort();
        for file in files
            .iter()
            .filter(|file| file.to_string_lossy().ends_with(".jsonl.zst"))
        {
            for row in lines(file)? {
                let text = row[field].as_str().unwrap_or_default();
                let name = row["path"]
                    .as_str()
                    .or(row["url"].as_str())
                    .unwrap_or_default()
                    .to_owned();
                let owner = format!("other {}", row["repo"].as_str().unwrap_or(folder));
                // Pages of 1997 begin with what the server said.
                let text = if field == "html" {
                    text.split_once("\n\n").map_or(text, |(_, page)| page)
                } else {
                    text
                };
                let format = if field == "html" { "page" } else { "txt" };
                found.push((owner, name, format.to_owned(), text.to_owned()));
            }
        }
    }
    for sample in corpora::load(corpora)? {
        if let Gold::Text(text) = sample.gold {
            found.push((
                format!("other {}", sample.set),
                sample.url,
                "txt".to_owned(),
                text,
            ));
        }
    }
    Ok(found)
}

fn lines(file: &Path) -> Result<Vec<Value>> {
    let packed = std::fs::File::open(file).with_context(|| format!("cannot be read: {}", file.display()))?;
    let mut unpacked = zstd::Decoder::new(packed)?;
    unpacked.window_log_max(31)?;
    let mut text = String::new();
    unpacked.read_to_string(&mut text)?;
    text.lines()
        .map(|line| serde_json::from_str(line).context("a line is no JSON"))
        .collect()
}

/// Shares that were chosen on the pairs of all other owners.
fn crossed(pairs: &[Pair], seen: &[(TextLikeness, bool, bool)]) -> Vec<Option<Relation>> {
    let owners: BTreeSet<&str> = pairs.iter().map(|pair| pair.owner.as_str()).collect();
    let mut all = Vec::new();
    for same_title in [0.1, 0.2, 0.3, 0.4, 0.5] {
        for similar_title in [0.3, 0.4, 0.5, 0.6, 0.7] {
            for unknown_title in [0.5, 0.6, 0.7, 0.75, 0.8, 0.9] {
                for other_title in [0.5, 0.6, 0.7, 0.8, 0.9] {
                    for other_title_jaccard in [0.3, 0.5, 0.6, 0.7, 0.8] {
                        all.push(Asked {
                            same_title,
                            similar_title,
                            unknown_title,
                            other_title,
                            other_title_jaccard,
                        });
                    }
                }
            }
        }
    }
    let mut told = vec![None; pairs.len()];
    for owner in owners {
        let score = |asked: &Asked| {
            let (mut right, mut wrong, mut missed) = (0.0, 0.0, 0.0);
            for (pair, (likeness, same, is_candidate)) in
                pairs.iter().zip(seen).filter(|(pair, _)| pair.owner != owner)
            {
                let is_related = *is_candidate && related_as(likeness, *same, asked).is_some();
                match (is_related, pair.label != "different") {
                    (true, true) => right += 1.0,
                    (true, false) => wrong += 1.0,
                    (false, true) => missed += 1.0,
                    (false, false) => {}
                }
            }
            // Precision is asked for first; among equals what asks for more.
            let distance = (asked.same_title - Asked::USUAL.same_title).abs()
                + (asked.other_title - Asked::USUAL.other_title).abs();
            2.0 * right / (2.0 * right + 4.0 * wrong + missed)
                + 1e-6
                    * (asked.same_title
                        + asked.similar_title
                        + asked.unknown_title
                        + asked.other_title
                        + asked.other_title_jaccard)
                - 1e-9 * distance
        };
        let best = all
            .iter()
            .max_by(|one, other| score(one).total_cmp(&score(other)))
            .copied()
            .unwrap_or(Asked::USUAL);
        eprintln!("without {owner}: {best:?}");
        for (at, _) in pairs.iter().enumerate().filter(|(_, pair)| pair.owner == owner) {
            let (likeness, same, is_candidate) = &seen[at];
            told[at] = related_as(likeness, *same, &best).filter(|_| *is_candidate);
        }
    }
    told
}

/// S1 (4.3): the same name and size, then the same bytes; the same name but for its extension in the same folder.
fn by_seed(pair: &Pair) -> Option<&'static str> {
    let [a, b] = &pair.sides;
    let cut = |side: &Side| {
        let (folder, name) = side
            .name
            .rsplit_once('/')
            .map_or(("", side.name.as_str()), |(folder, name)| (folder, name));
        let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
        (
            folder.to_owned(),
            stem.to_owned(),
            end.to_owned(),
            name.to_owned(),
        )
    };
    let ((folder, stem, end, name), (other_folder, other_stem, other_end, other_name)) = (cut(a), cut(b));
    if name == other_name && a.text == b.text {
        return Some("copy");
    }
    let is_one_place = a.repo == b.repo && folder == other_folder && (a.rev == b.rev || a.name != b.name);
    (is_one_place && stem == other_stem && end != other_end).then_some("same-work-other-format")
}

fn figures(name: &str, pairs: &[Pair], told: &[Option<&str>], strange: usize) {
    let (mut right, mut wrong, mut missed) = (0.0, strange as f64, 0.0);
    for (pair, told) in pairs.iter().zip(told) {
        match (told.is_some(), pair.label != "different") {
            (true, true) => right += 1.0,
            (true, false) => wrong += 1.0,
            (false, true) => missed += 1.0,
            (false, false) => {}
        }
    }
    let set = format!("{name}pairs");
    print(&set, "precision", right / f64::max(right + wrong, 1.0));
    print(&set, "recall", right / f64::max(right + missed, 1.0));
    print(
        &set,
        "f1",
        2.0 * right / f64::max(2.0 * right + wrong + missed, 1.0),
    );
    let labels = ["copy", "same-work-other-format", "version", "different"];
    let mut sum = 0.0;
    for label in labels {
        let is_said = |told: Option<&str>| told.unwrap_or("different") == label;
        let both = pairs
            .iter()
            .zip(told)
            .filter(|(pair, told)| pair.label == label && is_said(**told))
            .count() as f64;
        let said = told.iter().filter(|told| is_said(**told)).count() as f64;
        let there = pairs.iter().filter(|pair| pair.label == label).count() as f64;
        let f1 = 2.0 * both / f64::max(said + there, 1.0);
        print(&set, &format!("f1 {label}"), f1);
        sum += f1;
    }
    print(&set, "macro-f1", sum / labels.len() as f64);
}

fn row(pair: &Pair, seen: &(TextLikeness, bool, bool), ours: Option<Relation>) -> Value {
    let (likeness, _, is_candidate) = seen;
    json!({
        "id": pair.id, "owner": pair.owner, "label": pair.label, "kind": pair.kind, "ours": ours.map_or("different", label_of),
        "candidate": is_candidate, "jaccard": likeness.jaccard, "containment": likeness.containment, "sentences": likeness.sentences,
        "title": format!("{:?}", likeness.title), "authors": likeness.shared_authors, "other language": likeness.is_other_language,
        "shingles": likeness.shingles, "length": likeness.length,
        "a": pair.sides[0].name, "b": pair.sides[1].name, "formats": [&pair.sides[0].format, &pair.sides[1].format],
    })
}

fn print(set: &str, of: &str, value: f64) {
    println!("{}", json!({"set": set, "of": of, "value": value}));
}
