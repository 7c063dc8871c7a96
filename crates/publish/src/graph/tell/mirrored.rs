//! Which hosts serve the same?
//!
//! First by the names of their pages alone, which costs nothing; then, for the few hosts that look alike, by what the pages say.

use super::super::table::{Table, TableCell};
use super::super::{GraphError, Structure};
use gleaner_graph::{HostSketch, Level, MirrorOptions, Node, group_by_level, mirrors};
use gleaner_model::{DocumentId, Url, VersionId};
use gleaner_readers::Pool;
use gleaner_store::Reader;
use gleaner_store::read::Extent;
use gleaner_text::{Maker, TextError};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Pages of a host whose texts are read at most.
const TEXTS_MAX: usize = 2_000;

/// Pairs of hosts that serve the same.
#[derive(Debug, Clone, PartialEq)]
pub struct MirrorTold {
    pub table: Table,
    /// Hosts whose pages were read because their names look alike.
    pub hosts_read: usize,
}

pub fn mirrored(
    data: &Path,
    reader: &Reader,
    readers: &Pool,
    extent: &Extent,
    structure: &Structure,
) -> Result<MirrorTold, GraphError> {
    let facts = structure.facts.as_ref().ok_or(GraphError::NeedsCatalog)?;
    let options = MirrorOptions::default();
    let hosts = group_by_level(&structure.graph, &structure.names, Level::Host);
    let mut pages: Vec<Vec<(Node, String)>> = vec![Vec::new(); hosts.members.len()];
    for (node, name) in structure.names.iter().enumerate() {
        let node = node as Node;
        if facts.is_kept(node)
            && let Ok(url) = Url::parse(&name)
        {
            pages[hosts.group_of[node as usize] as usize].push((node, url.request_target().to_owned()));
        }
    }
    let by_name: Vec<HostSketch> = pages
        .iter()
        .map(|pages| {
            let mut sketch = HostSketch::new(&options);
            for (_, path) in pages {
                sketch.add(path, 0);
            }
            sketch
        })
        .collect();
    let alike: BTreeSet<usize> = mirrors(&by_name, &options)
        .iter()
        .flat_map(|pair| [pair.hosts.0, pair.hosts.1])
        .collect();
    let mut texts = PageTexts::open(data, reader, readers, extent)?;
    let mut by_text: Vec<HostSketch> = pages.iter().map(|_| HostSketch::new(&options)).collect();
    for &host in &alike {
        for (node, path) in pages[host].iter().take(TEXTS_MAX) {
            by_text[host].add(path, texts.hash(facts.resource(*node))?);
        }
    }
    let mut table = Table::new(&["host", "mirror", "common_pages", "same_names", "same_texts"]);
    for pair in mirrors(&by_text, &options) {
        table.push(vec![
            hosts.names.get(pair.hosts.0 as Node).into(),
            hosts.names.get(pair.hosts.1 as Node).into(),
            (pair.common_paths as u64).into(),
            TableCell::Score(pair.paths_share),
            TableCell::Score(pair.texts_share),
        ]);
    }
    Ok(MirrorTold {
        table,
        hosts_read: alike.len(),
    })
}

/// What pages say, as numbers that are equal where the words are.
struct PageTexts<'a> {
    reader: &'a Reader,
    maker: Maker<'a>,
    newest: HashMap<u32, (DocumentId, VersionId)>,
}

impl<'a> PageTexts<'a> {
    fn open(
        data: &Path,
        reader: &'a Reader,
        readers: &'a Pool,
        extent: &Extent,
    ) -> Result<PageTexts<'a>, GraphError> {
        let mut newest = HashMap::new();
        reader.version_places(extent, |resource, document, version| {
            newest.insert(resource.0 as u32, (document, version));
        })?;
        Ok(PageTexts {
            reader,
            maker: Maker::open(reader, data, readers).map_err(of_text)?,
            newest,
        })
    }

    /// 0 where there is no text.
    fn hash(&mut self, resource: u32) -> Result<u64, GraphError> {
        let Some(&(document, version)) = self.newest.get(&resource) else {
            return Ok(0);
        };
        let Some(digest) = self.reader.version_digest(version)? else {
            return Ok(0);
        };
        let text = self.maker.text(document, version, &digest).map_err(of_text)?;
        let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
        for passage in text.iter().flat_map(gleaner_text::Text::main) {
            for word in passage.text.split_whitespace() {
                hasher.update(word.as_bytes());
                hasher.update(b" ");
            }
        }
        Ok(hasher.digest())
    }
}

fn of_text(error: TextError) -> GraphError {
    match error {
        TextError::Store(error) => GraphError::Store(error),
        other => GraphError::Text(other),
    }
}
