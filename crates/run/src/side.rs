//! A version as the equalities see it: from bytes to a [`Side`].
//!
//! In: the head and body of an answer, just fetched or out of the archive. Out: its content as blocks, without what the
//! project's chain leaves out, with the region it selects. One way for both, so that a version judged today and one
//! judged anew next year are read alike.

use crate::error::RunError;
use gleaner_judge::equality::{Chain, Side};
use gleaner_model::{Content, Reason, Url, defaults};
use gleaner_parse::content::{self, Selectors};
use gleaner_parse::{DecodeLimits, decode, encodings};
use gleaner_units::Body;

/// Header fields with their names in lower case, as `parse` wants them.
pub type Fields = Vec<(String, String)>;

/// How a chain wants pages to be read.
#[derive(Debug, Default)]
pub struct Reading {
    ignored: Selectors,
    region: Option<Selectors>,
}

/// A page that was read, and what the chain's selectors did not find in it.
#[derive(Debug)]
pub struct ReadSide {
    pub content: Content,
    pub region: Option<Content>,
    pub remarks: Vec<String>,
}

impl Reading {
    pub fn of(chain: &Chain) -> Result<Reading, content::SelectorError> {
        let ignored = chain.ignored_selectors();
        let region = match chain.region() {
            None => None,
            Some((include, exclude)) => {
                let left_out: Vec<String> = exclude.into_iter().chain(ignored.iter().cloned()).collect();
                Some(Selectors::check(&[include], &left_out)?)
            }
        };
        Ok(Reading {
            ignored: Selectors::check::<String>(&[], &ignored)?,
            region,
        })
    }

    /// `None` where there is no text to be had: pictures, archives, nothing at all.
    pub fn read(&self, url: &Url, fields: &Fields, body: &[u8]) -> Option<ReadSide> {
        let mut remarks = Vec::new();
        let content = if self.ignored.is_empty() {
            content::read(url, fields, body)?
        } else {
            content::read_region(url, fields, body, &self.ignored)?.content
        };
        let region = self.region.as_ref().and_then(|region| {
            let cut = content::read_region(url, fields, body, region)?;
            let missed = cut.matched_nothing.iter();
            remarks.extend(missed.map(|selector| format!("region matches nothing on this page: {selector}")));
            Some(cut.content)
        });
        Some(ReadSide {
            content,
            region,
            remarks,
        })
    }
}

impl ReadSide {
    pub fn into_side(self, digest: [u8; 32]) -> Side {
        let side = Side::new(self.content, digest);
        match self.region {
            Some(region) => side.with_region(region),
            None => side,
        }
    }
}

/// The chain that a project's text means; nothing at all means the default.
pub fn chain_of(text: &str) -> Result<(Chain, Reading), RunError> {
    let chain = match text {
        "" => Chain::default(),
        text => Chain::parse(text)?,
    };
    let reading = Reading::of(&chain)?;
    Ok((chain, reading))
}

/// Whether a project's text means a chain, before anything is built on it.
pub fn check_equality(text: &str) -> Result<(), RunError> {
    chain_of(text).map(|_| ())
}

/// The fields of a stored head.
pub fn fields_of(head: &[u8]) -> Fields {
    String::from_utf8_lossy(head)
        .lines()
        .skip(1)
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

/// A body with its content encodings taken off, as far as it is read at all.
pub fn decoded(fields: &Fields, body: &Body) -> Result<Vec<u8>, Reason> {
    let encodings = encodings(fields)?;
    if let (Body::Memory(bytes), true) = (body, encodings.is_empty()) {
        return Ok(bytes.to_vec());
    }
    let reader = body.reader().map_err(|_| Reason::Lost)?;
    let mut out = Vec::new();
    decode(
        reader,
        body.len(),
        &encodings,
        &DecodeLimits::default(),
        &mut out,
        defaults::PARSE_BYTES_MAX,
    )?;
    Ok(out)
}
