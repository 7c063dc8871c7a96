//! At which levels do two versions agree? In: a version's bytes digest and content. Out: a digest per level, kept with
//! the version, so that another equality can be asked for without a new fetch (B6).
//!
//! | level | digest over |
//! |---|---|
//! | E1 | the bytes |
//! | E2 | the normalised tree (made by `parse`) |
//! | E3 | the visible text |
//! | E4 | the main text: block by block, title, where its links lead |
//! | E6 | the main text with numbers, dates and times masked, as a sketch |
//!
//! E0 (validators) is decided before anything is read; E5 (a region) is the E3 of the region's own content.

use super::link;
use super::sketch::{MINHASHES, Sketch};
use gleaner_model::{Content, EXTRACTOR};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

/// The digests of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ladder {
    /// E1.
    pub bytes: [u8; 32],
    /// E2.
    pub normal: [u8; 16],
    /// E3.
    pub visible: [u8; 16],
    /// E4: the main blocks in order.
    pub main_blocks: Vec<u64>,
    /// E4: where the main text's links lead, in order.
    pub main_links: u64,
    /// E4: the title.
    pub title: u64,
    /// E6.
    pub sketch: Sketch,
}

/// What a stored ladder may be wrong with.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LadderError {
    #[error("stored ladder has a form this version does not know: {0}")]
    UnknownForm(u8),
    #[error("stored ladder is cut short: {0} bytes")]
    Short(usize),
}

/// The first byte of the stored form: the extractor that made it. Digests of another extractor are not digests of the same
/// thing, so they are as good as none.
const FORM: u8 = EXTRACTOR;
const FIXED_BYTES: usize = 1 + 32 + 16 + 16 + 8 + 8 + 8 + 4 + 4 * MINHASHES;

impl Ladder {
    pub fn of(content: &Content, bytes: [u8; 32]) -> Ladder {
        let mut links = LinksDigest::default();
        for target in content.main().flat_map(|block| &block.links) {
            links.add(target);
        }
        Ladder {
            bytes,
            normal: content.normal_digest,
            visible: visible_digest(content),
            main_blocks: content
                .main()
                .map(|block| xxh3_64(block.text.as_bytes()))
                .collect(),
            main_links: links.finish(),
            title: Ladder::title_of(&content.title),
            sketch: Sketch::of(content.main().map(|block| block.text.as_str())),
        }
    }

    /// The digest of a title.
    pub fn title_of(title: &str) -> u64 {
        xxh3_64(title.as_bytes())
    }

    /// Whether the main text, the title and the targets of the main text's links agree (E4).
    pub fn same_main(&self, other: &Ladder) -> bool {
        self.title == other.title
            && self.main_links == other.main_links
            && self.main_blocks == other.main_blocks
    }

    /// About 600 bytes, and 8 for every main block.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(FIXED_BYTES + 8 * self.main_blocks.len());
        out.push(FORM);
        out.extend(self.bytes);
        out.extend(self.normal);
        out.extend(self.visible);
        out.extend(self.main_links.to_le_bytes());
        out.extend(self.title.to_le_bytes());
        out.extend(self.sketch.simhash.to_le_bytes());
        out.extend(self.sketch.shingles.to_le_bytes());
        out.extend(self.sketch.minhashes.iter().flat_map(|least| least.to_le_bytes()));
        out.extend(self.main_blocks.iter().flat_map(|hash| hash.to_le_bytes()));
        out
    }

    pub fn decode(stored: &[u8]) -> Result<Ladder, LadderError> {
        let form = *stored.first().ok_or(LadderError::Short(0))?;
        if form != FORM {
            return Err(LadderError::UnknownForm(form));
        }
        let mut reader = Reader {
            left: &stored[1..],
            length: stored.len(),
        };
        let bytes = reader.take::<32>()?;
        let normal = reader.take::<16>()?;
        let visible = reader.take::<16>()?;
        let main_links = u64::from_le_bytes(reader.take()?);
        let title = u64::from_le_bytes(reader.take()?);
        let simhash = u64::from_le_bytes(reader.take()?);
        let shingles = u32::from_le_bytes(reader.take()?);
        let mut minhashes = Box::new([0; MINHASHES]);
        for least in minhashes.iter_mut() {
            *least = u32::from_le_bytes(reader.take()?);
        }
        let mut main_blocks = Vec::with_capacity(reader.left.len() / 8);
        while !reader.left.is_empty() {
            main_blocks.push(u64::from_le_bytes(reader.take()?));
        }
        let sketch = Sketch {
            simhash,
            minhashes,
            shingles,
        };
        Ok(Ladder {
            bytes,
            normal,
            visible,
            main_blocks,
            main_links,
            title,
            sketch,
        })
    }
}

/// Where links lead, in order, without the marks that do not make another place.
#[derive(Default)]
pub struct LinksDigest(Xxh3Default);

impl LinksDigest {
    pub fn add(&mut self, target: &str) {
        self.0.update(link::comparable(target).as_bytes());
        self.0.update(b"\n");
    }

    pub fn finish(&self) -> u64 {
        self.0.digest()
    }
}

/// E3: all visible text in order.
pub fn visible_digest(content: &Content) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for block in &content.blocks {
        hasher.update(block.text.as_bytes());
        hasher.update(b"\n");
    }
    let mut digest = [0; 16];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    digest
}

struct Reader<'a> {
    left: &'a [u8],
    length: usize,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], LadderError> {
        let (taken, left) = self
            .left
            .split_first_chunk::<N>()
            .ok_or(LadderError::Short(self.length))?;
        self.left = left;
        Ok(*taken)
    }
}
