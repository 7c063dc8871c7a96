//! Where nodes stood in an earlier drawing, kept beside the catalog. It may be thrown away; the next drawing begins anew.

use gleaner_graph::Point;
use gleaner_store::folder;
use std::collections::BTreeMap;
use std::path::Path;

/// Places by the names of nodes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NodePlaces(pub BTreeMap<String, Point>);

impl NodePlaces {
    /// Those of an earlier drawing of the same; none where there was no such drawing.
    pub fn read(data: &Path, name: &str) -> NodePlaces {
        let file = folder::derived(data).join(file_of(name));
        let read = std::fs::read(file)
            .ok()
            .and_then(|bytes| serde_json::from_slice::<BTreeMap<String, (f64, f64)>>(&bytes).ok());
        let places = read.unwrap_or_default().into_iter();
        NodePlaces(
            places
                .filter(|(_, (x, y))| x.is_finite() && y.is_finite())
                .map(|(name, (x, y))| (name, Point { x, y }))
                .collect(),
        )
    }

    /// Remembers them for the next drawing; a folder that cannot be written to forgets.
    pub fn keep(&self, data: &Path, name: &str) {
        let places: BTreeMap<&String, (f64, f64)> = self
            .0
            .iter()
            .map(|(name, point)| (name, (point.x, point.y)))
            .collect();
        if let Ok(bytes) = serde_json::to_vec(&places) {
            let _only_a_memory = folder::keep_derived(data, &file_of(name), &bytes);
        }
    }
}

fn file_of(name: &str) -> String {
    let key = xxhash_rust::xxh3::xxh3_64(name.as_bytes());
    format!("places-{key:016x}.json")
}
