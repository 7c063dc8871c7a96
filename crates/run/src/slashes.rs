//! What is a doubled slash on this host? Asked once, with the first page that has one in its address (A9).
//!
//! In: such a page, just fetched. Out: the same, or a page that has moved: to the address with one slash, where the server
//! gives the same page under both. An address beside it that cannot exist must give something else: a site that answers
//! everything alike proves nothing. Two requests a host, and none where no address has two slashes in a row.

use crate::fresh::{Fields, decoded, fields_of};
use crate::shared_pace::FurtherStarts;
use crate::stages::fetch::{Fetched, Fetcher};
use crate::survey::is_same_page;
use gleaner_frontier::traps::{Slashes, merged};
use gleaner_model::Url;
use gleaner_parse::content;
use gleaner_units::{Answer, Ask, Body, Exchange, Redirect, SpoolFile};
use std::sync::Arc;
use tracing::debug;

/// Looks at a page that came; `luck` makes an address that is not there.
pub(crate) async fn look(
    mut fetched: Fetched,
    fetcher: &Fetcher,
    luck: u64,
    further: &FurtherStarts,
) -> Fetched {
    let page = &fetched.page;
    if page.known.is_some() || !page.purpose.is_page() || !page.url.is_web() {
        return fetched;
    }
    let (Some(target), Ok(Answer::Here(exchange))) = (merged(&page.url), &fetched.answer) else {
        return fetched;
    };
    let host = page.url.authority();
    // One page asks; others that come meanwhile wait for the answer.
    let _turn = fetcher.slashes.lock().await;
    let known = fetcher.sites.traps.slashes(&host);
    let slashes = if known.is_some() {
        known
    } else {
        let came = Came {
            url: page.url.clone(),
            fields: fields_of(exchange),
            body: shared(&exchange.body),
        };
        ask_host(Arc::new(came), &target, fetcher, luck, further).await
    };
    let Some(slashes) = slashes else { return fetched };
    if known.is_none() {
        debug!(
            is_merged = slashes == Slashes::Merge,
            "it is known what a doubled slash is here"
        );
    }
    fetcher.sites.traps.lock().learn_slashes(&host, slashes);
    if slashes == Slashes::Merge {
        let nothing = Answer::Gone(Exchange::empty(exchange.started));
        let answer = std::mem::replace(&mut fetched.answer, Ok(nothing));
        if let Ok(Answer::Here(exchange)) = answer {
            let redirect = Redirect {
                status: exchange.status,
                location: String::new(),
                target: Ok(target),
            };
            fetched.answer = Ok(Answer::Moved(exchange, redirect));
        }
    }
    fetched
}

/// A page under one of its addresses.
struct Came {
    url: Url,
    fields: Fields,
    body: Option<Body>,
}

/// The same bytes once more, without copying them.
fn shared(body: &Body) -> Option<Body> {
    Some(match body {
        Body::Memory(bytes) => Body::Memory(bytes.clone()),
        Body::Spool(SpoolFile { file, len }) => Body::Spool(SpoolFile {
            file: file.try_clone().ok()?,
            len: *len,
        }),
    })
}

impl Came {
    fn bytes(&self) -> Option<Vec<u8>> {
        decoded(&self.fields, self.body.as_ref()?)
    }
}

/// None where nothing was learned: the next such page asks again.
async fn ask_host(
    came: Arc<Came>,
    target: &Url,
    fetcher: &Fetcher,
    luck: u64,
    further: &FurtherStarts,
) -> Option<Slashes> {
    match ask(target, fetcher, further).await? {
        Answer::Here(other) => {
            if !is_same(&came, target, other, fetcher).await {
                return Some(Slashes::Matter);
            }
        }
        Answer::Gone(_) | Answer::Moved(..) => return Some(Slashes::Matter),
        _ => return None,
    }
    let nowhere = beside(target, luck)?;
    let is_alike = match ask(&nowhere, fetcher, further).await? {
        Answer::Here(other) => is_same(&came, &nowhere, other, fetcher).await,
        _ => false,
    };
    (!is_alike).then_some(Slashes::Merge)
}

async fn ask(url: &Url, fetcher: &Fetcher, further: &FurtherStarts) -> Option<Answer> {
    further.next().await;
    let mut ask = Ask::of(url.clone());
    ask.headers = Arc::clone(&fetcher.headers);
    ask.body_bytes_max = fetcher.body_bytes_max;
    ask.filter = Some(fetcher.filter(&ask.url));
    fetcher.units.fetch(&ask).await.ok()
}

async fn is_same(came: &Arc<Came>, url: &Url, other: Exchange, fetcher: &Fetcher) -> bool {
    let one = Arc::clone(came);
    let other = Came {
        url: url.clone(),
        fields: fields_of(&other),
        body: Some(other.body),
    };
    fetcher.processor.run(move || show_the_same(&one, &other)).await
}

fn show_the_same(one: &Came, other: &Came) -> bool {
    let (Some(one_bytes), Some(other_bytes)) = (one.bytes(), other.bytes()) else {
        return false;
    };
    if one_bytes == other_bytes {
        return true;
    }
    let content = |came: &Came, bytes: &[u8]| content::read(&came.url, &came.fields, bytes);
    match (content(one, &one_bytes), content(other, &other_bytes)) {
        (Some(one), Some(other)) => is_same_page(&one, &other),
        _ => false,
    }
}

/// An address in the same folder that cannot be one of the site's.
fn beside(url: &Url, luck: u64) -> Option<Url> {
    let (folder, name) = url.path().rsplit_once('/')?;
    let name = match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{luck:x}.{extension}"),
        None => format!("{name}{luck:x}"),
    };
    Url::parse(&format!("{}{folder}/{name}", url.origin())).ok()
}
