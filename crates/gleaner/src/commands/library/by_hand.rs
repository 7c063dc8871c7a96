//! What a person decides about documents and sites.

use super::listed::address;
use super::open::stored;
use super::told::{document_object, write_document};
use crate::arguments::{DecideSite, OverruleDocuments};
use crate::commands::convert::pool_for_runs;
use crate::commands::crawl::open as open_store;
use crate::output::{Output, WrongUsage};
use anyhow::bail;
use gleaner_collect::sites::{facts_of, new_site};
use gleaner_collect::{Collecting, CycleEvent, LibraryStore, teach};
use gleaner_library::genre::Genre;
use gleaner_model::Clock as _;
use gleaner_model::clock::SystemClock;
use gleaner_store::libraries::{Libraries as _, LibraryChange, LibrarySiteState};
use gleaner_store::wait;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) fn overrule(
    data: &Path,
    decision: &OverruleDocuments,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let genre = match &decision.genre {
        Some(name) => Some(Genre::parse(name).ok_or_else(|| {
            let known: Vec<&str> = Genre::ALL.into_iter().map(Genre::as_str).collect();
            WrongUsage(format!(
                "there is no such genre (there are: {}): {name}",
                known.join(", ")
            ))
        })?),
        None => None,
    };
    let accept = match (decision.accept, decision.reject, decision.undo) {
        (true, ..) => Some(true),
        (_, true, _) => Some(false),
        (.., true) => None,
        _ => match genre {
            Some(genre) => Some(genre.is_accepted()),
            None => return Err(WrongUsage("say --accept, --reject, --genre or --undo".to_owned()).into()),
        },
    };
    let (reader, row) = stored(data, &decision.library, output)?;
    let mut documents = Vec::new();
    for given in &decision.documents {
        documents.push(reader.document_named(given)?);
    }
    let store = open_store(data, output)?;
    let (stop, tell) = (AtomicBool::new(false), |_: CycleEvent| {});
    let collecting = Collecting {
        store: &store as &dyn LibraryStore,
        readers: pool_for_runs(),
        clock: Arc::new(SystemClock::default()),
        library: row.id,
        project: row.project,
        settings: Arc::new(row.settings),
        stop: &stop,
        told: &tell,
    };
    let mut out = output.writer();
    for document in documents {
        let (judged, contradictions) = teach::overrule(&collecting, document, accept, genre)?;
        if output.json {
            writeln!(out, "{}", document_object(&judged))?;
        } else {
            write_document(&mut out, &judged)?;
        }
        for contradiction in contradictions {
            output.say(&contradiction);
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn site(data: &Path, decision: &DecideSite, output: Output) -> anyhow::Result<ExitCode> {
    let state = match (decision.active, decision.stop, decision.reject, decision.forget) {
        (true, ..) => Some(LibrarySiteState::Active),
        (_, true, ..) => Some(LibrarySiteState::Stopped),
        (_, _, true, _) => Some(LibrarySiteState::Rejected),
        (.., true) => None,
        _ => return Err(WrongUsage("say --active, --stop, --reject or --forget".to_owned()).into()),
    };
    let (reader, row) = stored(data, &decision.library, output)?;
    let url = address(&decision.site)?;
    let name = url.origin().to_owned();
    let known = gleaner_collect::sites::all_sites(&*reader, row.id)?.remove(&name);
    let now = SystemClock::default().wall();
    let mut site = match (known, state) {
        (Some(site), _) => site,
        (None, Some(state)) => new_site(&name, vec![url.to_string()], state, "named by a person", "")?,
        (None, None) => bail!("the library does not know this site: {name}"),
    };
    if let Some(state) = state {
        (site.state, site.is_by_hand) = (state, true);
        "a person decided so".clone_into(&mut site.why);
        site.next_visit = match state {
            LibrarySiteState::Active => Some(now),
            LibrarySiteState::Rejected => None,
            _ => site.next_visit,
        };
    } else {
        site.is_by_hand = false;
        let facts = facts_of(&site)?;
        site.state = match (site.visits, facts.all.downloaded.accepted) {
            (0, _) => LibrarySiteState::Candidate,
            (_, 0) => LibrarySiteState::Stopped,
            _ => LibrarySiteState::Active,
        };
        "the library decides again".clone_into(&mut site.why);
        site.next_visit = site.last_visit.map(|_| now);
    }
    let mut out = output.writer();
    if output.json {
        let told = serde_json::json!({ "site": site.site, "state": site.state.as_str(), "why": site.why });
        writeln!(out, "{told}")?;
    } else {
        writeln!(out, "{:<9} {}  {}", site.state.as_str(), site.site, site.why)?;
    }
    let store = open_store(data, output)?;
    let change = LibraryChange {
        sites: vec![site],
        ..LibraryChange::default()
    };
    wait(store.keep_library(row.id, change))?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
