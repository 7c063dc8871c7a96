//! Does a site have volatile parts in its URLs? Asked once a site, with the first page of it (B4).
//!
//! In: the first page, just fetched. Out: the site's rules, or none. A first crawl asks only where the links of that
//! page look as if they carried a session; a track asks every site that was never asked. At most four requests, one
//! after the other at the host's own pace; the host's other pages wait meanwhile, because their addresses depend on it.
//!
//! Every session begins at the address that was given: where that is a redirect, a site may hand out its ids there, and who
//! asked for the redirect's target would take the first session's id along.

use crate::fresh::{decoded, fields_of};
use crate::shared_pace::FurtherStarts;
use crate::stages::fetch::{Fetched, Fetcher};
use crate::wall::share_of_words;
use gleaner_frontier::RobotsState;
use gleaner_judge::identity::{
    ADDRESS, Cookies, Learning, ProbeAnswer, ProbeLink, ProbeSession, RequestPurpose, UrlRules,
    is_suspicious, is_suspicious_redirect, looks_like_session, split,
};
use gleaner_judge::site::site_of;
use gleaner_model::{Content, LinkKind, Url};
use gleaner_parse::{Input, content, parse};
use gleaner_units::{Answer, Ask, Exchange, Pulse, Visitor};
use std::sync::Arc;

/// Requests that a site may cost beside its first page.
const REQUESTS_MAX: u32 = 4;
/// Share of the words that two fetches of one page have in common at least, noise and ids aside.
const SAME_WORDS: f64 = 0.8;
/// A shorter part of an address may stand in a link's text by chance.
const SHOWN_BYTES_MIN: usize = 6;
/// The same where nothing else speaks for it that two addresses show one page.
const ONE_PAGE_WORDS: f64 = 0.9;
/// Text outside of links that is enough to tell two pages apart by.
const TELLING_BYTES: usize = 40;

/// How a survey asks.
pub(crate) struct Survey {
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) pulse: Arc<Pulse>,
    pub(crate) robots: Option<Arc<RobotsState>>,
    /// When it may ask again.
    pub(crate) further: FurtherStarts,
    /// Ask even where nothing looks suspicious.
    pub(crate) asks_always: bool,
    /// The seed leads elsewhere than in the run before.
    pub(crate) is_led_elsewhere: bool,
    pub(crate) requests: u32,
}

/// A page as it is shown to a visitor without a session.
struct Reached {
    links: Vec<ProbeLink>,
    content: Content,
}

impl Survey {
    /// The rules of the page's site. `None`: nobody was asked, because there was nothing to ask about. Gives the page back.
    pub(crate) async fn of(&mut self, first: Fetched) -> (Fetched, Option<UrlRules>) {
        let look = move || {
            let links = match &first.answer {
                Ok(Answer::Here(exchange)) => links_of(&first.page.url, exchange),
                _ => None,
            };
            (first, links)
        };
        let (first, links) = self.fetcher.processor.run(look).await;
        let base = &first.page.url;
        let rules = match (&first.answer, links) {
            (Ok(Answer::Here(exchange)), Some(links)) => {
                self.of_page(base, links, exchange.cookies_set).await
            }
            (Ok(Answer::Moved(_, redirect)), _) => match &redirect.target {
                Ok(target) if self.is_asked(base, target) => self.of_redirect(base, target).await,
                _ => None,
            },
            _ => None,
        };
        (first, rules)
    }

    fn is_asked(&self, entry: &Url, target: &Url) -> bool {
        let is_asked = self.is_led_elsewhere || is_suspicious_redirect(entry, target);
        is_asked && target.origin() == entry.origin()
    }

