//! Who wants to know what documents say, right when a run has read them.

use gleaner_model::Url;
use gleaner_parse::documents::{Reading, Unread};

/// A document as a run met it.
#[derive(Debug, Clone, Copy)]
pub struct MetDocument<'a> {
    pub url: &'a Url,
    pub media_type: &'a str,
    /// With content encodings off.
    pub body: &'a [u8],
    /// None where nobody has read it: pages and plain text.
    pub reading: Option<Result<&'a Reading, &'a Unread>>,
}

/// Tells what a document is worth to whoever looks for something.
pub trait Appraises: Send + Sync {
    /// 0 to 1; none for what is no document. Called on the threads that read.
    fn appraise(&self, document: &MetDocument<'_>) -> Option<f32>;
}
