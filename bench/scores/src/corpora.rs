//! The collections of pages with gold texts, as they lie in a folder (see the SOURCE.md of each).

use anyhow::{Context, Result};
use gleaner_model::Url;
use serde_json::Value;
use std::fs;
use std::io::Read;
use std::path::Path;

/// What is known about a page.
pub(crate) enum Gold {
    /// Its main text.
    Text(String),
    /// Pieces that are in it and pieces that are not.
    Pieces { with: Vec<String>, without: Vec<String> },
}

pub(crate) struct Sample {
    pub(crate) id: String,
    pub(crate) set: &'static str,
    pub(crate) url: String,
    /// Article, forum, …: known for one of the sets.
    pub(crate) kind: Option<String>,
    pub(crate) body: Vec<u8>,
    pub(crate) gold: Gold,
    pub(crate) title: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) date: Option<String>,
}

impl Sample {
    /// The URL, or one that says nothing where the set's own cannot be read.
    pub(crate) fn address(&self) -> Url {
        let given = Url::parse(self.url.trim());
        given.unwrap_or_else(|_| Url::parse("http://site.test/").expect("a plain URL"))
    }

    /// The set says who wrote its pages and when, where the pages do.
    pub(crate) fn is_described(&self) -> bool {
        self.set == "wcxb" || (self.set == "trafilatura-eval" && self.title.is_some())
    }

    /// The host without `www.`: pages of one host are alike, and never stand on both sides of a fold. A page of an archive
    /// belongs to the host that was archived.
    pub(crate) fn host(&self) -> String {
        let at = self.url.rfind("://").map_or(0, |at| at + 3);
        let host = self.url[at..]
            .split(['/', '?', '#', ':'])
            .next()
            .unwrap_or_default();
        host.trim_start_matches("www.").to_ascii_lowercase()
    }
}

/// As a server would send them.
pub(crate) fn headers() -> Vec<(String, String)> {
    vec![("content-type".to_owned(), "text/html".to_owned())]
}

/// All pages of the sets that are there, in the order of their ids.
pub(crate) fn load(folder: &Path) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    words(&folder.join("wcxb"), &mut samples)?;
    articles(&folder.join("aeb"), &mut samples)?;
    pieces(&folder.join("trafilatura-eval"), &mut samples)?;
    Ok(samples)
}

fn words(folder: &Path, samples: &mut Vec<Sample>) -> Result<()> {
    let Ok(names) = fs::read_dir(folder.join("ground-truth")) else {
        return Ok(());
    };
    let mut names: Vec<_> = names.flatten().map(|entry| entry.path()).collect();
    names.sort();
    for name in names {
        let gold = json(&name)?;
        let id = name
            .file_stem()
            .and_then(|id| id.to_str())
            .unwrap_or_default()
            .to_owned();
        let truth = &gold["ground_truth"];
        samples.push(Sample {
            body: unpack(&folder.join(format!("html/{id}.html.gz")))?,
            id,
            set: "wcxb",
            url: text(&gold["url"]).unwrap_or_default(),
            kind: text(&gold["_internal"]["page_type"]["primary"]),
            gold: Gold::Text(text(&truth["main_content"]).unwrap_or_default()),
            title: text(&truth["title"]),
            author: text(&truth["author"]),
            date: text(&truth["publish_date"]),
        });
    }
    Ok(())
}

fn articles(folder: &Path, samples: &mut Vec<Sample>) -> Result<()> {
    let Ok(gold) = json(&folder.join("ground-truth.json")) else {
        return Ok(());
    };
    for (id, page) in gold.as_object().into_iter().flatten() {
        samples.push(Sample {
            id: id.clone(),
            set: "aeb",
            url: text(&page["url"]).unwrap_or_default(),
            kind: Some("article".to_owned()),
            body: unpack(&folder.join(format!("html/{id}.html.gz")))?,
            gold: Gold::Text(text(&page["articleBody"]).unwrap_or_default()),
            title: None,
            author: None,
            date: None,
        });
    }
    Ok(())
}

fn pieces(folder: &Path, samples: &mut Vec<Sample>) -> Result<()> {
    let Ok(gold) = json(&folder.join("evaldata.json")) else {
        return Ok(());
    };
    for (url, page) in gold.as_object().into_iter().flatten() {
        let file = text(&page["file"]).unwrap_or_default();
        let list = |name: &str| {
            let list = page[name].as_array().into_iter().flatten();
            list.filter_map(text).collect()
        };
        samples.push(Sample {
            body: unpack(&folder.join("html").join(&file))?,
            id: file,
            set: "trafilatura-eval",
            url: url.clone(),
            kind: None,
            gold: Gold::Pieces {
                with: list("with"),
                without: list("without"),
            },
            title: text(&page["title"]),
            author: text(&page["author"]).or_else(|| Some(list("author").join(", "))),
            date: text(&page["date"]),
        });
    }
    Ok(())
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(ToOwned::to_owned)
}

fn json(file: &Path) -> Result<Value> {
    let bytes = fs::read(file).with_context(|| format!("cannot be read: {}", file.display()))?;
    serde_json::from_slice(&bytes).with_context(|| format!("is no JSON: {}", file.display()))
}

fn unpack(file: &Path) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    let packed = fs::File::open(file).with_context(|| format!("cannot be read: {}", file.display()))?;
    flate2::read::GzDecoder::new(packed)
        .read_to_end(&mut body)
        .with_context(|| format!("cannot be unpacked: {}", file.display()))?;
    Ok(body)
}
