//! How is the login done, and how is it seen that its session has ended? (A4)
//!
//! The login comes before everything else of a run and is repeated whenever a page of its site shows that the session has
//! ended: what the server sent instead of that page is thrown away and the page is asked for once more. It is asked for
//! without robots.txt, which is for robots that nobody told to log in.

use crate::error::RunError;
use crate::forms::{Filler, SecretLookup, posted};
use crate::fresh::{decoded, fields_of};
use crate::stages::fetch::{Fetched, Fetcher};
use crate::witness::{Sight, Witness, tell};
use gleaner_model::steps::{Check, Login};
use gleaner_model::{GivenUrl, Reason, Url, defaults};
use gleaner_parse::forms::FormRequest;
use gleaner_parse::{Input, Selector, contains_text, content, matches};
use gleaner_units::{Answer, Ask, Exchange};
use std::sync::Arc;

/// A login that is ready to be done.
pub struct PreparedLogin {
    url: Url,
    filler: Filler,
    must_have: Vec<Sign>,
    must_not_have: Vec<Sign>,
    witness: Option<Arc<Witness>>,
}

/// How sure we are to be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entered {
    /// The page after the login shows it.
    Seen,
    /// The form was taken; the next page will show it.
    Believed,
}

/// Something to look for, its selector read.
enum Sign {
    Selector(Selector),
    Text(String),
}

impl Sign {
    fn of(check: &Check) -> Result<Sign, RunError> {
        Ok(match check {
            Check::Text(words) => Sign::Text(words.clone()),
            Check::Selector(text) => Sign::Selector(Selector::check(text).map_err(|e| RunError::Step {
                step: "login".to_owned(),
                why: e.to_string(),
            })?),
        })
    }

    fn is_on(&self, page: &Input<'_>) -> bool {
        match self {
            Sign::Selector(selector) => matches(page, selector),
            Sign::Text(words) => contains_text(page, words),
        }
    }

    fn shown(&self) -> String {
        match self {
            Sign::Selector(selector) => selector.as_str().to_owned(),
            Sign::Text(words) => format!("\"{words}\""),
        }
    }
}

impl PreparedLogin {
    pub fn of(
        login: &Login,
        secrets: &SecretLookup,
        witness: Option<&Arc<Witness>>,
    ) -> Result<PreparedLogin, RunError> {
        let signs = |checks: &[Check]| checks.iter().map(Sign::of).collect::<Result<Vec<_>, _>>();
        Ok(PreparedLogin {
            url: Url::parse(&login.url).map_err(|_| RunError::Seed {
                seed: login.url.clone(),
            })?,
            filler: Filler::of(&login.filling, "login", secrets)?,
            must_have: signs(&login.must_have)?,
            must_not_have: signs(&login.must_not_have)?,
            witness: witness.cloned(),
        })
    }

    /// Logs in. An error says in one sentence why we are not in. `is_hasty` does not look at the page after the login: where
    /// a page waits to be asked for again, that will show it, and costs nobody a request.
    pub async fn enter(&self, fetcher: &Fetcher, is_hasty: bool) -> Result<Entered, String> {
        let page = follow(fetcher, Ask::of(self.url.clone())).await?;
        let sent = on_page(&page, |input| self.filler.send(input))
            .ok_or("the login page cannot be read as HTML")?
            .map_err(|why| format!("the login form cannot be filled in: {why}"))?;
        tell(self.witness.as_ref(), || Sight::Form {
            step: None,
            page: page.url.clone(),
            method: sent.request.method,
            action: sent.action.clone(),
            answer: sent.url.clone(),
            fields: sent.fields.clone(),
        });
        let entered = self.send(fetcher, &sent.request, is_hasty).await;
        entered.map_err(|why| hidden(&why, &sent.request))
    }

    /// Sends the form that was filled in.
    async fn send(
        &self,
        fetcher: &Fetcher,
        request: &FormRequest,
        is_hasty: bool,
    ) -> Result<Entered, String> {
        let ask = ask_of(request);
        let asked = ask.url.clone();
        // Within the site, and not back to the login page: what comes now is only a page to begin with.
        let is_enough = |target: &Url| is_hasty && target.origin() == asked.origin() && !self.is_this(target);
        let Some(answer) = follow_until(fetcher, ask, is_enough).await? else {
            return Ok(Entered::Believed);
        };
        if self.witness.is_some() {
            let content = |input: &Input<'_>| content::read(input.url, input.headers, input.body);
            let text = on_page(&answer, content)
                .flatten()
                .map(|content| content::text(&content));
            tell(self.witness.as_ref(), || Sight::Entered {
                page: answer.url.clone(),
                text: text.unwrap_or_default(),
            });
        }
        match on_page(&answer, |input| self.why_out(input)) {
            Some(None) => Ok(Entered::Seen),
            Some(Some(why)) => Err(format!("the page after the login {why} ({})", answer.url)),
            None => Err(format!(
                "the page after the login cannot be read as HTML ({})",
                answer.url
            )),
        }
    }

