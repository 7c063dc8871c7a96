//! What is the web made of? Real texts of topics, real documents of every genre, and texts that show how a genre is built.
//!
//! Read once from a folder laid out as the corpora are: `topics/*.jsonl.zst`, `genre/manifest.tsv`, and where they are there
//! `keyphrases/SemEval2010.jsonl.zst` and `theses100.jsonl.zst` (texts of papers and theses). Nothing of it is kept elsewhere.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::vocabulary::Vocabulary;

/// The genres that a library keeps.
pub(super) const KEPT: [&str; 4] = ["paper", "thesis", "technical-report", "faq-or-manual"];
/// Shorter paragraphs are headings, menus and rests of markup.
const PARAGRAPH_LETTERS_MIN: usize = 60;

/// All that was read.
pub(super) struct Corpus {
    pub(super) topics: Vec<Topic>,
    pub(super) files: Vec<GenreFile>,
    pub(super) skeletons: Vec<Skeleton>,
    pub(super) vocabulary: Vocabulary,
    /// Texts in other languages: paragraphs of documents of these.
    pub(super) foreign: Vec<String>,
}

/// One topic: texts of several sources.
pub(super) struct Topic {
    pub(super) name: String,
    pub(super) texts: Vec<TopicText>,
    /// Which texts come from one source, source by source.
    pub(super) sources: Vec<std::ops::Range<u32>>,
}

/// A real text.
pub(super) struct TopicText {
    pub(super) title: String,
    pub(super) paragraphs: Vec<String>,
    /// Other texts of the same source that it names by their file.
    pub(super) links: Vec<u32>,
}

/// A real document.
pub(super) struct GenreFile {
    pub(super) genre: String,
    pub(super) format: String,
    pub(super) path: PathBuf,
    /// As it was called where it comes from.
    pub(super) name: String,
    pub(super) is_gzipped: bool,
}

/// The text of a real document, whose sentences are exchanged for those of a topic.
pub(super) struct Skeleton {
    pub(super) genre: &'static str,
    pub(super) text: String,
}

#[derive(Deserialize)]
struct RawText {
    repo: String,
    path: String,
    title: String,
    text: String,
}

#[derive(Deserialize)]
struct RawKeyed {
    text: String,
}

impl Corpus {
    pub(super) fn read(folder: &Path) -> Result<Corpus> {
        let topics = read_topics(&folder.join("topics"))?;
        ensure!(topics.len() >= 2, "fewer than two topics: {}", folder.display());
        let files = read_manifest(&folder.join("genre"))?;
        let mut skeletons = Vec::new();
        for (set, genre) in [("SemEval2010", "paper"), ("theses100", "thesis")] {
            let path = folder.join("keyphrases").join(format!("{set}.jsonl.zst"));
            if path.is_file() {
                for row in rows(&path)? {
                    let row: RawKeyed = serde_json::from_str(&row)?;
                    skeletons.push(Skeleton {
                        genre,
                        text: row.text,
                    });
                }
            }
        }
        let mut foreign = Vec::new();
        for file in files.iter().filter(|file| is_text(&file.format)) {
            let Ok(text) = String::from_utf8(file.bytes()?) else {
                continue;
            };
            let text = if file.format.starts_with("htm") {
                plain(&text)
            } else {
                text
            };
            if is_foreign(&text) {
                foreign.extend(paragraphs(&text));
            }
            skeletons.push(Skeleton {
                genre: genre_name(&file.genre),
                text,
            });
        }
        skeletons.retain(|skeleton| !skeleton.genre.is_empty() && is_prose(&skeleton.text));
        let vocabulary = Vocabulary::of(&topics);
        Ok(Corpus {
            topics,
            files,
            skeletons,
            vocabulary,
            foreign,
        })
    }

    pub(super) fn topic_named(&self, name: &str) -> Option<usize> {
        self.topics.iter().position(|topic| topic.name == name)
    }

    /// The texts that show how this genre is built.
    pub(super) fn skeletons_of(&self, genre: &str) -> Vec<u32> {
        (0..self.skeletons.len() as u32)
            .filter(|at| self.skeletons[*at as usize].genre == genre)
            .collect()
    }
}

impl GenreFile {
    /// As it is served: texts are unpacked, `PostScript` stays as it is.
    pub(super) fn bytes(&self) -> Result<Vec<u8>> {
        let bytes = std::fs::read(&self.path).with_context(|| self.path.display().to_string())?;
        if self.is_gzipped && self.format != "ps" {
            let mut unpacked = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked)?;
            return Ok(unpacked);
        }
        Ok(bytes)
    }
}

fn rows(path: &Path) -> Result<Vec<String>> {
    let packed = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let mut reader = zstd::Decoder::new(packed)?;
    reader.window_log_max(31)?;
    let mut text = String::new();
    reader.read_to_string(&mut text)?;
    Ok(text.lines().map(str::to_owned).collect())
}

fn read_topics(folder: &Path) -> Result<Vec<Topic>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .with_context(|| folder.display().to_string())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".jsonl.zst"))
        .collect();
    files.sort();
    files.iter().map(|path| read_topic(path)).collect()
}