    async fn of_page(&mut self, base: &Url, links: Vec<ProbeLink>, cookies_set: bool) -> Option<UrlRules> {
        let is_suspect = if self.fetcher.rules.logs_in {
            looks_like_session(&links)
        } else {
            is_suspicious(&links)
        };
        if links.len() < 2 || !self.asks_always && !is_suspect {
            return None;
        }
        let mut learning = Learning::new(base, &links, cookies_set);
        let mut led = Vec::new();
        while self.requests < REQUESTS_MAX
            && let Some(request) = learning.next()
        {
            let answer = match (&request.purpose, request.session) {
                (RequestPurpose::Links, ProbeSession::A) => match link_to_itself(base, &links) {
                    Some(url) => self.links(&url, Visitor::Stranger).await,
                    None => ProbeAnswer::Failed,
                },
                (RequestPurpose::Links, session) => self.links(&request.url, visitor(session)).await,
                // Two requests for one answer.
                (RequestPurpose::SameAs(_), _) if self.requests + 2 > REQUESTS_MAX => break,
                (RequestPurpose::SameAs(same), session) => {
                    let (answer, to) = self.same(&request.url, visitor(session), same, &[]).await;
                    led.extend(to.map(|to| (request.url.clone(), to)));
                    answer
                }
            };
            learning.answer(answer);
        }
        let mut rules = self.learned(learning, base, &led);
        if rules.cookies == Cookies::Suffice {
            // The session travels in the cookie, and the server itself leaves the id out.
            for rule in &mut rules.rules {
                rule.is_droppable = true;
            }
        }
        Some(rules)
    }

    /// The same for a site whose `entry` leads to `target`: two sessions that begin at the entry.
    async fn of_redirect(&mut self, entry: &Url, target: &Url) -> Option<UrlRules> {
        let Some(Answer::Moved(_, redirect)) = self.ask(entry, Visitor::Stranger).await else {
            return None;
        };
        let other = redirect
            .target
            .ok()
            .filter(|other| other.origin() == entry.origin())?;
        if other == *target {
            return None; // It leads where it led: the page there is looked at by itself.
        }
        let second = self.page(&other).await?;
        let first = self.page(target).await?;
        let mut learning = Learning::new(target, &first.links, false);
        let mut led = vec![(entry.clone(), target.clone())];
        while let Some(request) = learning.next() {
            let answer = match (&request.purpose, request.session) {
                (RequestPurpose::Links, ProbeSession::B) => {
                    if shares_words(&first.content, &second.content, ONE_PAGE_WORDS) {
                        learning.know_one_page();
                    }
                    ProbeAnswer::Links(second.links.clone())
                }
                // One value for all links needs no third look; the request is better spent on leaving it out.
                (RequestPurpose::Links, ProbeSession::A) if !learning.is_in_doubt() => ProbeAnswer::Failed,
                (RequestPurpose::Links, _) if self.requests < REQUESTS_MAX => match self.page(target).await {
                    Some(again) => ProbeAnswer::Links(again.links),
                    None => ProbeAnswer::Failed,
                },
                // The address without an id was asked for twice: it leads to one with an id.
                (RequestPurpose::SameAs(_), _) if request.url == *entry => ProbeAnswer::Refused,
                (RequestPurpose::SameAs(same), session) => {
                    let known = [(target, &first.content), (&other, &second.content)];
                    let is_known = known.iter().any(|(url, _)| *url == same);
                    if self.requests + 1 + u32::from(!is_known) > REQUESTS_MAX {
                        break;
                    }
                    let (answer, to) = self.same(&request.url, visitor(session), same, &known).await;
                    led.extend(to.map(|to| (request.url.clone(), to)));
                    answer
                }
                (RequestPurpose::Links, _) => break,
            };
            learning.answer(answer);
        }
        let rules = self.learned(learning, entry, &led);
        // Where nothing was learned, the page that it leads to may still say something.
        (!rules.rules.is_empty()).then_some(rules)
    }

    /// `led` are redirects that were met on the way.
    fn learned(&self, learning: Learning, base: &Url, led: &[(Url, Url)]) -> UrlRules {
        let mut rules = learning.finish();
        rules.site = site_of(base);
        rules.requests = self.requests;
        for (from, to) in led {
            rules.know_led(from, to);
        }
        rules
    }

    /// Asks for the first page of a site that wants session ids, so that its other pages can be asked for with one. It takes the
    /// turn of the page that is asked for next, which waits for another.
    pub(crate) async fn begin_session(&mut self, entry: &Url) {
        if !self.may_ask(entry) {
            return;
        }
        let identities = &Arc::clone(&self.fetcher).sites.identities;
        match self.ask_now(entry, Visitor::Run).await {
            Some(Answer::Here(exchange)) => {
                let links = self.look(entry, exchange, links_of).await.unwrap_or_default();
                identities.note_live(entry, links.iter().map(|link| &link.url));
            }
            Some(Answer::Moved(_, redirect)) => identities.note_live(entry, redirect.target.iter()),
            _ => {}
        }
        self.further.next().await;
    }

