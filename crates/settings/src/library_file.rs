//! A library as one TOML file (G1 to G12): read like a project's, every mistake at its place. docs/library.md explains the file.
//!
//! Whether files exist, and which genres and languages there are, is for others to find out: they point at the file through
//! [`Places`].

#[cfg(test)]
mod tests;

use crate::project_file::keys::Kind;
use crate::project_file::section::{Notes, Section};
use crate::project_file::syntax::Damage;
use crate::project_file::words::{address, check_name};
use crate::project_file::{FILE_BYTES_MAX, Mistake, Places, is_path, settings};
use gleaner_model::library::{
    AcceptSettings, DOCUMENT_TYPES, DocumentFilterKind, LibrarySettings, RevisitMode, SearchService,
    StopRuleKind, VisitOrder,
};
use gleaner_model::measure::{seconds, size};
use gleaner_model::schedule;

const ORDERS: [(&str, VisitOrder); 3] = [
    ("best-first", VisitOrder::BestFirst),
    ("breadth-first", VisitOrder::BreadthFirst),
    ("s1", VisitOrder::S1),
];
const REVISITS: [(&str, RevisitMode); 3] = [
    ("index", RevisitMode::Index),
    ("levels", RevisitMode::Levels),
    ("levels-as-printed", RevisitMode::LevelsAsPrinted),
];
const FILTERS: [(&str, DocumentFilterKind); 2] = [
    ("model", DocumentFilterKind::Model),
    ("s1", DocumentFilterKind::S1),
];
const STOPS: [(&str, StopRuleKind); 3] = [
    ("yield", StopRuleKind::Yield),
    ("s1", StopRuleKind::S1),
    ("never", StopRuleKind::Never),
];

/// What was read.
#[derive(Debug, Clone)]
pub struct LibraryFile {
    /// Paths in it are as written: relative to where the file lies.
    pub settings: LibrarySettings,
    pub places: Places,
}

/// Reads a library's file; all mistakes at once, in the order of the file.
pub fn read_bytes(bytes: &[u8]) -> Result<LibraryFile, Vec<Mistake>> {
    match read_with_mistakes(bytes) {
        (Some(file), mistakes) if mistakes.is_empty() => Ok(file),
        (_, mistakes) => Err(mistakes),
    }
}

/// What can be read of a file with mistakes in it, for others who look for more of them; none where it is no TOML.
pub fn read_with_mistakes(bytes: &[u8]) -> (Option<LibraryFile>, Vec<Mistake>) {
    let text = String::from_utf8_lossy(bytes);
    let mut notes = Notes::of(&text);
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        notes.wrong(&(at..at), "this is not UTF-8", "save the file as UTF-8");
        return (None, notes.into_mistakes());
    }
    if bytes.len() > FILE_BYTES_MAX {
        let what = format!("the file is larger than {} MiB", FILE_BYTES_MAX >> 20);
        notes.wrong(
            &(0..0),
            what,
            "a library's file is written by hand; is it the right one?",
        );
        return (None, notes.into_mistakes());
    }
    let (table, errors) = toml::de::DeTable::parse_recoverable(&text);
    let damage = Damage::note(&errors, &table, &mut notes);
    let syntactic = std::mem::take(&mut notes.mistakes);
    let file = Section::new(Kind::Library, "", table.get_ref(), table.span(), &mut notes);
    let settings = settings_of(&file, &mut notes);
    notes.mistakes.retain(|noted| damage.leaves(noted));
    let read = syntactic.is_empty().then(|| LibraryFile {
        settings,
        places: notes.places.clone(),
    });
    notes.mistakes.extend(syntactic);
    (read, notes.into_mistakes())
}

fn settings_of(file: &Section<'_>, notes: &mut Notes) -> LibrarySettings {
    let mut library = LibrarySettings::new(&name(file, notes));
    library.topic = each_once(file, "topic", notes);
    library.examples = places_of(file, "examples", notes);
    library.counterexamples = places_of(file, "counterexamples", notes);
    library.sites = places_of(file, "sites", notes);
    library.order = file.one_of("order", &ORDERS, notes).unwrap_or_default();
    library.revisit = file
        .one_of("revisit", &REVISITS, notes)
        .unwrap_or(match library.order {
            VisitOrder::S1 => RevisitMode::LevelsAsPrinted,
            _ => RevisitMode::default(),
        });
    library.finds_sites = file.yes_or_no("find_sites", notes).unwrap_or(true);
    if let Some((text, at)) = file.words("schedule", notes) {
        match schedule::check(&text) {
            Ok(()) => library.project.schedule = text,
            Err((what, help)) => notes.wrong(&at, what, help),
        }
    }
    accept(file, &mut library, notes);
    limits(file, &mut library, notes);
    settings::manners(file, Kind::LibraryManners, &mut library.project, notes);
    let services = file.sections("service", Kind::Service, notes);
    library.services = services.iter().filter_map(|one| service(one, notes)).collect();
    if library.sites.is_empty() && services.is_empty() && !file.means("sites") {
        notes.missing(
            &(0..0),
            "nothing says where to begin",
            "add sites = [\"https://…\"], or a [[service]] to search with",
        );
    }
    library
}

fn name(file: &Section<'_>, notes: &mut Notes) -> String {
    if !file.means("name") {
        let help = "write name = \"crawling\" as the first line";
        notes.missing(&(0..0), "the library has no name", help);
    }
    let Some((name, at)) = file.text("name", notes) else {
        return String::new();
    };
    if let Err((what, help)) = check_name(&name) {
        notes.wrong(&at, what, help);
    }
    name
}

