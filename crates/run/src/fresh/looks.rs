//! First looks at pages whose change may be noise: they wait in memory until their page was looked at again.

use gleaner_model::{Block, Content, ResourceId};
use std::collections::HashMap;

/// The size of all first looks that wait at the same time; beyond it pages are judged by what is known, which makes noise
/// a change where nothing was learned yet.
const LOOKS_BYTES_MAX: usize = 24 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Looks {
    waiting: HashMap<ResourceId, Look>,
    bytes: usize,
}

pub(super) struct Look {
    pub(super) content: Content,
    pub(super) count: u32,
}

impl Looks {
    pub(super) fn take(&mut self, resource: ResourceId) -> Option<Look> {
        let look = self.waiting.remove(&resource)?;
        self.bytes -= size_of_content(&look.content);
        Some(look)
    }

    /// False if too much waits already.
    pub(super) fn put(&mut self, resource: ResourceId, look: Look) -> bool {
        let size = size_of_content(&look.content);
        if self.bytes + size > LOOKS_BYTES_MAX {
            return false;
        }
        self.bytes += size;
        self.waiting.insert(resource, look);
        true
    }
}

/// About how much memory a page takes as blocks.
fn size_of_content(content: &Content) -> usize {
    let of_block = |block: &Block| {
        let links: usize = block
            .links
            .iter()
            .map(|link| link.len() + size_of_val(link))
            .sum();
        size_of_val(block) + block.text.len() + block.path.len() + links
    };
    content.blocks.iter().map(of_block).sum()
}
