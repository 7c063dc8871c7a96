//! Everything of a project file that is not a step: what to take, limits, manners, who we are, who is told.

use super::forms::field_texts;
use super::keys::Kind;
use super::section::{At, Notes, Section, one_of};
use super::words::{address, check_name, sounds_secret, source, value};
use gleaner_model::State;
use gleaner_model::measure::{milliseconds, seconds, size};
use gleaner_model::project::{
    Lastmod, Notify, Project, Retention, RuleAction, ScopeKind, Sitemaps, TypeGroup, VerifyContent,
};
use gleaner_model::schedule;
use gleaner_model::steps::{Auth, Value};

pub(crate) const SCOPES: [(&str, ScopeKind); 5] = [
    ("host", ScopeKind::Host),
    ("domain", ScopeKind::Domain),
    ("subtree", ScopeKind::Subtree),
    ("list", ScopeKind::List),
    ("web", ScopeKind::Web),
];
pub(crate) const SITEMAPS: [(&str, Sitemaps); 3] = [
    ("auto", Sitemaps::Auto),
    ("on", Sitemaps::On),
    ("off", Sitemaps::Off),
];
pub(crate) const VERIFY: [(&str, VerifyContent); 3] = [
    ("never", VerifyContent::Never),
    ("sample", VerifyContent::Sample),
    ("all", VerifyContent::All),
];

pub(crate) const LASTMOD: [(&str, Lastmod); 3] = [
    ("earned", Lastmod::Earned),
    ("always", Lastmod::Always),
    ("never", Lastmod::Never),
];
pub(crate) const ACTIONS: [(&str, RuleAction); 2] =
    [("allow", RuleAction::Allow), ("deny", RuleAction::Deny)];

pub(crate) fn read(file: &Section<'_>, notes: &mut Notes) -> Project {
    let name = name(file, notes);
    let mut project = Project::new(&name, Vec::new());
    project.seeds = sources(file, notes);
    project.scope = file.one_of("scope", &SCOPES, notes).unwrap_or_default();
    project.sitemaps = file.one_of("sitemaps", &SITEMAPS, notes).unwrap_or_default();
    if let Some(types) = types(file, notes) {
        project.types = types;
    }
    project.equality = file
        .words("equality", notes)
        .map_or_else(String::new, |(text, _)| text);
    retention(file, &mut project, notes);
    project.verify_content = file.one_of("verify_content", &VERIFY, notes).unwrap_or_default();
    project.lastmod = file.one_of("lastmod", &LASTMOD, notes).unwrap_or_default();
    project.document_links = file.yes_or_no("document_links", notes).unwrap_or(true);
    project.accept = file_names(file, "accept", notes);
    project.reject = file_names(file, "reject", notes);
    project.requisites = file.yes_or_no("requisites", notes).unwrap_or(false);
    project.script_links = file.yes_or_no("script_links", notes).unwrap_or(true);
    if let Some((text, at)) = file.words("schedule", notes) {
        match schedule::check(&text) {
            Ok(()) => project.schedule = text,
            Err((what, help)) => notes.wrong(&at, what, help),
        }
    }
    project.cookies_file = file.words("cookies_file", notes).map(|(path, _)| path);
    project.rules_default = file.one_of("default_rule", &ACTIONS, notes);
    project.volatile = volatile(file, notes);
    limits(file, &mut project, notes);
    manners(file, Kind::Manners, &mut project, notes);
    project.headers = headers(file, notes);
    project.auth = auth(file, notes);
    project.notify = file
        .sections("notify", Kind::Notify, notes)
        .iter()
        .filter_map(|section| notify(section, notes))
        .collect();
    project
}

fn name(file: &Section<'_>, notes: &mut Notes) -> String {
    if !file.means("name") {
        notes.missing(
            &(0..0),
            "the project has no name",
            "write name = \"my-board\" as the first line",
        );
    }
    let Some((name, at)) = file.text("name", notes) else {
        return String::new();
    };
    if let Err((what, help)) = check_name(&name) {
        notes.wrong(&at, what, help);
    }
    name
}

fn sources(file: &Section<'_>, notes: &mut Notes) -> Vec<String> {
    let has_steps = file.has("step") || file.has("steps");
    let Some(given) = file.texts("sources", notes) else {
        if !file.means("sources") && !has_steps {
            notes.missing(
                &(0..0),
                "nothing says where to begin",
                "add sources = [\"https://…\"] at the top, or a [[step]] with a url",
            );
        }
        return Vec::new();
    };
    if given.is_empty()
        && !has_steps
        && let Some(entry) = file.entry("sources")
    {
        let at = entry.value.span();
        notes.wrong(
            &at,
            "nothing says where to begin",
            "write sources = [\"https://…\"]",
        );
    }
    let mut sources = Vec::new();
    for one in &given {
        let Some(source) = source(one, notes) else {
            continue;
        };
        if sources.contains(&source) {
            notes.wrong(
                &one.1,
                format!("this source is listed twice: {source}"),
                "leave one out",
            );
        }
        sources.push(source);
    }
    sources
}

