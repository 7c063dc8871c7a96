//! One article as it is: the bytes the server sends, without its framing and otherwise untouched (HC108).

use super::date;
use super::reply::Reply;
use super::threads::{Threads, field};
use super::wire::Wire;
use crate::body::BodySink;
use crate::net::failure::Failure;
use crate::{Ask, Body, FilterVerdict, HeadFilter, Headers, Refusal, UnitError};
use gleaner_model::{Reason, Timestamp};
use std::path::Path;
use std::sync::Arc;

/// What the filter sees of a body.
const OPENING_BYTES: usize = 1024;
/// Date and references of an article are looked for no further.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// What the server said to the question for an article.
pub(super) enum Got {
    Article {
        headers: Headers,
        body: Body,
    },
    Refused {
        headers: Headers,
        refusal: Refusal,
    },
    /// There is no such article, or no such group.
    None(Reply),
}

/// Selects a group; the reply is 211 or the server's no.
pub(super) async fn select(wire: &mut Wire<'_>, group: &[u8]) -> Result<Reply, Failure> {
    wire.connection.group = None;
    let reply = wire.ask(&[b"GROUP", group]).await?;
    if reply.code == 211 {
        wire.connection.group = Some(group.to_vec());
    }
    Ok(reply)
}

pub(super) async fn read(
    wire: &mut Wire<'_>,
    group: &[u8],
    number: u64,
    ask: &Ask,
    spool_folder: &Arc<Path>,
    threads: &Threads,
) -> Result<Got, Failure> {
    if wire.connection.group.as_deref() != Some(group) {
        let reply = select(wire, group).await?;
        match reply.code {
            211 => {}
            411 => return Ok(Got::None(reply)),
            _ => return Err(reply.refusal()),
        }
    }
    let number = number.to_string();
    match wire.ask_for_block(&[b"ARTICLE", number.as_bytes()], 220).await? {
        Ok(()) => {}
        Err(reply) if matches!(reply.code, 423 | 430) => return Ok(Got::None(reply)),
        Err(reply) => return Err(reply.refusal()),
    }
    let mut headers = Headers::default();
    headers.push("content-type", b"message/rfc822");
    let mut intake = Intake {
        sink: BodySink::new(spool_folder, None),
        limit: ask.body_bytes_max,
        filter: ask.filter.as_deref(),
        headers: &headers,
    };
    if let Some(refusal) = intake.ask_about_head() {
        return Ok(Got::Refused { headers, refusal });
    }
    let mut refusal = wire.text(|bytes| intake.push(bytes)).await?;
    if refusal.is_none() {
        refusal = intake.ask_about_opening();
    }
    let sink = intake.sink;
    if let Some(refusal) = refusal {
        return Ok(Got::Refused { headers, refusal });
    }
    let body = sink.finish()?;
    let opening = body.opening(HEAD_BYTES_MAX).map_err(|cause| UnitError::Spool {
        folder: spool_folder.to_path_buf(),
        bytes: body.len(),
        cause,
    })?;
    for link in threads.links(&ask.url, &opening) {
        headers.push("link", link.as_bytes());
    }
    if let Some(date) = written(&opening).and_then(date::http_date) {
        headers.push("last-modified", date.as_bytes());
    }
    Ok(Got::Article { headers, body })
}

/// The way of an article into its sink: size limit and filter are asked before more is read.
struct Intake<'a> {
    sink: BodySink,
    limit: u64,
    /// Still to be asked about the opening.
    filter: Option<&'a dyn HeadFilter>,
    headers: &'a Headers,
}

impl Intake<'_> {
    fn ask_about_head(&self) -> Option<Refusal> {
        match self.filter?.head(220, self.headers) {
            FilterVerdict::Go => None,
            FilterVerdict::Stop(refusal) => Some(refusal),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<Option<Refusal>, Failure> {
        if self.sink.len() + bytes.len() as u64 > self.limit {
            return Err(Failure::new(
                Reason::BodyTooLarge,
                format!("the article is larger than {} bytes", self.limit),
            ));
        }
        self.sink.push(bytes)?;
        if self.filter.is_some() && self.sink.len() >= OPENING_BYTES as u64 {
            return Ok(self.ask_about_opening());
        }
        Ok(None)
    }

    fn ask_about_opening(&mut self) -> Option<Refusal> {
        let opening = self.sink.opening();
        let opening = &opening[..opening.len().min(OPENING_BYTES)];
        match self.filter.take()?.opening(220, self.headers, opening) {
            FilterVerdict::Go => None,
            FilterVerdict::Stop(refusal) => Some(refusal),
        }
    }
}

/// When the article says that it was written.
fn written(article: &[u8]) -> Option<Timestamp> {
    let value = field(article, "date")?;
    std::str::from_utf8(value.trim_ascii()).ok().and_then(date::parse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_that_of_the_head() {
        let head = b"From: a\r\nX: Date: 1\r\nDATE:\tThu, 01 Jan 1970 00:00:01 GMT\r\n\r\nDate: x\r\n";
        assert_eq!(written(head), Some(Timestamp(1000)));
        assert_eq!(
            written(b"From: a\r\n\r\nDate: Thu, 01 Jan 1970 00:00:01 GMT\r\n"),
            None
        );
        assert_eq!(written(b""), None);
    }
}
