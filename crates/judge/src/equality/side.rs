//! One of the two versions that are compared, with what the equalities need of it, made when first asked for.

use super::ladder::Ladder;
use super::learn::LearnedTemplate;
use gleaner_model::{Content, Timestamp};
use std::sync::{Arc, OnceLock};

/// A version of a document.
#[derive(Debug)]
pub struct Side {
    content: Content,
    bytes: [u8; 32],
    ladder: OnceLock<Ladder>,
    region: Option<Content>,
    known: Option<Arc<LearnedTemplate>>,
    made: Option<Timestamp>,
}

impl Side {
    /// `bytes` is the digest of the version's bytes (E1).
    pub fn new(content: Content, bytes: [u8; 32]) -> Side {
        Side {
            content,
            bytes,
            ladder: OnceLock::new(),
            region: None,
            known: None,
            made: None,
        }
    }

    /// With the digests that were kept.
    #[must_use]
    pub fn with_ladder(self, ladder: Ladder) -> Side {
        Side {
            ladder: OnceLock::from(ladder),
            ..self
        }
    }

    /// With the content of the region that the project's chain selects (E5).
    #[must_use]
    pub fn with_region(self, region: Content) -> Side {
        Side {
            region: Some(region),
            ..self
        }
    }

    /// With what was learned about the document's template. The side that is judged (`now`) needs it.
    #[must_use]
    pub fn with_known(self, known: Arc<LearnedTemplate>) -> Side {
        Side {
            known: Some(known),
            ..self
        }
    }

    /// With the moment at which the server made it.
    #[must_use]
    pub fn with_made(self, made: Option<Timestamp>) -> Side {
        Side { made, ..self }
    }

    pub fn made(&self) -> Option<Timestamp> {
        self.made
    }

    pub fn content(&self) -> &Content {
        &self.content
    }

    pub fn bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    pub fn region(&self) -> Option<&Content> {
        self.region.as_ref()
    }

    pub fn known(&self) -> Option<&LearnedTemplate> {
        self.known.as_deref()
    }

    pub fn ladder(&self) -> &Ladder {
        self.ladder.get_or_init(|| Ladder::of(&self.content, self.bytes))
    }
}
