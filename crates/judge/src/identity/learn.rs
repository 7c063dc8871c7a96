//! How are the rules of a site learned, and what does it cost?
//!
//! A small machine that says which request it wants next and takes the answer; it makes none itself. At most four:
//!
//! ```text
//! P1 (given) ─► P2 in a new session ─┬─ nothing differs ─► done
//!                                    └─► P1′ inside the first ─┬─ cookies offered: P0 with them ─┬─ no ids ► done
//!                                                              │                                 ▼
//!                                                              └───────────────► content tests (≤ 2) ──────► done
//! ```
//!
//! Where a link has a parameter in one look and lacks it in the other, and too few have it in both to judge, P2 is asked for
//! once more.
//!
//! Where the site itself chose the address of the page by a redirect, that address is one of the links ([`super::ADDRESS`]): two
//! sessions that began at one address and saw one page were led to one document.
//!
//! A content test asks for one link in another form and is told whether the page was the same. The first kind puts in
//! the other session's value where the counts alone do not decide; the second leaves proven ids out, so that requests
//! may do so too. A request that fails proves nothing: no rule comes of it and no id is dropped for it.

use gleaner_model::Url;

use super::align::{Page, ProbeLink, differ_in_names};
use super::discover::{Discovered, discover};
use super::named::Candidate;
use super::rule::RuleKind;
use super::rules::{Cookies, UrlRules};
use super::safety::joined;
use super::slots::Slot;
use super::split::split;

/// Requests that a site may cost beside the base page itself.
pub const REQUESTS_MAX: u32 = 4;
const TESTS_MAX: u32 = 2;

/// In whose name a request goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProbeSession {
    /// The session that the first probe began: what it carries in its URLs, no cookies.
    A,
    /// A new one: empty jar, nothing carried over. The second probe begins it.
    B,
    /// No session at all: empty jar, and the URL carries none.
    None,
    /// The first probe's cookies are returned.
    Cookies,
}

/// What a request is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestPurpose {
    /// The links of the page are the answer.
    Links,
    /// Whether it shows the same as this URL in session A is the answer.
    SameAs(Url),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeRequest {
    pub url: Url,
    pub session: ProbeSession,
    pub purpose: RequestPurpose,
}

/// What came of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeAnswer {
    Links(Vec<ProbeLink>),
    /// The main text is that of the page to compare with.
    Equal,
    /// Another page, and a whole one.
    Differs,
    /// The server said no: an error, a login page, a redirect to somewhere else.
    Refused,
    /// No answer at all. Nothing follows from it.
    Failed,
}

#[derive(Debug)]
enum Stage {
    Second,
    /// The second probe, and in whose name the third is made.
    Again(Page, ProbeSession),
    Cookies,
    Tests,
    Done,
}

#[derive(Debug)]
enum Test {
    /// The candidates under test.
    Foreign(Vec<usize>),
    Dropped(Vec<usize>),
}

/// Learns the rules of one site. See the module's text for the order of events.
#[derive(Debug)]
pub struct Learning {
    base: Url,
    first: Page,
    offers_cookies: bool,
    stage: Stage,
    asked: Option<Test>,
    found: Discovered,
    cookies: Cookies,
    requests: u32,
    tests: u32,
    /// Both sessions were led to one page.
    is_one_page: bool,
    /// The second session was begun anew.
    has_looked_again: bool,
    /// Links on which leaving ids out was tried, with the outcome.
    drop_tests: Vec<(usize, bool)>,
}

impl Learning {
    /// Begins with the first probe: the base page fetched with an empty jar. `offers_cookies` says that it set some.
    pub fn new(base: &Url, links: &[ProbeLink], offers_cookies: bool) -> Learning {
        Learning {
            base: base.clone(),
            first: Page::new(links),
            offers_cookies,
            stage: Stage::Second,
            asked: None,
            found: Discovered::default(),
            cookies: Cookies::Untried,
            requests: 0,
            tests: 0,
            is_one_page: false,
            has_looked_again: false,
            drop_tests: Vec::new(),
        }
    }

