//! `gleaner rules`: what is volatile in a site's URLs, why we think so, and a person's word against it.

use crate::arguments::Rules as Arguments;
use crate::commands::crawl::{only_project, open};
use crate::output::{Output, WrongUsage};
use anyhow::{Context, bail};
use gleaner_history::noise::keys_under;
use gleaner_judge::identity::{RuleKind, RuleOrigin, Slot, UrlRule, UrlRules};
use gleaner_judge::site::site_of;
use gleaner_model::{GivenUrl, Url};
use gleaner_publish::report::safe;
use gleaner_store::runs::Runs as _;
use gleaner_store::runs::SiteRules;
use gleaner_store::sites::Sites as _;
use gleaner_store::{ledger, wait};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn rules(data: &Path, arguments: &Arguments, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let name = match &arguments.project {
        Some(name) => name.clone(),
        None => only_project(&*reader)?,
    };
    let (id, _) = reader
        .find_project(&name)?
        .with_context(|| format!("there is no such project: {name}"))?;
    let site = arguments.site.as_deref().map(site_named);
    let stored: Vec<SiteRules> = reader
        .all_site_rules(id)?
        .into_iter()
        .filter(|stored| site.as_ref().is_none_or(|site| *site == stored.site))
        .collect();
    drop(reader);
    if !arguments.changes() {
        return list(&stored, site.as_deref(), output);
    }
    let Some(site) = site else {
        return Err(WrongUsage(
            "name the site whose rules are to be changed, for example `gleaner rules https://example.com/ --forget 1`"
                .to_owned(),
        )
        .into());
    };
    let before = stored.into_iter().next();
    let mut rules = match &before {
        Some(stored) => read(stored)?,
        None => UrlRules::new(&site),
    };
    let mut is_pinned = before.as_ref().is_some_and(|stored| stored.is_pinned);
    if let Some(slot) = &arguments.add {
        rules.add(UrlRule {
            is_droppable: !arguments.required,
            ..UrlRule::from_user(slot_named(slot)?, RuleKind::Session)
        });
    }
    if let Some(slot) = &arguments.forget {
        if slot == "all" {
            rules.rules.clear();
        } else {
            let slot = one_of(&rules, slot)?;
            rules.forget(&slot);
        }
    }
    for (slot, is_on) in [(&arguments.off, false), (&arguments.on, true)] {
        if let Some(slot) = slot {
            let slot = one_of(&rules, slot)?;
            rules.switch(&slot, is_on);
        }
    }
    is_pinned = (is_pinned || arguments.pin) && !arguments.unpin;
    let store = open(data, output)?;
    let domain = site.split(':').next().unwrap_or(&site).to_owned();
    let text = serde_json::to_string(&rules)?;
    let keys = keys_under(&store, &domain, &rules)?;
    wait(store.set_rules(id, site.clone(), text, is_pinned, keys))?;
    wait(store.tidy())?;
    drop(store);
    let reader = ledger::open(data)?;
    let stored: Vec<SiteRules> = reader
        .all_site_rules(id)?
        .into_iter()
        .filter(|s| s.site == site)
        .collect();
    list(&stored, Some(&site), output)
}

fn list(stored: &[SiteRules], site: Option<&str>, output: Output) -> anyhow::Result<ExitCode> {
    let mut out = output.writer();
    for one in stored {
        let rules = read(one)?;
        if output.json {
            for (number, rule) in rules.rules.iter().enumerate() {
                let line = json!({
                    "site": one.site,
                    "number": number + 1,
                    "slot": rule.slot.to_string(),
                    "kind": rule.kind,
                    "droppable": rule.is_droppable,
                    "support": rule.support,
                    "evidence": rule.evidence,
                    "origin": rule.origin,
                    "on": rule.is_on,
                    "pinned": one.is_pinned,
                });
                writeln!(out, "{line}")?;
            }
            continue;
        }
        let pinned = if one.is_pinned { ", pinned" } else { "" };
        let order = if rules.is_order_free {
            ", the order of parameters does not matter"
        } else {
            ""
        };
        match rules.rules.len() {
            0 => writeln!(
                out,
                "{}: nothing volatile found in its URLs{order}{pinned}",
                safe(&one.site)
            )?,
            _ => writeln!(out, "{}{order}{pinned}", safe(&one.site))?,
        }
        for (number, rule) in rules.rules.iter().enumerate() {
            writeln!(out, "  {}  {}", number + 1, describe(rule))?;
        }
    }
    if stored.is_empty() && !output.json {
        match site {
            Some(site) => {
                let site = GivenUrl::from(site).to_string();
                writeln!(out, "no rules for this site yet: {}", safe(&site))?;
            }
            None => writeln!(out, "no rules yet; tracking a project finds them")?,
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn describe(rule: &UrlRule) -> String {
    let kind = match rule.kind {
        RuleKind::Session => "a session ID",
        RuleKind::Clock => "a value that differs at every fetch",
        RuleKind::Nonce => "a value that differs on every link",
        RuleKind::Volatile => "volatile",
    };
    let form = if rule.is_droppable {
        "left out of requests"
    } else {
        "kept in requests, not part of the identity"
    };
    let off = if rule.is_on { "" } else { " (off)" };
    let evidence = match (rule.origin, rule.evidence.as_str()) {
        (RuleOrigin::User, _) | (_, "") => "added by hand".to_owned(),
        (RuleOrigin::Learned, evidence) => safe(evidence),
    };
    format!(
        "{}{off}: {kind}, {form}; {evidence}",
        safe(&rule.slot.to_string())
    )
}

fn read(stored: &SiteRules) -> anyhow::Result<UrlRules> {
    serde_json::from_str(&stored.rules)
        .with_context(|| format!("the stored rules of this site cannot be read: {}", stored.site))
}

/// A URL, a host or a site as listed.
fn site_named(text: &str) -> String {
    let with_scheme = if text.contains("://") {
        text.to_owned()
    } else {
        format!("http://{text}/")
    };
    Url::parse(&with_scheme).map_or_else(|_| text.to_owned(), |url| site_of(&url))
}

fn slot_named(text: &str) -> anyhow::Result<Slot> {
    let wrong = || {
        WrongUsage(format!(
            "a place in a URL is written ?name (query) or ;name (path); this is neither: {text}"
        ))
    };
    Ok(Slot::named(text).ok_or_else(wrong)?)
}

/// A rule by its number in the list, or by its place.
fn one_of(rules: &UrlRules, text: &str) -> anyhow::Result<Slot> {
    let slot = if let Ok(number) = text.parse::<usize>() {
        let rule = rules.rules.get(number.wrapping_sub(1));
        rule.map(|rule| rule.slot.clone())
    } else {
        let slot = slot_named(text)?;
        let is_there = rules.rules.iter().any(|rule| rule.slot == slot);
        is_there.then_some(slot)
    };
    let Some(slot) = slot else {
        bail!("there is no such rule; `gleaner rules` lists them: {text}");
    };
    Ok(slot)
}