/// `?name` in the query, `;name` in the path.
fn volatile(file: &Section<'_>, notes: &mut Notes) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for (text, at) in file.texts("volatile", notes).unwrap_or_default() {
        let name = text.strip_prefix(['?', ';']).unwrap_or_default();
        if name.is_empty() || name.contains(['=', '&', '?', ';', '/']) {
            notes.wrong(
                &at,
                format!("this is not a part of an address: {text}"),
                "write \"?name\" for name=… in the query, or \";name\" in the path",
            );
        } else if places.contains(&text) {
            notes.wrong(&at, format!("this part is listed twice: {text}"), "leave one out");
        } else {
            places.push(text);
        }
    }
    places
}

/// Patterns of file names, as `*.pdf`, or how they end.
fn file_names(file: &Section<'_>, key: &str, notes: &mut Notes) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (text, at) in file.texts(key, notes).unwrap_or_default() {
        if text.trim().is_empty() || text.contains('/') {
            notes.wrong(
                &at,
                format!("this is not a pattern for file names: {text:?}"),
                "write \"*.pdf\" or \"pdf\"; use [[rule]] for the rest of the address",
            );
        } else if names.contains(&text) {
            notes.wrong(
                &at,
                format!("this pattern is listed twice: {text}"),
                "leave one out",
            );
        } else {
            names.push(text);
        }
    }
    names
}

fn types(file: &Section<'_>, notes: &mut Notes) -> Option<Vec<TypeGroup>> {
    let given = file.texts("types", notes)?;
    let mut words: Vec<(&str, Option<TypeGroup>)> = TypeGroup::ALL
        .iter()
        .map(|group| (group.as_str(), Some(*group)))
        .collect();
    words.push(("all", None));
    let mut types = Vec::new();
    for (text, at) in &given {
        match one_of("types", text, at, &words, notes) {
            Some(Some(group)) if types.contains(&group) => {
                notes.wrong(at, format!("this type is listed twice: {text}"), "leave one out");
            }
            Some(Some(group)) => types.push(group),
            Some(None) => return Some(TypeGroup::ALL.to_vec()),
            None => {}
        }
    }
    if given.is_empty()
        && let Some(entry) = file.entry("types")
    {
        let at = entry.value.span();
        notes.wrong(
            &at,
            "without any type nothing would be kept",
            "write types = [\"html\", \"documents\"], or leave the line out",
        );
    }
    Some(types)
}

/// `all`, `5`, `90d`; the number also without quotes.
fn retention(file: &Section<'_>, project: &mut Project, notes: &mut Notes) {
    let Some(entry) = file.entry("retention") else {
        return;
    };
    if entry.value.get_ref().is_integer() {
        let most = u32::MAX.into();
        if let Some(versions) = file.number("retention", 1, most, notes) {
            project.retention = Retention::Versions(versions as u32);
        }
        return;
    }
    let Some((text, at)) = file.text("retention", notes) else {
        return;
    };
    match text.parse() {
        Ok(retention) => project.retention = retention,
        Err(help) => notes.wrong(&at, format!("`retention` cannot be \"{text}\""), help),
    }
}

fn limits(file: &Section<'_>, project: &mut Project, notes: &mut Notes) {
    let Some(section) = file.section("limits", Kind::Limits, notes) else {
        return;
    };
    let small = u32::MAX.into();
    project.depth_max = section.number("depth", 0, small, notes).map(|depth| depth as u32);
    project.pages_max = section.number("pages", 0, u64::MAX, notes);
    project.pages_per_host_max = section.number("pages_per_host", 0, u64::MAX, notes);
    project.bytes_max = section.measured("bytes", size, notes);
    project.seconds_max = section.measured("time", seconds, notes);
    if let Some(bytes) = section.measured("body", size, notes) {
        project.body_bytes_max = bytes;
    }
    if let Some(tries) = section.number("tries", 1, small, notes) {
        project.tries_max = tries as u32;
    }
}

pub(crate) fn manners(file: &Section<'_>, kind: Kind, project: &mut Project, notes: &mut Notes) {
    let Some(section) = file.section("manners", kind, notes) else {
        return;
    };
    if let Some(delay) = section.measured("delay", milliseconds, notes) {
        project.delay_ms = delay;
    }
    if let Some(connections) = section.number("per_host", 1, u32::MAX.into(), notes) {
        project.per_host = connections as usize;
    }
    if let Some(pages) = section.number("concurrency", 1, u32::MAX.into(), notes) {
        project.concurrency = pages as usize;
    }
    project.bandwidth_bytes_per_s = section.measured("bandwidth", size, notes);
    if let Some((agent, at)) = section.words("user_agent", notes) {
        if agent.contains(|c: char| c.is_control()) {
            notes.wrong(
                &at,
                "a user agent is sent in a header, so it must not contain line breaks or control characters",
                "write it on one line",
            );
        }
        project.user_agent = agent;
    }
    if let Some(obey) = section.yes_or_no("robots", notes) {
        project.obey_robots = obey;
    }
    if let Some(private) = section.yes_or_no("private", notes) {
        project.allow_private = private;
    }
}