    /// The second session began where the first began and was led to the same page, whatever its address. To be said before
    /// the answer to the second probe.
    pub fn know_one_page(&mut self) {
        self.is_one_page = true;
    }

    /// The request to make next; none when all is known that will be.
    #[expect(
        clippy::should_implement_trait,
        reason = "an answer must come between two calls"
    )]
    pub fn next(&mut self) -> Option<ProbeRequest> {
        let links = |session| ProbeRequest {
            url: self.base.clone(),
            session,
            purpose: RequestPurpose::Links,
        };
        let request = match self.stage {
            Stage::Second => Some(links(ProbeSession::B)),
            Stage::Again(_, session) => Some(links(session)),
            Stage::Cookies => Some(links(ProbeSession::Cookies)),
            Stage::Tests => self.next_test(),
            Stage::Done => None,
        };
        match request {
            Some(_) => self.requests += 1,
            None => self.stage = Stage::Done,
        }
        request
    }

    /// Whether more than ids of a session differs, so that a third look is needed to tell what it is.
    pub fn is_in_doubt(&self) -> bool {
        match &self.stage {
            Stage::Again(second, _) => {
                let found = discover(&self.first, second, None).candidates;
                found.iter().any(|c| c.rule.kind != RuleKind::Session)
            }
            _ => false,
        }
    }

    /// Takes the answer to the request that [`Learning::next`] gave last.
    pub fn answer(&mut self, answer: ProbeAnswer) {
        match (std::mem::replace(&mut self.stage, Stage::Done), answer) {
            (Stage::Second, ProbeAnswer::Links(links)) => {
                let second = Page::new(&links);
                let found = discover(&self.first, &second, None);
                let is_open = found.candidates.is_empty() && differ_in_names(&self.first, &second);
                if is_open && !self.has_looked_again {
                    self.has_looked_again = true;
                    // The one that shows more parameters is the one to compare with.
                    if second.pieces_named() > self.first.pieces_named() {
                        self.first = second;
                    }
                    self.stage = Stage::Second;
                    return;
                }
                if !found.differs || found.candidates.is_empty() && found.is_order_free {
                    self.found = found;
                    return; // The stage is done.
                }
                // Where no value is that of a session, any further look is as good as one inside the first.
                let has_ids = found.candidates.iter().any(|c| c.rule.kind == RuleKind::Session);
                let is_session = has_ids || found.candidates.is_empty();
                let session = if is_session {
                    ProbeSession::A
                } else {
                    ProbeSession::None
                };
                self.stage = Stage::Again(second, session);
            }
            (Stage::Again(second, _), answer) => {
                let again = match &answer {
                    ProbeAnswer::Links(links) => Some(Page::new(links)),
                    _ => None,
                };
                self.found = discover(&self.first, &second, again.as_ref());
                if self.is_one_page {
                    self.believe_addresses();
                }
                let has_ids = self
                    .found
                    .candidates
                    .iter()
                    .any(|c| c.rule.kind == RuleKind::Session);
                self.stage = match (self.found.candidates.is_empty(), has_ids && self.offers_cookies) {
                    (true, _) => Stage::Done,
                    (false, true) => Stage::Cookies,
                    (false, false) => Stage::Tests,
                };
            }
            (Stage::Cookies, ProbeAnswer::Links(links)) => self.take_cookies(&links),
            (Stage::Cookies, _) => self.stage = Stage::Tests,
            (Stage::Tests, answer) => {
                self.take_test(&answer);
                self.stage = Stage::Tests;
            }
            // The second session could not be had, or an answer nobody asked for.
            (Stage::Second | Stage::Done, _) => {}
        }
    }

    /// Two addresses of one page prove what differs between them.
    fn believe_addresses(&mut self) {
        let links = &self.first.links;
        for candidate in &mut self.found.candidates {
            let is_address = candidate.seen.iter().any(|seen| links[seen.link].is_address);
            if candidate.needs_test && is_address && candidate.seen.len() == 1 {
                candidate.needs_test = false;
                candidate.rule.evidence += "; the site led two sessions to one page under these addresses";
            }
        }
    }

    /// The base page as fetched with cookies, where the caller has it anyway: saves the request.
    pub fn know_with_cookies(&mut self, links: &[ProbeLink]) {
        if matches!(self.stage, Stage::Cookies) {
            self.take_cookies(links);
        }
    }

    fn take_cookies(&mut self, links: &[ProbeLink]) {
        let ids = UrlRules {
            rules: self.session_rules(),
            ..UrlRules::default()
        };
        let carries = links.iter().any(|link| !ids.explain(&link.url).is_empty());
        (self.cookies, self.stage) = if carries {
            (Cookies::DoNotHelp, Stage::Tests)
        } else {
            (Cookies::Suffice, Stage::Done)
        };
    }

    fn session_rules(&self) -> Vec<super::UrlRule> {
        let proven = self
            .found
            .candidates
            .iter()
            .filter(|c| c.rule.kind == RuleKind::Session);
        proven.map(|candidate| candidate.rule.clone()).collect()
    }

    fn next_test(&mut self) -> Option<ProbeRequest> {
        if self.requests >= REQUESTS_MAX || self.tests >= TESTS_MAX {
            return None;
        }
        self.tests += 1;
        self.foreign_test().or_else(|| self.drop_test())
    }

    /// The link that carries most of what is in doubt, with the other session's values in it.
    fn foreign_test(&mut self) -> Option<ProbeRequest> {
        let doubtful: Vec<usize> = (0..self.found.candidates.len())
            .filter(|n| self.found.candidates[*n].needs_test)
            .collect();
        let first = *doubtful.first()?;
        let rule = &self.found.candidates[first].rule;
        // A pair of links that the rule would join is the best test of it there is.
        if let Some((one, other)) = joined(&[rule], &self.first)
            && let (Ok(url), Ok(same)) = (
                Url::parse(&self.first.links[other].url),
                Url::parse(&self.first.links[one].url),
            )
        {
            self.asked = Some(Test::Foreign(vec![first]));
            return Some(ProbeRequest {
                url,
                session: ProbeSession::A,
                purpose: RequestPurpose::SameAs(same),
            });
        }
        let carried = |link: usize| -> Vec<usize> {
            let carries = |n: &usize| {
                self.found.candidates[*n]
                    .seen
                    .iter()
                    .any(|seen| seen.link == link)
            };
            doubtful.iter().copied().filter(carries).collect()
        };
        let links = self.found.candidates[first].seen.iter().map(|seen| seen.link);
        let link = links.max_by_key(|link| carried(*link).len())?;
        let tested = carried(link);
        let mut text = self.first.links[link].url.clone();
        for number in &tested {
            text = with_second_value(&self.found.candidates[*number], link, &text);
        }
        if text == self.first.links[link].url {
            return None; // Nothing to be tested with: what is in doubt is no rule.
        }
        let same = Url::parse(&self.first.links[link].url).ok()?;
        let url = Url::parse(&text).ok()?;
        self.asked = Some(Test::Foreign(tested));
        Some(ProbeRequest {
            url,
            session: ProbeSession::A,
            purpose: RequestPurpose::SameAs(same),
        })
    }

    /// A link that carries most of the proven ids, without them; the second time another link.
    fn drop_test(&mut self) -> Option<ProbeRequest> {
        if self.drop_tests.iter().any(|(_, was_equal)| !was_equal) {
            return None;
        }
        let mut rules = UrlRules {
            rules: self.session_rules(),
            ..UrlRules::default()
        };
        rules.rules.iter_mut().for_each(|rule| rule.is_droppable = true);
        let carried = |link: usize| -> Vec<usize> {
            let all = self.found.candidates.iter().enumerate();
            let here = all
                .filter(|(_, c)| c.rule.kind == RuleKind::Session && c.seen.iter().any(|s| s.link == link));
            here.map(|(number, _)| number).collect()
        };
        let tried = |link: usize| self.drop_tests.iter().any(|(other, _)| *other == link);
        let link = (0..self.first.links.len())
            .filter(|link| !tried(*link))
            .max_by_key(|link| {
                // The page itself is known already: it need not be asked for to compare.
                let is_base = self.first.links[*link].is_address && !carried(*link).is_empty();
                (is_base, carried(*link).len(), std::cmp::Reverse(*link))
            })?;
        let tested = carried(link);
        let same = Url::parse(&self.first.links[link].url).ok()?;
        let url = rules.request_form(&same, &super::LiveValues::default());
        if tested.is_empty() || url == same {
            return None;
        }
        self.drop_tests.push((link, false));
        self.asked = Some(Test::Dropped(tested));
        Some(ProbeRequest {
            url,
            session: ProbeSession::None,
            purpose: RequestPurpose::SameAs(same),
        })
    }

    fn take_test(&mut self, answer: &ProbeAnswer) {
        match self.asked.take() {
            Some(Test::Foreign(tested)) => {
                // Refused means bound to its session, which is what makes an id. Another page means that the value
                // names the page.
                let is_proven = matches!(answer, ProbeAnswer::Equal | ProbeAnswer::Refused);
                let said = if *answer == ProbeAnswer::Equal {
                    "gave the same page"
                } else {
                    "was refused"
                };
                for number in tested.iter().rev() {
                    if is_proven {
                        let candidate = &mut self.found.candidates[*number];
                        candidate.needs_test = false;
                        candidate.rule.evidence += "; another session's value ";
                        candidate.rule.evidence += said;
                    } else {
                        self.found.candidates.remove(*number);
                    }
                }
            }
            Some(Test::Dropped(tested)) => {
                let is_equal = *answer == ProbeAnswer::Equal;
                if let Some(last) = self.drop_tests.last_mut() {
                    last.1 = is_equal;
                }
                let is_confirmation = self.drop_tests.len() > 1;
                for number in tested {
                    let rule = &mut self.found.candidates[number].rule;
                    rule.is_droppable = is_equal && (!is_confirmation || rule.is_droppable);
                    let said = if is_equal {
                        "gave the same page"
                    } else {
                        "did not give the page"
                    };
                    rule.evidence += "; leaving it out ";
                    rule.evidence += said;
                }
            }
            None => {}
        }
    }

    /// What was learned. Whatever is still in doubt is no rule.
    pub fn finish(self) -> UrlRules {
        let candidates = self
            .found
            .candidates
            .into_iter()
            .filter(|candidate| !candidate.needs_test);
        UrlRules {
            site: self.base.domain().to_owned(),
            rules: candidates.map(|candidate| candidate.rule).collect(),
            is_order_free: self.found.is_order_free,
            cookies: self.cookies,
            requests: self.requests,
        }
    }
}