    /// Why an answer shows that we are out; none if it does not.
    pub fn is_out(&self, fetched: &Fetched) -> Option<String> {
        let url = fetched.asked.as_ref().unwrap_or(&fetched.page.url);
        if url.origin() != self.url.origin() {
            return None;
        }
        match fetched.answer.as_ref().ok()? {
            Answer::Here(exchange) => {
                let page = Page { url, exchange };
                on_exchange(&page, |input| self.why_out(input)).flatten()
            }
            Answer::Moved(_, redirect) => {
                let target = redirect.target.as_ref().ok()?;
                let leads_to_login = target.origin() == self.url.origin() && target.path() == self.url.path();
                (leads_to_login && !self.is_this(url)).then(|| "leads to the login".to_owned())
            }
            Answer::Unclear(unclear) => {
                matches!(unclear.reason, Reason::HttpUnauthorized | Reason::HttpForbidden)
                    .then(|| format!("is refused ({})", unclear.reason.code()))
            }
            _ => None,
        }
    }

    fn is_this(&self, url: &Url) -> bool {
        url.path() == self.url.path() && url.query() == self.url.query()
    }

    fn why_out(&self, page: &Input<'_>) -> Option<String> {
        if let Some(sign) = self.must_not_have.iter().find(|sign| sign.is_on(page)) {
            return Some(format!("shows {}", sign.shown()));
        }
        let sign = self.must_have.iter().find(|sign| !sign.is_on(page))?;
        Some(format!("does not show {}", sign.shown()))
    }
}

struct Came {
    url: Url,
    exchange: Exchange,
}

struct Page<'a> {
    url: &'a Url,
    exchange: &'a Exchange,
}

fn on_page<T>(came: &Came, look: impl FnOnce(&Input<'_>) -> T) -> Option<T> {
    let page = Page {
        url: &came.url,
        exchange: &came.exchange,
    };
    on_exchange(&page, look)
}

/// Looks at a page of HTML; none for anything else.
fn on_exchange<T>(page: &Page<'_>, look: impl FnOnce(&Input<'_>) -> T) -> Option<T> {
    let media_type = page.exchange.headers.media_type();
    if !matches!(
        media_type.as_deref(),
        None | Some("text/html" | "application/xhtml+xml")
    ) {
        return None;
    }
    let fields = fields_of(page.exchange);
    let body = decoded(&fields, &page.exchange.body)?;
    Some(look(&Input {
        url: page.url,
        headers: &fields,
        body: &body,
        agent: "",
        is_sitemap: false,
    }))
}

/// What is said of a login names addresses, and that of a form that is sent by GET holds the password.
fn hidden(why: &str, request: &FormRequest) -> String {
    let address = &request.url;
    match address.query() {
        Some(_) if request.is_secret => {
            let shown = format!("{}{}?[hidden]", address.origin(), address.path());
            why.replace(address.as_str(), &shown)
        }
        _ => why.to_owned(),
    }
}

fn ask_of(request: &FormRequest) -> Ask {
    let mut ask = Ask::of(request.url.clone());
    if request.method == "POST" {
        let media_type = request.content_type.clone().unwrap_or_default();
        ask.posted = Some(posted(media_type, request.body.clone(), request.is_secret));
    }
    ask
}

/// Asks, and goes where redirects lead.
async fn follow(fetcher: &Fetcher, ask: Ask) -> Result<Came, String> {
    let came = follow_until(fetcher, ask, |_| false).await?;
    came.ok_or_else(|| "the login leads nowhere".to_owned())
}

/// The same, but no further than to a redirect whose target is enough to know: then there is no page.
async fn follow_until(
    fetcher: &Fetcher,
    mut ask: Ask,
    is_enough: impl Fn(&Url) -> bool,
) -> Result<Option<Came>, String> {
    for _ in 0..=defaults::REDIRECTS_MAX {
        ask.headers = Arc::clone(&fetcher.headers);
        let answer = fetcher.units.fetch(&ask).await.map_err(|e| e.to_string())?;
        match answer {
            Answer::Here(exchange) => {
                return Ok(Some(Came {
                    url: ask.url,
                    exchange,
                }));
            }
            Answer::Moved(_, redirect) => {
                let target = redirect.target.map_err(|_| {
                    format!(
                        "the login leads nowhere: {}",
                        GivenUrl::from(redirect.location.as_str())
                    )
                })?;
                if is_enough(&target) {
                    return Ok(None);
                }
                // 307 and 308 want the same question again; the others want a plain one.
                let posted = ask.posted.take().filter(|_| matches!(redirect.status, 307 | 308));
                if posted.is_some() && target.origin() != ask.url.origin() {
                    return Err(format!("the login form would be sent on to {}", target.origin()));
                }
                ask = Ask::of(target);
                ask.posted = posted;
            }
            Answer::Gone(exchange) => return Err(format!("{} answers {}", ask.url, exchange.status)),
            Answer::Unclear(unclear) => {
                let detail = if unclear.detail.is_empty() {
                    unclear.reason.meaning().to_owned()
                } else {
                    unclear.detail
                };
                return Err(match unclear.reason {
                    Reason::HttpUnauthorized | Reason::HttpForbidden if ask.posted.is_some() => {
                        format!("the server refuses what was filled in ({detail}), {}", ask.url)
                    }
                    reason => format!("{}: {} ({detail})", ask.url, reason.code()),
                });
            }
            _ => return Err(format!("{} is no page", ask.url)),
        }
    }
    Err("the login leads through too many redirects".to_owned())
}