fn headers(file: &Section<'_>, notes: &mut Notes) -> Vec<(String, Value)> {
    let Some(section) = file.section("headers", Kind::Headers, notes) else {
        return Vec::new();
    };
    let mut headers: Vec<(String, Value)> = Vec::new();
    for entry in &section.entries {
        let name = entry.key;
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            notes.wrong(
                &entry.key_at,
                format!("not the name of a header: {name}"),
                "it can contain letters, digits and -, as in Accept-Language",
            );
            continue;
        }
        if headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            notes.wrong(
                &entry.key_at,
                format!("this header is listed already, with other capitals: {name}"),
                "for several values write a list",
            );
        }
        for text in field_texts(name, entry.value, notes) {
            if text.0.contains(|c: char| c.is_control()) {
                notes.wrong(
                    &text.1,
                    "a header must not contain line breaks or control characters",
                    "write it on one line",
                );
            }
            let is_secret = sounds_secret(name) && !text.0.starts_with("text:");
            match value(name, &text, is_secret, notes) {
                Some(Value::Upload(_)) => {
                    notes.wrong(
                        &text.1,
                        "a header cannot upload a file",
                        "write file:PATH for the first line of a file",
                    );
                }
                Some(value) => headers.push((name.to_owned(), value)),
                None => {}
            }
        }
    }
    headers
}

fn auth(file: &Section<'_>, notes: &mut Notes) -> Auth {
    let Some(section) = file.section("auth", Kind::Auth, notes) else {
        return Auth::default();
    };
    let secret = |key: &str, notes: &mut Notes| {
        let given = section.words(key, notes)?;
        reference(key, &given, notes)
    };
    let auth = Auth {
        user: section.words("user", notes).map(|(user, _)| user),
        password: secret("password", notes),
        bearer: secret("bearer", notes),
        certificate: section.words("certificate", notes).map(|(path, _)| path),
        key: section.words("key", notes).map(|(path, _)| path),
    };
    if let (Some(at), false) = (section.key_at("password"), section.has("user")) {
        notes.wrong(&at, "a password without a user", "add user = \"…\"");
    }
    auth
}

/// A secret, which can only be a reference.
fn reference(key: &str, given: &At<String>, notes: &mut Notes) -> Option<Value> {
    let value = value(key, given, true, notes)?;
    if value.is_secret() {
        return Some(value);
    }
    notes.wrong(
        &given.1,
        format!("`{key}` is a secret, and this is not a reference to one"),
        "write \"env:NAME\", \"file:PATH\" or \"secret:NAME\"",
    );
    None
}

fn notify(section: &Section<'_>, notes: &mut Notes) -> Option<Notify> {
    if !section.means("to") {
        notes.missing(
            &section.at,
            "nobody would be notified",
            "add to = \"https://…\" or to = \"mailto:me@example.com\"",
        );
    }
    let to = section.words("to", notes).and_then(|(text, at)| {
        if let Some(mail) = text.strip_prefix("mailto:") {
            let is_mail = mail
                .split_once('@')
                .is_some_and(|(user, host)| !user.is_empty() && !host.is_empty());
            if is_mail && !mail.contains(char::is_whitespace) {
                return Some(text);
            }
            let what = format!("not an email address: {mail}");
            notes.wrong(&at, what, "write it as mailto:me@example.com");
            return None;
        }
        if text.contains('@') && !text.contains("://") {
            let what = "an email address needs `mailto:` in front";
            notes.wrong(&at, what, format!("write \"mailto:{text}\""));
            return None;
        }
        let url = address(&text, &at, notes)?;
        if url.starts_with("http") {
            return Some(url);
        }
        let what = format!("this reaches nobody: {text}");
        notes.wrong(&at, what, "write https://… or mailto:…");
        None
    });
    let mut states = Vec::new();
    let words: Vec<(&str, State)> = State::ALL.iter().map(|state| (state.as_str(), *state)).collect();
    for (text, at) in section.texts("states", notes).unwrap_or_default() {
        if let Some(state) = one_of("states", &text, &at, &words, notes) {
            let word = state.as_str().to_owned();
            if states.contains(&word) {
                notes.wrong(
                    &at,
                    format!("this state is listed twice: {word}"),
                    "leave one out",
                );
            }
            states.push(word);
        }
    }
    let secret = section
        .words("secret", notes)
        .and_then(|given| reference("secret", &given, notes));
    if let (Some(at), Some(true)) = (
        section.key_at("secret"),
        to.as_ref().map(|to| to.starts_with("mailto:")),
    ) {
        notes.wrong(&at, "emails are not signed", "leave `secret` out");
    }
    Some(Notify {
        to: to?,
        states,
        secret,
    })
}
