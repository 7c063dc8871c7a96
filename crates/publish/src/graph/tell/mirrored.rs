//! Which hosts serve the same?
//!
//! First by the names of their pages alone, which costs nothing; then, for the few hosts that look alike, by what the pages say,
//! and of these only by the pages that the sketches of the names hold.

use super::super::table::{Table, TableCell};
use super::super::{GraphError, Structure};
use gleaner_graph::{
    HostSketch, Level, MirrorOptions, Node, TextSketch, alike_by_paths, group_by_level, mirrors,
};
use gleaner_model::{DocumentId, Url, VersionId};
use gleaner_readers::Pool;
use gleaner_store::Ledger;
use gleaner_store::ledger::Extent;
use gleaner_text::{Maker, TextError};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Rows that are read in one go.
const ROWS: usize = 4096;

/// Pairs of hosts that serve the same.
#[derive(Debug, Clone, PartialEq)]
pub struct MirrorTold {
    pub table: Table,
    /// Hosts whose pages were read because their names look alike.
    pub hosts_read: usize,
}

pub fn mirrored(
    data: &Path,
    reader: &dyn Ledger,
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
    let mut sketches: Vec<HostSketch> = pages
        .iter()
        .map(|pages| {
            let mut sketch = HostSketch::new(&options);
            for (_, path) in pages {
                sketch.add_path(path);
            }
            sketch
        })
        .collect();
    let alike: BTreeSet<usize> = alike_by_paths(&sketches, &options)
        .iter()
        .flat_map(|pair| [pair.hosts.0, pair.hosts.1])
        .collect();
    let mut texts = PageTexts::open(data, reader, readers, extent)?;
    for &host in &alike {
        for (node, path) in &pages[host] {
            if sketches[host].holds(path) {
                sketches[host].set_text(path, texts.sketch(facts.resource(*node))?);
            }
        }
    }
    let mut table = Table::new(&["host", "mirror", "common_pages", "same_names", "same_texts"]);
    for pair in mirrors(&sketches, &options) {
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

/// What pages say, as sketches that are alike where most of the words are the same.
struct PageTexts<'a> {
    reader: &'a dyn Ledger,
    maker: Maker<'a>,
    newest: HashMap<u32, (DocumentId, VersionId)>,
}

impl<'a> PageTexts<'a> {
    fn open(
        data: &Path,
        reader: &'a dyn Ledger,
        readers: &'a Pool,
        extent: &Extent,
    ) -> Result<PageTexts<'a>, GraphError> {
        let mut newest = HashMap::new();
        let mut after = VersionId(0);
        loop {
            let page = reader.looks(extent, after, ROWS)?;
            let Some(last) = page.last() else { break };
            after = last.version;
            for look in &page {
                newest.insert(look.resource.0 as u32, (look.document, look.version));
            }
        }
        Ok(PageTexts {
            reader,
            maker: Maker::open(reader, data, readers).map_err(of_text)?,
            newest,
        })
    }

    /// Of a page without text the content itself: two copies of a picture are the same too.
    fn sketch(&mut self, resource: u32) -> Result<TextSketch, GraphError> {
        let Some(&(document, version)) = self.newest.get(&resource) else {
            return Ok(TextSketch::NOTHING);
        };
        let Some(digest) = self.reader.version_digest(version)? else {
            return Ok(TextSketch::NOTHING);
        };
        let text = self.maker.text(document, version, &digest).map_err(of_text)?;
        let passages = text.iter().flat_map(gleaner_text::Text::main);
        let said = TextSketch::of_words(passages.flat_map(|passage| passage.text.split_whitespace()));
        if said == TextSketch::NOTHING {
            return Ok(TextSketch::of_words([data_encoding::HEXLOWER
                .encode(&digest.0)
                .as_str()]));
        }
        Ok(said)
    }
}

fn of_text(error: TextError) -> GraphError {
    match error {
        TextError::Store(error) => GraphError::Store(error),
        other => GraphError::Text(other),
    }
}
