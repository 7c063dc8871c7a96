//! What does a site offer? Its robots.txt and one page of it, politely, before any project is there.

use crate::arguments::Network;
use crate::commands::company::Company;
use crate::commands::crawl::SOFTWARE;
use crate::commands::engine::Job;
use crate::commands::network::http_settings;
use crate::output::Output;
use gleaner_frontier::{RobotsState, robots::Robots};
use gleaner_model::{LinkKind, Project, ProjectId, RunId, Url, defaults};
use gleaner_parse::forms::{Form, forms};
use gleaner_parse::{Input, parse};
use gleaner_run::fresh::{decoded, fields_of};
use gleaner_units::{Answer, Ask, Exchange, Http, Unit};
use std::sync::Arc;
use tokio::runtime::Runtime;

/// A page and what lies around it.
#[derive(Clone)]
pub(super) struct Offer {
    /// Where redirects led.
    pub(super) url: Url,
    pub(super) title: String,
    /// Why there is little to see.
    pub(super) problem: Option<String>,
    pub(super) robots: Option<String>,
    pub(super) sitemaps: Vec<String>,
    pub(super) feeds: Vec<String>,
    /// Within the site.
    pub(super) links: usize,
    pub(super) links_below: usize,
    pub(super) forms: Vec<Form>,
    /// A link that seems to lead to a login.
    pub(super) login: Option<String>,
}

pub(super) struct Looker {
    http: Http,
    runtime: Runtime,
}

impl Looker {
    pub(super) fn new(url: &Url, network: &Network, output: Output) -> anyhow::Result<Looker> {
        let mut project = Project::new("look", vec![url.clone()]);
        project.allow_private = network.allow_private;
        SOFTWARE.clone_into(&mut project.user_agent);
        let no_secrets = Arc::new(|_: &_| Err(String::new()));
        let nobody = (ProjectId(0), RunId(0));
        let job = Job::new(nobody, &project, network, Company::of(1), no_secrets, output);
        let settings = http_settings(&job, std::slice::from_ref(url), std::env::temp_dir())?;
        Ok(Looker {
            http: Http::new(settings)?,
            runtime: tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?,
        })
    }

    /// What a page offers. That it cannot be had is told in the offer: the user may know better.
    pub(super) fn look(&self, url: &Url) -> anyhow::Result<Offer> {
        let mut offer = Offer {
            url: url.clone(),
            title: String::new(),
            problem: None,
            robots: None,
            sitemaps: Vec::new(),
            feeds: Vec::new(),
            links: 0,
            links_below: 0,
            forms: Vec::new(),
            login: None,
        };
        if !url.is_web() {
            return Ok(offer);
        }
        self.runtime.block_on(async {
            if self.read_robots(&mut offer).await? {
                self.read_page(&mut offer).await?;
            }
            Ok(offer)
        })
    }

    /// False where it forbids the page.
    async fn read_robots(&self, offer: &mut Offer) -> anyhow::Result<bool> {
        let Ok(url) = offer.url.join("/robots.txt") else {
            return Ok(true);
        };
        let answer = self.http.fetch(&Ask::of(url)).await?;
        let Answer::Here(exchange) = answer else {
            offer.robots = Some("none, everything is allowed".to_owned());
            return Ok(true);
        };
        let body = decoded(&fields_of(&exchange), &exchange.body).unwrap_or_default();
        let robots = Robots::parse(&body, defaults::AGENT_TOKEN);
        offer.sitemaps = robots.sitemaps().to_vec();
        let pace = robots.crawl_delay().map_or(String::new(), |delay| {
            format!(", {} seconds between two pages", delay.as_secs_f64())
        });
        let refused = RobotsState::Rules(robots).refuses(&offer.url);
        offer.robots = Some(match refused {
            Some(_) => format!("forbids this page{pace}"),
            None => format!("allows this page{pace}"),
        });
        if refused.is_some() {
            offer.problem = Some("robots.txt forbids this page, so it was not looked at".to_owned());
        }
        Ok(refused.is_none())
    }

    async fn read_page(&self, offer: &mut Offer) -> anyhow::Result<()> {
        for _ in 0..=defaults::REDIRECTS_MAX {
            match self.http.fetch(&Ask::of(offer.url.clone())).await? {
                Answer::Here(exchange) => {
                    read(offer, &exchange);
                    return Ok(());
                }
                Answer::Moved(_, redirect) => match redirect.target {
                    Ok(target) => offer.url = target,
                    Err(_) => break,
                },
                Answer::Gone(exchange) => {
                    offer.problem = Some(format!("the server answers {}", exchange.status));
                    return Ok(());
                }
                Answer::Unclear(unclear) => {
                    offer.problem = Some(format!("{} ({})", unclear.reason.meaning(), unclear.detail));
                    return Ok(());
                }
                _ => break,
            }
        }
        offer.problem = Some("there is no page at this address".to_owned());
        Ok(())
    }
}

fn read(offer: &mut Offer, exchange: &Exchange) {
    let fields = fields_of(exchange);
    let Some(body) = decoded(&fields, &exchange.body) else {
        offer.problem = Some("the page cannot be read".to_owned());
        return;
    };
    let url = offer.url.clone();
    let input = Input {
        url: &url,
        headers: &fields,
        body: &body,
        agent: "",
        is_sitemap: false,
    };
    let parsed = parse(&input);
    offer.title.clone_from(&parsed.title);
    let folder = super::folder_of(&url);
    let inside = parsed
        .links
        .iter()
        .filter(|link| link.url.origin() == url.origin());
    for link in inside {
        match link.kind {
            LinkKind::Feed => offer.feeds.push(link.url.to_string()),
            LinkKind::Anchor | LinkKind::Area | LinkKind::Frame | LinkKind::Iframe => {
                offer.links += 1;
                offer.links_below += usize::from(link.url.path().starts_with(folder));
                let said = format!("{} {}", link.anchor, link.url.request_target()).to_lowercase();
                let is_login = [
                    "login",
                    "log in",
                    "log-in",
                    "signin",
                    "sign in",
                    "anmelden",
                    "einloggen",
                    "connexion",
                ];
                if offer.login.is_none() && is_login.iter().any(|word| said.contains(word)) {
                    offer.login = Some(link.url.to_string());
                }
            }
            _ => {}
        }
    }
    offer.forms = forms(&input).into_vec();
}