    async fn links(&mut self, url: &Url, visitor: Visitor) -> ProbeAnswer {
        match self.ask(url, visitor).await {
            Some(Answer::Here(exchange)) => {
                (self.look(url, exchange, links_of).await).map_or(ProbeAnswer::Failed, ProbeAnswer::Links)
            }
            _ => ProbeAnswer::Failed,
        }
    }

    /// A page that the site led a stranger to, with its address among the links.
    async fn page(&mut self, url: &Url) -> Option<Reached> {
        let Some(Answer::Here(exchange)) = self.ask(url, Visitor::Stranger).await else {
            return None;
        };
        let both =
            |url: &Url, exchange: &Exchange| Some((links_of(url, exchange)?, content_of(url, exchange)?));
        let (mut links, content) = self.look(url, exchange, both).await?;
        links.push(ProbeLink {
            url: url.clone(),
            place: ADDRESS.to_owned(),
            anchor: String::new(),
        });
        Some(Reached { links, content })
    }

    /// Whether `url` shows the same as `same`, which is asked for if it is not `known`; and where it leads instead.
    async fn same(
        &mut self,
        url: &Url,
        visitor: Visitor,
        same: &Url,
        known: &[(&Url, &Content)],
    ) -> (ProbeAnswer, Option<Url>) {
        let known = known.iter().find(|(url, _)| *url == same);
        let wanted = match known {
            Some((_, content)) => Some((*content).clone()),
            None => match self.ask(same, Visitor::Stranger).await {
                Some(Answer::Here(exchange)) => self.look(same, exchange, content_of).await,
                _ => None,
            },
        };
        let found = self.ask(url, visitor).await;
        let Some(wanted) = wanted else {
            return (ProbeAnswer::Failed, None);
        };
        match found {
            Some(Answer::Here(found)) => match self.look(url, found, content_of).await {
                Some(found) if is_same_page(&wanted, &found) => (ProbeAnswer::Equal, None),
                Some(_) => (ProbeAnswer::Differs, None),
                None => (ProbeAnswer::Failed, None),
            },
            Some(Answer::Moved(_, redirect)) => (ProbeAnswer::Refused, redirect.target.ok()),
            Some(Answer::Gone(_) | Answer::Refused(..)) => (ProbeAnswer::Refused, None),
            _ => (ProbeAnswer::Failed, None),
        }
    }

    /// Reads a page, apart from the network's thread.
    async fn look<T: Send + 'static>(
        &self,
        url: &Url,
        exchange: Exchange,
        look: impl FnOnce(&Url, &Exchange) -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let url = url.clone();
        let look = move || look(&url, &exchange);
        self.fetcher.processor.run(look).await
    }

    fn may_ask(&self, url: &Url) -> bool {
        let is_denied = |robots: &RobotsState| robots.refuses(url).is_some();
        let rules = &self.fetcher.rules;
        !self.robots.as_deref().is_some_and(is_denied) && rules.refuses(url, LinkKind::Anchor, 0).is_none()
    }

    async fn ask(&mut self, url: &Url, visitor: Visitor) -> Option<Answer> {
        if !self.may_ask(url) {
            return None;
        }
        self.further.next().await;
        self.ask_now(url, visitor).await
    }

    async fn ask_now(&mut self, url: &Url, visitor: Visitor) -> Option<Answer> {
        self.requests += 1;
        let mut ask = Ask::of(url.clone());
        ask.pulse = Some(Arc::clone(&self.pulse));
        ask.body_bytes_max = self.fetcher.body_bytes_max;
        ask.filter = Some(self.fetcher.filter(&ask.url));
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

fn content_of(url: &Url, exchange: &Exchange) -> Option<Content> {
    let fields = fields_of(exchange);
    let body = decoded(&fields, &exchange.body)?;
    content::read(url, &fields, &body)
}

/// One page, fetched twice: same title, and nearly all words the same.
pub(crate) fn is_same_page(one: &Content, other: &Content) -> bool {
    shares_words(one, other, SAME_WORDS)
}

/// The same title, and so large a share of the words.
fn shares_words(one: &Content, other: &Content, share_min: f64) -> bool {
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
    one.title == other.title && share_of_words(&text(one), &text(other)) >= share_min
}
