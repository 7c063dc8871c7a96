//! What is a doubled slash on this host? Asked once, with the first page that has one in its address (A9).
//!
//! In: such a page, just fetched. Out: the same, or a page that has moved: to the address with one slash, where the server
//! gives the same page under both. An address beside it that cannot exist must give something else: a site that answers
//! everything alike proves nothing. Two requests a host, and none where no address has two slashes in a row.

use crate::fresh::{decoded, fields_of};
use crate::stages::fetch::{Fetched, Fetcher};
use crate::stages::keep::lock;
use crate::survey::{content_of, is_same_page};
use gleaner_frontier::traps::{Slashes, merged};
use gleaner_model::Url;
use gleaner_units::{Answer, Ask, Exchange, Redirect};
use std::sync::Arc;
use std::time::Duration;
use tracing::debug;

/// Looks at a page that came; `luck` makes an address that is not there.
pub(crate) async fn look(fetched: &mut Fetched, fetcher: &Fetcher, luck: u64, gap: Duration) {
    let page = &fetched.page;
    if page.known.is_some() || !page.purpose.is_page() || !page.url.is_web() {
        return;
    }
    let (Some(target), Ok(Answer::Here(exchange))) = (merged(&page.url), &fetched.answer) else {
        return;
    };
    let host = page.url.authority();
    // One page asks, and those that come meanwhile wait for what it learns.
    let _turn = fetcher.slashes.lock().await;
    let known = fetcher.deciding.slashes(&host);
    let slashes = match known {
        Some(slashes) => Some(slashes),
        None => ask_host(&page.url, exchange, &target, fetcher, luck, gap).await,
    };
    let Some(slashes) = slashes else { return };
    if known.is_none() {
        debug!(
            is_merged = slashes == Slashes::Merge,
            "it is known what a doubled slash is here"
        );
    }
    lock(&fetcher.deciding.traps).learn_slashes(&host, slashes);
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
}

/// None where nothing was learned: the next such page asks again.
async fn ask_host(
    url: &Url,
    came: &Exchange,
    target: &Url,
    fetcher: &Fetcher,
    luck: u64,
    gap: Duration,
) -> Option<Slashes> {
    match ask(target, fetcher, gap).await? {
        Answer::Here(other) if is_same(url, came, target, &other) => {}
        Answer::Here(_) | Answer::Gone(_) | Answer::Moved(..) => return Some(Slashes::Matter),
        _ => return None,
    }
    let nowhere = beside(target, luck)?;
    match ask(&nowhere, fetcher, gap).await? {
        Answer::Here(other) if is_same(url, came, &nowhere, &other) => None,
        _ => Some(Slashes::Merge),
    }
}

async fn ask(url: &Url, fetcher: &Fetcher, gap: Duration) -> Option<Answer> {
    tokio::time::sleep(gap).await;
    let mut ask = Ask::of(url.clone());
    ask.headers = Arc::clone(&fetcher.headers);
    ask.body_bytes_max = fetcher.body_bytes_max;
    ask.filter = Some(fetcher.filter(&ask.url));
    fetcher.units.fetch(&ask).await.ok()
}

fn is_same(one_url: &Url, one: &Exchange, other_url: &Url, other: &Exchange) -> bool {
    let bytes = |exchange: &Exchange| decoded(&fields_of(exchange), &exchange.body);
    match (bytes(one), bytes(other)) {
        (Some(one), Some(other)) if one == other => return true,
        (None, _) | (_, None) => return false,
        _ => {}
    }
    match (content_of(one_url, one), content_of(other_url, other)) {
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
