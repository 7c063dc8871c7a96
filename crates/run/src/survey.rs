//! Does a site carry volatile parts in its URLs? Asked once a site, with the first page of it (B4).
//!
//! In: the first page, just fetched. Out: the site's rules, or none. A first crawl asks only where the links of that
//! page look as if they carried a session; a track asks every site that was never asked. At most four requests, one
//! after the other at the host's own pace; the host's other pages wait meanwhile, because their addresses depend on it.

use crate::fresh::{decoded, fields_of};
use crate::noise::site_of;
use crate::stages::fetch::{Fetched, Fetcher};
use crate::wall::share_of_words;
use gleaner_frontier::RobotsState;
use gleaner_judge::identity::{
    Cookies, Learning, ProbeAnswer, ProbeLink, ProbeSession, Purpose, Rules, is_suspicious, split,
};
use gleaner_model::{Content, Url};
use gleaner_parse::{Input, content, parse};
use gleaner_units::{Answer, Ask, Exchange, Pulse, Visitor};
use std::sync::Arc;
use std::time::Duration;

/// Requests that a site may cost beside its first page.
const REQUESTS_MAX: u32 = 4;
/// Share of the words that two fetches of one page have in common at least, noise and ids aside.
const SAME_WORDS: f64 = 0.8;
/// A shorter part of an address may stand in a link's text by chance.
const SHOWN_BYTES_MIN: usize = 6;
/// Text outside of links that is enough to tell two pages apart by.
const TELLING_BYTES: usize = 40;

/// How a survey asks.
pub(crate) struct Survey {
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) pulse: Arc<Pulse>,
    pub(crate) robots: Option<Arc<RobotsState>>,
    /// Between two requests.
    pub(crate) gap: Duration,
    /// Ask even where nothing looks suspicious.
    pub(crate) asks_always: bool,
    pub(crate) requests: u32,
}

impl Survey {
    /// The rules of the page's site. `None`: nobody was asked, because there was nothing to ask about.
    pub(crate) async fn of(&mut self, first: &Fetched) -> Option<Rules> {
        let Ok(Answer::Here(exchange)) = &first.answer else {
            return None;
        };
        let links = links_of(&first.page.url, exchange)?;
        if links.len() < 2 || !self.asks_always && !is_suspicious(&links) {
            return None;
        }
        let base = &first.page.url;
        let mut learning = Learning::new(base, &links, exchange.cookies_set);
        while self.requests < REQUESTS_MAX
            && let Some(request) = learning.next()
        {
            let answer = match (&request.purpose, request.session) {
                (Purpose::Links, ProbeSession::A) => match link_to_itself(base, &links) {
                    Some(url) => self.links(&url, Visitor::Stranger).await,
                    None => ProbeAnswer::Failed,
                },
                (Purpose::Links, session) => self.links(&request.url, visitor(session)).await,
                // Two requests for one answer.
                (Purpose::SameAs(_), _) if self.requests + 2 > REQUESTS_MAX => break,
                (Purpose::SameAs(same), session) => self.same(&request.url, visitor(session), same).await,
            };
            learning.answer(answer);
        }
        let mut rules = learning.finish();
        rules.site = site_of(base);
        rules.requests = self.requests;
        if rules.cookies == Cookies::Suffice {
            // The session travels in the cookie, and the server itself leaves the id out.
            for rule in &mut rules.rules {
                rule.is_droppable = true;
            }
        }
        Some(rules)
    }

    /// Comes in by the front door of a site that wants ids, so that its other pages can be asked for with them.
    pub(crate) async fn begin_session(&mut self, entry: &Url) {
        let identities = &Arc::clone(&self.fetcher).deciding.identities;
        match self.ask(entry, Visitor::Run).await {
            Some(Answer::Here(exchange)) => {
                let links = links_of(entry, &exchange).unwrap_or_default();
                identities.note_live(entry, links.iter().map(|link| &link.url));
            }
            Some(Answer::Moved(_, redirect)) => identities.note_live(entry, redirect.target.iter()),
            _ => {}
        }
    }

    async fn links(&mut self, url: &Url, visitor: Visitor) -> ProbeAnswer {
        match self.ask(url, visitor).await {
            Some(Answer::Here(exchange)) => {
                links_of(url, &exchange).map_or(ProbeAnswer::Failed, ProbeAnswer::Links)
            }
            _ => ProbeAnswer::Failed,
        }
    }

