//! Asks a host what it says to addresses that cannot exist, once a host and run, where a page makes that necessary (HC017).
//!
//! Which addresses those are and what follows from the answers is for [`gleaner_judge::wall`] to say.

use crate::fresh::{decoded, fields_of};
use crate::shared_pace::FurtherStarts;
use crate::stages::fetch::Fetcher;
pub use gleaner_judge::wall::share_of_words;
use gleaner_judge::wall::{Probe, nowhere_near, nowhere_of_query};
use gleaner_model::{Content, LinkKind, Url};
use gleaner_parse::content;
use gleaner_units::{Answer, Ask, Exchange, Visitor};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How far a home page may lead on.
const HOPS_MAX: usize = 3;

#[derive(Default)]
pub struct Probes {
    by_origin: Mutex<HashMap<String, State>>,
    /// How many are wanted and not begun: nobody need look while this is zero.
    wanted: AtomicU64,
}

enum State {
    /// Near this page.
    Wanted(Url),
    Asked,
    Known(std::sync::Arc<Probe>),
}

impl Probes {
    fn states(&self) -> std::sync::MutexGuard<'_, HashMap<String, State>> {
        self.by_origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The probe of the URL's host; if there is none it will be made with one of the next fetches.
    pub fn get(&self, url: &Url) -> Option<std::sync::Arc<Probe>> {
        let mut states = self.states();
        match states.get(url.origin()) {
            Some(State::Known(probe)) => Some(std::sync::Arc::clone(probe)),
            Some(State::Wanted(_) | State::Asked) => None,
            None => {
                states.insert(url.origin().to_owned(), State::Wanted(url.clone()));
                self.wanted.fetch_add(1, Ordering::Relaxed);
                None
            }
        }
    }

    /// Whether somebody waits for a probe of this host; who is told so makes it.
    pub fn take(&self, url: &Url) -> Option<Url> {
        if self.wanted.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut states = self.states();
        let state = states.get_mut(url.origin())?;
        match std::mem::replace(state, State::Asked) {
            State::Wanted(near) => {
                self.wanted.fetch_sub(1, Ordering::Relaxed);
                Some(near)
            }
            other => {
                *state = other;
                None
            }
        }
    }

    pub fn put(&self, url: &Url, probe: Probe) {
        let known = State::Known(std::sync::Arc::new(probe));
        self.states().insert(url.origin().to_owned(), known);
    }
}

/// Asks for addresses that cannot exist beside `near`, and for the home page.
pub(crate) async fn probe(near: &Url, fetcher: &Fetcher, luck: u64, further: &FurtherStarts) -> Probe {
    let mut found = Probe {
        near: Some(near.clone()),
        ..Probe::default()
    };
    let addresses = nowhere_near(near, luck);
    if let [sibling, stranger] = addresses.as_slice() {
        found.sibling = ask(sibling, fetcher, further).await;
        found.stranger = ask(stranger, fetcher, further).await;
    }
    if let Some((other, bare)) = nowhere_of_query(near, luck) {
        found.query = ask(&other, fetcher, further).await;
        if found.query.is_some() {
            found.bare = ask(&bare, fetcher, further).await;
        }
    }
    if let Ok(home) = near.join("/") {
        found.home = ask_home(home, fetcher, further).await;
    }
    found
}

async fn ask(url: &Url, fetcher: &Fetcher, further: &FurtherStarts) -> Option<Content> {
    match answer(url, fetcher, further).await? {
        Answer::Here(exchange) => read(url.clone(), exchange, fetcher).await,
        _ => None,
    }
}

/// A home page may lead on to that of a language.
async fn ask_home(mut url: Url, fetcher: &Fetcher, further: &FurtherStarts) -> Option<Content> {
    for _ in 0..HOPS_MAX {
        match answer(&url, fetcher, further).await? {
            Answer::Moved(_, redirect) => {
                let target = redirect.target.ok()?;
                if target.origin() != url.origin() {
                    return None;
                }
                url = target;
            }
            Answer::Here(exchange) => return read(url, exchange, fetcher).await,
            _ => return None,
        }
    }
    None
}

async fn read(url: Url, exchange: Exchange, fetcher: &Fetcher) -> Option<Content> {
    let read = move || {
        let fields = fields_of(&exchange);
        content::read(&url, &fields, &decoded(&fields, &exchange.body)?)
    };
    fetcher.processor.run(read).await
}

async fn answer(url: &Url, fetcher: &Fetcher, further: &FurtherStarts) -> Option<Answer> {
    if fetcher.rules.refuses(url, LinkKind::Anchor, 0).is_some() {
        return None;
    }
    let mut ask = Ask::of(url.clone());
    ask.body_bytes_max = fetcher.body_bytes_max;
    ask.visitor = Visitor::Run;
    let answer = fetcher.units.fetch(&ask).await.ok();
    further.next().await;
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc017_a_host_is_asked_once_by_whoever_fetches_next() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        let (page, other) = (url("http://a.test/x"), url("http://a.test/y"));
        let probes = Probes::default();
        assert_eq!(probes.take(&page), None, "nobody wants one");
        assert!(probes.get(&page).is_none());
        assert_eq!(probes.take(&url("http://b.test/")), None, "another host");
        assert_eq!(probes.take(&other), Some(page.clone()));
        assert_eq!(probes.take(&other), None, "it is asked already");
        assert!(probes.get(&other).is_none());
        probes.put(&page, Probe::default());
        assert!(probes.get(&other).is_some());
    }
}