/// Texts that say something, each once.
fn each_once(section: &Section<'_>, key: &str, notes: &mut Notes) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (text, at) in section.texts(key, notes).unwrap_or_default() {
        let text = text.trim().to_owned();
        if text.is_empty() {
            notes.wrong(&at, format!("an entry of `{key}` is empty"), "leave it out");
        } else if found.contains(&text) {
            notes.wrong(&at, format!("this is listed twice: {text}"), "leave one out");
        } else {
            found.push(text);
        }
    }
    found
}

/// Addresses in their canonical form, and paths.
fn places_of(section: &Section<'_>, key: &str, notes: &mut Notes) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for one in section.texts(key, notes).unwrap_or_default() {
        let text = one.0.trim();
        let is_address = text.contains("://") || text.is_empty();
        let place = if is_address && !is_path(text) {
            let Some(url) = address(text, &one.1, notes) else {
                continue;
            };
            url
        } else {
            text.to_owned()
        };
        if found.contains(&place) {
            notes.wrong(&one.1, format!("this is listed twice: {place}"), "leave one out");
        } else {
            found.push(place);
        }
    }
    found
}

fn accept(file: &Section<'_>, library: &mut LibrarySettings, notes: &mut Notes) {
    if library.order == VisitOrder::S1 {
        library.accept.filter = DocumentFilterKind::S1;
    }
    let Some(section) = file.section("accept", Kind::Accept, notes) else {
        return;
    };
    let mut accept = AcceptSettings {
        filter: library.accept.filter,
        ..AcceptSettings::default()
    };
    accept.genres = each_once(&section, "genres", notes);
    accept.languages = each_once(&section, "languages", notes);
    if let Some(given) = section.texts("types", notes) {
        let words: Vec<(&str, &str)> = DOCUMENT_TYPES.iter().map(|(name, _)| (*name, *name)).collect();
        let mut types = Vec::new();
        for (text, at) in &given {
            let plain = text.trim().trim_start_matches('.').to_lowercase();
            if let Some(one) = crate::project_file::section::one_of("types", &plain, at, &words, notes) {
                types.push(one.to_owned());
            }
        }
        accept.types = types;
    }
    if let Some(bytes) = section.measured("min_size", size, notes) {
        accept.min_bytes = bytes;
    }
    if let Some(bytes) = section.measured("max_size", size, notes) {
        accept.max_bytes = bytes;
        library.project.body_bytes_max = bytes.max(library.project.body_bytes_max.min(bytes));
    }
    if let (true, Some(at)) = (accept.min_bytes > accept.max_bytes, section.key_at("min_size")) {
        notes.wrong(
            &at,
            "no document is larger than `min_size` and smaller than `max_size`",
            "exchange them",
        );
    }
    accept.filter = section.one_of("filter", &FILTERS, notes).unwrap_or(accept.filter);
    for (key, value, most) in [
        ("score", &mut accept.score, 1.0),
        ("topic", &mut accept.topic, 1.0),
        ("uncertain", &mut accept.uncertain, 0.5),
    ] {
        if let Some(given) = section.fraction(key, 0.0, most, notes) {
            *value = given;
        }
    }
    library.accept = accept;
}

fn limits(file: &Section<'_>, library: &mut LibrarySettings, notes: &mut Notes) {
    if let Some(section) = file.section("budget", Kind::Budget, notes) {
        let budget = &mut library.budget;
        for (key, value) in [
            ("pages", &mut budget.pages),
            ("pages_per_site", &mut budget.pages_per_site),
        ] {
            if let Some(given) = section.number(key, 1, i64::MAX as u64, notes) {
                *value = given;
            }
        }
        budget.seconds = section.measured("time", seconds, notes);
        budget.seconds_per_site = section.measured("time_per_site", seconds, notes);
    }
    if let Some(section) = file.section("cycle", Kind::Cycle, notes) {
        let cycle = &mut library.cycle;
        if let Some(places) = section.number("places", 1, 1_000_000, notes) {
            cycle.places = places as usize;
        }
        if let Some(share) = section.fraction("new", 0.0, 1.0, notes) {
            cycle.new_share = share;
        }
        if let Some(wait) = section.measured("wait", seconds, notes) {
            cycle.wait_seconds = wait;
        }
        if let Some(pages) = section.number("trial", 1, i64::MAX as u64, notes) {
            cycle.trial_pages = pages;
        }
    }
    let stop = &mut library.stop;
    if library.order == VisitOrder::S1 {
        stop.rule = StopRuleKind::S1;
    }
    if let Some(section) = file.section("stop", Kind::Stop, notes) {
        stop.rule = section.one_of("rule", &STOPS, notes).unwrap_or(stop.rule);
        if let Some(least) = section.fraction("yield", 0.0, 100.0, notes) {
            stop.yield_min = least;
        }
        if let Some(doubt) = section.fraction("doubt", 0.0, 1.0, notes) {
            stop.doubt = doubt;
        }
        if let Some(pages) = section.number("pages", 0, i64::MAX as u64, notes) {
            stop.pages_min = pages;
        }
    }
}

fn service(section: &Section<'_>, notes: &mut Notes) -> Option<SearchService> {
    for (key, help) in [
        ("name", "add name = \"searx\""),
        ("url", "add url = \"https://…\""),
    ] {
        if !section.means(key) {
            notes.missing(&section.at, format!("the service has no {key}"), help);
        }
    }
    let (name, url) = (section.words("name", notes), section.words("url", notes));
    Some(SearchService {
        name: name?.0,
        url: url?.0,
    })
}