    async fn same(&mut self, url: &Url, visitor: Visitor, same: &Url) -> ProbeAnswer {
        let (wanted, found) = (
            self.ask(same, Visitor::Stranger).await,
            self.ask(url, visitor).await,
        );
        match (wanted, found) {
            (Some(Answer::Here(wanted)), Some(Answer::Here(found))) => {
                match (content_of(same, &wanted), content_of(url, &found)) {
                    (Some(wanted), Some(found)) if is_same_page(&wanted, &found) => ProbeAnswer::Equal,
                    (Some(_), Some(_)) => ProbeAnswer::Differs,
                    _ => ProbeAnswer::Failed,
                }
            }
            (Some(Answer::Here(_)), Some(Answer::Gone(_) | Answer::Moved(..) | Answer::Refused(..))) => {
                ProbeAnswer::Refused
            }
            _ => ProbeAnswer::Failed,
        }
    }

    async fn ask(&mut self, url: &Url, visitor: Visitor) -> Option<Answer> {
        if self
            .robots
            .as_deref()
            .is_some_and(|robots| robots.refuses(url).is_some())
            || self
                .fetcher
                .deciding
                .refuses(url, gleaner_model::LinkKind::Anchor, 0)
                .is_some()
        {
            return None;
        }
        self.requests += 1;
        tokio::time::sleep(self.gap).await;
        let mut ask = Ask::of(url.clone());
        ask.pulse = Some(Arc::clone(&self.pulse));
        ask.body_bytes_max = self.fetcher.body_bytes_max;
        ask.filter = Some(Arc::clone(&self.fetcher.filter));
        ask.visitor = visitor;
        self.fetcher.units.fetch(&ask).await.ok()
    }
}

fn visitor(session: ProbeSession) -> Visitor {
    match session {
        ProbeSession::Cookies => Visitor::Run,
        ProbeSession::A | ProbeSession::B | ProbeSession::None => Visitor::Stranger,
    }
}

/// A link of the page to itself carries the session on.
fn link_to_itself(base: &Url, links: &[ProbeLink]) -> Option<Url> {
    let place = |url: &Url| url.path().split(';').next().unwrap_or("").to_owned();
    let is_base = |link: &&ProbeLink| {
        link.url.origin() == base.origin() && place(&link.url) == place(base) && link.url != *base
    };
    // The shortest adds nothing but the id.
    let found = links
        .iter()
        .filter(is_base)
        .min_by_key(|link| link.url.as_str().len());
    found.map(|link| link.url.clone())
}

/// The links of an HTML page, in order.
fn links_of(url: &Url, exchange: &Exchange) -> Option<Vec<ProbeLink>> {
    let fields = fields_of(exchange);
    let body = decoded(&fields, &exchange.body)?;
    let input = Input {
        url,
        headers: &fields,
        body: &body,
        agent: "",
        is_sitemap: false,
    };
    let parsed = parse(&input);
    let links = parsed.links.into_iter().map(|link| ProbeLink {
        place: link.kind.as_str().to_owned(),
        anchor: without_address(link.anchor, &link.url),
        url: link.url,
    });
    Some(links.collect())
}

/// A link text without what it shows of the address: an id in it would make two sessions' links two.
fn without_address(mut anchor: String, url: &Url) -> String {
    for piece in split(url.as_str()) {
        if piece.value.len() >= SHOWN_BYTES_MIN && anchor.contains(&piece.value) {
            anchor = anchor.replace(&piece.value, "");
        }
    }
    anchor
}

pub(crate) fn content_of(url: &Url, exchange: &Exchange) -> Option<Content> {
    let fields = fields_of(exchange);
    let body = decoded(&fields, &exchange.body)?;
    content::read(url, &fields, &body)
}

/// One page, fetched twice: same title, and nearly all words the same.
pub(crate) fn is_same_page(one: &Content, other: &Content) -> bool {
    // Link texts often show the address, and with it the id in question.
    let text = |content: &Content| {
        let all = || content.blocks.iter();
        let join = |blocks: Vec<&str>| blocks.join("\n");
        let plain = join(
            all()
                .filter(|block| block.links.is_empty())
                .map(|block| block.text.as_str())
                .collect(),
        );
        if plain.len() >= TELLING_BYTES {
            return plain;
        }
        join(all().map(|block| block.text.as_str()).collect())
    };
    one.title == other.title && share_of_words(&text(one), &text(other)) >= SAME_WORDS
}