fn read_topic(path: &Path) -> Result<Topic> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut raw = Vec::new();
    for row in rows(path)? {
        raw.push(serde_json::from_str::<RawText>(&row)?);
    }
    raw.sort_by(|a, b| (&a.repo, &a.path).cmp(&(&b.repo, &b.path)));
    let mut by_file: HashMap<(&str, &str), u32> = HashMap::new();
    for (at, text) in raw.iter().enumerate() {
        let file = text.path.rsplit('/').next().unwrap_or_default();
        by_file.insert((&text.repo, file), at as u32);
    }
    let mut sources: Vec<std::ops::Range<u32>> = Vec::new();
    let mut texts = Vec::new();
    for (at, text) in raw.iter().enumerate() {
        if at == 0 || raw[at - 1].repo != text.repo {
            sources.push(at as u32..at as u32);
        }
        if let Some(source) = sources.last_mut() {
            source.end = at as u32 + 1;
        }
        let words = text
            .text
            .split(|c: char| c.is_whitespace() || "()[]<>\"'#,`/".contains(c));
        let mut links: Vec<u32> = words
            .filter(|word| word.contains('.'))
            .filter_map(|word| by_file.get(&(text.repo.as_str(), word)).copied())
            .filter(|to| *to != at as u32)
            .collect();
        links.sort_unstable();
        links.dedup();
        links.truncate(8);
        let mut paragraphs = paragraphs(&text.text);
        if paragraphs.is_empty() {
            paragraphs.push(text.title.clone());
        }
        texts.push(TopicText {
            title: title(&text.title, &paragraphs[0]),
            paragraphs,
            links,
        });
    }
    ensure!(!texts.is_empty(), "a topic without texts: {}", path.display());
    Ok(Topic {
        name: name.trim_end_matches(".jsonl.zst").to_owned(),
        texts,
        sources,
    })
}

/// A title without markup, of bearable length.
fn title(given: &str, first: &str) -> String {
    let given = if given.trim().is_empty() { first } else { given };
    let cleaned: String = given.chars().filter(|c| !"#*`_=|<>{}[]".contains(*c)).collect();
    let words: Vec<&str> = cleaned.split_whitespace().take(12).collect();
    words.join(" ")
}

/// The paragraphs of a text: what stands between empty lines, markup at the beginnings of lines dropped.
fn paragraphs(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for block in text.replace("\r\n", "\n").split("\n\n") {
        let mut joined = String::new();
        for line in block.lines() {
            let line = line
                .trim()
                .trim_start_matches(['#', '*', '>', '=', '-', '|', '.', ':'])
                .trim();
            if line.is_empty() || line.starts_with("```") {
                continue;
            }
            if !joined.is_empty() {
                joined.push(' ');
            }
            joined.push_str(line);
        }
        let letters = joined.chars().filter(|c| c.is_alphabetic()).count();
        if letters >= PARAGRAPH_LETTERS_MIN && letters * 10 >= joined.chars().count() * 6 {
            joined.truncate(joined.floor_char_boundary(1_500));
            all.push(joined);
        }
    }
    all
}

fn is_text(format: &str) -> bool {
    matches!(format, "md" | "txt" | "html" | "htm" | "rst")
}

/// Text of a page without its tags; good enough for what shows how a genre is built.
fn plain(html: &str) -> String {
    let mut text = String::new();
    let mut is_in_tag = false;
    let mut tag = String::new();
    for c in html.chars() {
        match c {
            '<' => {
                is_in_tag = true;
                tag.clear();
            }
            '>' if is_in_tag => {
                is_in_tag = false;
                let name = tag
                    .trim_start_matches('/')
                    .split_whitespace()
                    .next()
                    .unwrap_or_default();
                let name = name.to_ascii_lowercase();
                if matches!(
                    name.as_str(),
                    "p" | "h1" | "h2" | "h3" | "h4" | "ul" | "ol" | "dl" | "table" | "pre" | "hr"
                ) {
                    text.push_str("\n\n");
                } else if matches!(name.as_str(), "br" | "li" | "dt" | "dd" | "tr" | "div") {
                    text.push('\n');
                }
            }
            _ if is_in_tag => tag.push(c),
            _ => text.push(c),
        }
    }
    text.replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", " ")
        .replace("&quot;", "\"")
}

/// Whether most of a text is written in letters; some texts of theses are lost to their fonts.
fn is_prose(text: &str) -> bool {
    let beginning: Vec<char> = text.chars().take(4_000).collect();
    let letters = beginning.iter().filter(|c| c.is_alphabetic()).count();
    beginning.len() > 600 && letters * 100 >= beginning.len() * 60
}

/// Whether a text is hardly English: few of its words are the most usual ones.
fn is_foreign(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().take(600).collect();
    let usual = words
        .iter()
        .filter(|word| {
            matches!(
                word.to_ascii_lowercase().as_str(),
                "the" | "and" | "of" | "to" | "is" | "for" | "in"
            )
        })
        .count();
    words.len() >= 200 && usual * 100 < words.len() * 4
}

fn genre_name(genre: &str) -> &'static str {
    let known = [
        "paper",
        "thesis",
        "technical-report",
        "faq-or-manual",
        "syllabus",
        "letter-or-minutes",
        "link-list",
        "book",
    ];
    known.into_iter().find(|name| *name == genre).unwrap_or_default()
}

fn read_manifest(folder: &Path) -> Result<Vec<GenreFile>> {
    let path = folder.join("manifest.tsv");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        let at = names.iter().position(|column| *column == name);
        at.with_context(|| format!("no column {name}: {}", path.display()))
    };
    let (file, class, format, origin) = (
        column("file")?,
        column("class")?,
        column("format")?,
        column("path")?,
    );
    let mut files = Vec::new();
    for line in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let field = |at: usize| fields.get(at).copied().unwrap_or_default();
        let path = folder.join(field(file));
        if !path.is_file() {
            continue;
        }
        let name = field(origin).rsplit('/').next().unwrap_or_default();
        files.push(GenreFile {
            genre: field(class).to_owned(),
            format: field(format).to_owned(),
            is_gzipped: Path::new(field(file))
                .extension()
                .is_some_and(|ending| ending == "gz"),
            path,
            name: name.trim_end_matches(".gz").to_owned(),
        });
    }
    ensure!(!files.is_empty(), "no documents: {}", path.display());
    Ok(files)
}
