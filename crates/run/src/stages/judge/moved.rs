//! Where does a redirect lead, and is it followed? Loops, chains without end and other schemes end here.

use super::super::follow::Follows;
use super::Bench;
use super::pack::pack_whole;
use gleaner_judge::Finding;
use gleaner_model::{Link, LinkKind, Reason, Url, UrlError, defaults};
use gleaner_store::keep::{Enqueue, Keep};
use gleaner_store::work::{Purpose, Queued};
use gleaner_units::{Exchange, Redirect};
use std::io;

pub(super) fn moved(
    keep: &mut Keep,
    page: &Queued,
    exchange: Option<Exchange>,
    redirect: &Redirect,
    bench: &mut Bench<'_>,
    follows: &mut Follows,
) -> io::Result<Finding<bool>> {
    let cookies_set = exchange.as_ref().is_some_and(|e| e.cookies_set);
    keep.packed = pack_whole(page, exchange, bench)?;
    let mut key = None;
    let identified;
    let identities = &bench.by.sites.identities;
    let is_itself = |target: &Url| *target != page.url && identities.is_one_document(&page.url, target);
    let target = match &redirect.target {
        // The same page under another id, again and again: each of them was asked for.
        Ok(target) if is_itself(target) => target,
        Ok(target) => match identities.identify(target) {
            Some((kept, of)) => {
                identities.note_live(&page.url, [target]);
                key = Some(of);
                identified = kept;
                &identified
            }
            None => target,
        },
        Err(UrlError::Scheme { scheme }) => {
            keep.detail = Some(format!("redirects to scheme {scheme}"));
            return Ok(Finding::NotTaken(Reason::RedirectScheme));
        }
        Err(why) => {
            keep.detail = Some(why.to_string());
            return Ok(Finding::Unclear(Reason::BadRedirect));
        }
    };
    let link = Link {
        url: target.clone(),
        kind: LinkKind::Redirect,
        anchor: String::new(),
        count: 1,
        nofollow: false,
    };
    let is_itself = is_itself(target);
    let leads_back = *target == page.url || page.chain.iter().any(|url| url == target.as_str());
    let hops = page.hops + 1;
    let broken = if hops > defaults::REDIRECTS_MAX {
        Some(Reason::TooManyRedirects)
    } else if is_itself || leads_back && !cookies_set {
        Some(Reason::RedirectLoop)
    } else {
        None
    };
    if let Some(reason) = broken {
        let mut chain = page.chain.clone();
        chain.extend([page.url.to_string(), target.to_string()]);
        keep.detail = Some(chain.join(" > "));
        follows.outlinks.push(&link, None, None);
        return Ok(Finding::Unclear(reason));
    }
    let by = bench.by;
    if page.depth == 0 && page.purpose.is_page() && target.domain() == page.url.domain() {
        // `example.com` is what people type and `www.example.com` is what they mean.
        by.rules.scope.admit(target);
    }
    let mut legs = Vec::new();
    let bond = by.rules.guess(target, Some(&page.url));
    let is_taken = match (page.purpose, &by.rules.way) {
        (Purpose::Sitemap | Purpose::GuessedSitemap | Purpose::FoundSitemap, _) => true,
        (_, None) => follows.decide(by, target, LinkKind::Redirect, page.depth, bond),
        (_, Some(way)) => {
            (legs, _) = way.legs_of_link(by.rules, &page.legs, target, LinkKind::Redirect, bond);
            !legs.is_empty()
        }
    };
    if !is_taken {
        keep.detail = Some(format!("leads out of scope: {target}"));
    } else if page.url.scheme() == "https" && target.scheme() == "http" {
        keep.detail = Some("leads from https to http".to_owned());
    }
    let mut chain = page.chain.clone();
    chain.push(page.url.to_string());
    let queue = is_taken.then_some(Enqueue {
        score: page.score,
        purpose: page.purpose,
        hops,
        chain,
        again: leads_back,
        legs,
        ..Enqueue::page(page.priority, page.depth)
    });
    let key = key.unwrap_or_else(|| link.url.key());
    follows.outlinks.push_as(&link, key, None, queue);
    Ok(Finding::Moved)
}