/// The URL with the second session's value where `candidate` found the first's.
fn with_second_value(candidate: &Candidate, link: usize, url: &str) -> String {
    let Some(seen) = candidate.seen.iter().find(|seen| seen.link == link) else {
        return url.to_owned();
    };
    let mut text = url.to_owned();
    for piece in split(url) {
        if let Some((range, id)) = candidate.rule.find(&piece, url)
            && id == seen.first
        {
            let depth = piece.steps.len() - 1;
            let mut value = seen.second.clone();
            for _ in 0..depth {
                value = super::clean::percent_escaped(&value);
            }
            text.replace_range(range, &value);
            break;
        }
    }
    text
}

/// The rules that two lists of links suggest by themselves, for people who have no server to ask.
pub(super) fn from_lists(
    first: &[ProbeLink],
    second: &[ProbeLink],
) -> (UrlRules, Vec<(Slot, String, String)>) {
    let found = discover(&Page::new(first), &Page::new(second), None);
    let mut proven: Vec<Candidate> = found.candidates.into_iter().filter(|c| !c.needs_test).collect();
    proven.sort_by_key(|candidate| std::cmp::Reverse(candidate.rule.support));
    let pairs = proven.iter().filter_map(|candidate| {
        let (first, second) = candidate.pair()?;
        Some((candidate.rule.slot.clone(), first.to_owned(), second.to_owned()))
    });
    let pairs = pairs.collect();
    let rules = UrlRules {
        site: first.first().map_or("", |link| link.url.domain()).to_owned(),
        rules: proven.into_iter().map(|candidate| candidate.rule).collect(),
        is_order_free: found.is_order_free,
        ..UrlRules::default()
    };
    (rules, pairs)
}
