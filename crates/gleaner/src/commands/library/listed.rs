//! What a library has: its sites, documents, cycles, statistics, and why.

use super::open::stored;
use super::told::{document_object, tell_cycle, write_document};
use crate::arguments::{Given, LibraryDocuments, LibrarySites, LibraryStatistics};
use crate::output::{Output, WrongUsage};
use gleaner_collect::explain::explain_address;
use gleaner_collect::report::per_100;
use gleaner_collect::sites::{SiteFacts, facts_of};
use gleaner_library::statistics::{PartOf, Tally};
use gleaner_model::clock::SystemClock;
use gleaner_model::{Clock as _, Url};
use gleaner_publish::text::safe;
use gleaner_publish::time;
use gleaner_store::ledger;
use gleaner_store::libraries::{LibrarySite, LibrarySiteState, LibraryVerdict};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn show(data: &Path, library: Option<&Given>, output: Output) -> anyhow::Result<ExitCode> {
    let rows = match library {
        Some(given) => vec![stored(data, given, output)?.1],
        None => ledger::open(data)?.libraries()?,
    };
    let reader = ledger::open(data)?;
    let mut out = output.writer();
    for row in rows {
        let mut states = [0u64; LibrarySiteState::ALL.len()];
        for site in reader.all_library_sites(row.id) {
            let state = site?.state;
            states[LibrarySiteState::ALL
                .iter()
                .position(|one| *one == state)
                .unwrap_or(0)] += 1;
        }
        let mut verdicts = [0u64; LibraryVerdict::ALL.len()];
        for document in reader.all_library_documents(row.id, None) {
            let verdict = document?.verdict;
            verdicts[LibraryVerdict::ALL
                .iter()
                .position(|one| *one == verdict)
                .unwrap_or(0)] += 1;
        }
        let cycles = reader.library_cycles(row.id)?;
        if output.json {
            let sites: serde_json::Map<String, Value> = LibrarySiteState::ALL
                .iter()
                .zip(states)
                .map(|(state, count)| (state.as_str().to_owned(), count.into()))
                .collect();
            let told = json!({
                "library": row.settings.name(), "made_at": time::iso(row.made_at), "cycles": cycles.len(), "sites": sites,
                "accepted": verdicts[0], "rejected": verdicts[1], "uncertain": verdicts[2], "settings": row.settings,
            });
            writeln!(out, "{told}")?;
            continue;
        }
        writeln!(
            out,
            "{}: {}, {} documents accepted, {} rejected, {} uncertain; order {}",
            safe(row.settings.name()),
            time::count(cycles.len() as u64, "cycle"),
            verdicts[0],
            verdicts[1],
            verdicts[2],
            row.settings.order.as_str()
        )?;
        let told: Vec<String> = LibrarySiteState::ALL
            .iter()
            .zip(states)
            .filter(|(_, count)| *count > 0)
            .map(|(state, count)| format!("{count} {}", state.as_str()))
            .collect();
        writeln!(out, "  sites: {}", told.join(", "))?;
        if library.is_some() {
            writeln!(out, "  topic: {}", safe(&row.settings.topic.join(", ")))?;
            if let Some(open) = cycles.last().filter(|cycle| cycle.ended_at.is_none()) {
                writeln!(out, "  cycle {} is under way: {}", open.number, open.phase)?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn sites(data: &Path, which: &LibrarySites, output: Output) -> anyhow::Result<ExitCode> {
    let (reader, row) = stored(data, &which.library, output)?;
    let state = which.state.as_deref().and_then(LibrarySiteState::parse);
    let mut out = output.writer();
    for site in reader.all_library_sites(row.id) {
        let site = site?;
        if state.is_some_and(|state| state != site.state) {
            continue;
        }
        let facts = facts_of(&site)?;
        if output.json {
            writeln!(out, "{}", site_object(&site, &facts))?;
        } else {
            writeln!(
                out,
                "{:<9} {:>3} visits {:>6} requests {:>5} documents {:>5} accepted  {}",
                site.state.as_str(),
                site.visits,
                facts.all.fetches,
                facts.all.downloaded.all,
                facts.all.downloaded.accepted,
                safe(&site.site)
            )?;
            let next = match site.next_visit {
                Some(next) => format!("; next on {}", &time::iso(next)[..10]),
                None if site.visits == 0 => String::new(),
                None => "; not visited again".to_owned(),
            };
            writeln!(out, "          {}{next}", safe(&site.why))?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn site_object(site: &LibrarySite, facts: &SiteFacts) -> Value {
    let all = &facts.all;
    json!({
        "site": site.site, "state": site.state.as_str(), "by": if site.is_by_hand { "person" } else { "library" },
        "starts": site.starts, "visits": site.visits, "level": site.level, "fetches": all.fetches, "pages": all.pages,
        "downloaded": all.downloaded.all, "accepted": all.downloaded.accepted, "rejected": all.downloaded.rejected,
        "per_100": per_100(all.downloaded.accepted, all.fetches), "after_last_accepted": facts.after_last_accepted,
        "left": facts.left, "how_found": facts.how_found, "probability": facts.probability, "why": site.why,
        "last_visit": site.last_visit.map(time::iso), "next_visit": site.next_visit.map(time::iso),
    })
}

pub(super) fn documents(data: &Path, which: &LibraryDocuments, output: Output) -> anyhow::Result<ExitCode> {
    let (reader, row) = stored(data, &which.library, output)?;
    let verdict = if which.accepted {
        Some(LibraryVerdict::Accepted)
    } else if which.rejected {
        Some(LibraryVerdict::Rejected)
    } else {
        which.uncertain.then_some(LibraryVerdict::Uncertain)
    };
    let mut out = output.writer();
    for document in reader.all_library_documents(row.id, verdict) {
        let document = document?;
        if output.json {
            writeln!(out, "{}", document_object(&document))?;
        } else {
            write_document(&mut out, &document)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn cycles(data: &Path, library: &Given, output: Output) -> anyhow::Result<ExitCode> {
    let (reader, row) = stored(data, library, output)?;
    for cycle in reader.library_cycles(row.id)? {
        tell_cycle(&cycle, output)?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn explain(data: &Path, library: &Given, url: &str, output: Output) -> anyhow::Result<ExitCode> {
    let (reader, row) = stored(data, library, output)?;
    let url = address(url)?;
    let now = SystemClock::default().wall();
    let explained = explain_address(&*reader, row.id, &row.settings, &url, now)?;
    let is_known = explained.site.is_some() || !explained.verdicts.is_empty();
    let mut out = output.writer();
    if output.json {
        let verdicts: Vec<Value> = explained.verdicts.iter().map(document_object).collect();
        let site = explained.site.as_ref().zip(explained.facts.as_ref());
        let site = site.map(|(site, facts)| site_object(site, facts));
        let told = json!({ "url": url.as_str(), "said": explained.said, "verdicts": verdicts, "site": site });
        writeln!(out, "{told}")?;
    } else {
        writeln!(out, "{}", safe(url.as_str()))?;
        for said in &explained.said {
            writeln!(out, "  {}", safe(said))?;
        }
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!is_known)))
}

pub(super) fn address(text: &str) -> anyhow::Result<Url> {
    let read = Url::parse(text).or_else(|_| Url::from_user(text));
    Ok(read.map_err(|error| WrongUsage(error.to_string()))?)
}

pub(super) fn statistics(data: &Path, which: &LibraryStatistics, output: Output) -> anyhow::Result<ExitCode> {
    let (reader, row) = stored(data, &which.library, output)?;
    let only = which.site.as_deref().map(address).transpose()?;
    let mut all = Tally::default();
    let mut told = Vec::new();
    for site in reader.all_library_sites(row.id) {
        let site = site?;
        let facts = facts_of(&site)?;
        if only.as_ref().is_some_and(|url| url.origin() != site.site) || site.visits == 0 {
            continue;
        }
        all.merge(&facts.all);
        told.push((site.site, facts.all));
    }
    let mut out = output.writer();
    if output.json {
        for (site, tally) in &told {
            writeln!(out, "{}", tally_object(site, tally))?;
        }
        writeln!(out, "{}", tally_object("", &all))?;
        return Ok(done(&mut out)?);
    }
    for (site, tally) in &told {
        write_tally(&mut out, site, tally)?;
    }
    write_tally(&mut out, &format!("all {} sites", told.len()), &all)?;
    for (what, counts) in [
        ("types", by_name(&all.by_type)),
        ("sizes", by_band(&all)),
        ("levels", by_level(&all)),
    ] {
        if !counts.is_empty() {
            writeln!(out, "  {what}: {}", counts.join(", "))?;
        }
    }
    if !all.errors.is_empty() {
        let errors: Vec<String> = all
            .errors
            .iter()
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        writeln!(out, "  errors: {}", errors.join(", "))?;
    }
    Ok(done(&mut out)?)
}

fn done(out: &mut impl Write) -> std::io::Result<ExitCode> {
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

type Counts = gleaner_library::statistics::DocumentCounts;

fn shown(name: impl std::fmt::Display, counts: Counts) -> String {
    format!("{name} {} of {}", counts.accepted, counts.all)
}

fn by_name(map: &std::collections::BTreeMap<String, Counts>) -> Vec<String> {
    map.iter().map(|(name, counts)| shown(name, *counts)).collect()
}

fn by_band(tally: &Tally) -> Vec<String> {
    let bands = tally.by_size.iter();
    bands
        .map(|(band, counts)| {
            let name = serde_json::to_value(band).ok();
            let name = name
                .and_then(|name| name.as_str().map(str::to_owned))
                .unwrap_or_default();
            shown(name, *counts)
        })
        .collect()
}

fn by_level(tally: &Tally) -> Vec<String> {
    tally
        .by_level
        .iter()
        .map(|(level, counts)| shown(level, *counts))
        .collect()
}

/// A share in percent; nothing where there is no whole.
fn percent(part: PartOf) -> Value {
    part.value()
        .map_or(Value::Null, |share| ((share * 1000.0).round() / 10.0).into())
}

fn tally_object(site: &str, tally: &Tally) -> Value {
    let (fetches, ms) = tally.cost_per_accepted().unzip();
    let name = (!site.is_empty()).then_some(site);
    json!({
        "site": name, "fetches": tally.fetches, "pages": tally.pages, "downloaded": tally.downloaded.all,
        "accepted": tally.downloaded.accepted, "rejected": tally.downloaded.rejected, "ms": tally.time_ms,
        "ddr": percent(tally.download_rate()), "adr": percent(tally.downloaded.accepted_rate()),
        "rdr": percent(tally.downloaded.rejected_rate()), "per_100": percent(tally.harvest()),
        "ssrc": tally.links_from_outside, "linking_domains": tally.linking_domains,
        "foreign_links": percent(tally.foreign_links()), "fetches_per_accepted": fetches, "ms_per_accepted": ms,
        "by_type": tally.by_type, "by_size": tally.by_size, "by_level": tally.by_level, "errors": tally.errors,
    })
}

fn write_tally(out: &mut impl Write, name: &str, tally: &Tally) -> std::io::Result<()> {
    let share = |part: PartOf| {
        let told = part.value().map(|share| format!("{:.1} %", share * 100.0));
        told.unwrap_or_else(|| "–".to_owned())
    };
    writeln!(out, "{}", safe(name))?;
    writeln!(
        out,
        "  {} requests, {} pages, {} documents: {} accepted, {} rejected ({})",
        tally.fetches,
        tally.pages,
        tally.downloaded.all,
        tally.downloaded.accepted,
        tally.downloaded.rejected,
        time::span(tally.time_ms as f64 / 1000.0)
    )?;
    let cost = tally
        .cost_per_accepted()
        .map_or_else(|| "–".to_owned(), |(fetches, _)| format!("{fetches:.1} requests"));
    writeln!(
        out,
        "  DDR {}, ADR {}, RDR {}, {} accepted per 100 requests; an accepted one costs {cost}; SSRC {} from {} domains",
        share(tally.download_rate()),
        share(tally.downloaded.accepted_rate()),
        share(tally.downloaded.rejected_rate()),
        per_100(tally.downloaded.accepted, tally.fetches),
        tally.links_from_outside,
        tally.linking_domains
    )
}
