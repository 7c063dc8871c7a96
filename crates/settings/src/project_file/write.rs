//! From a project back to its file: only what differs from the defaults, in the order in which it is explained.

use super::settings::{ACTIONS, LASTMOD, SCOPES, SITEMAPS, VERIFY};
use super::steps::page_name;
use super::words::{pattern, sounds_secret};
use gleaner_model::measure::{write_milliseconds, write_seconds, write_size};
use gleaner_model::project::{Notify, PatternKind, Project, Rule, RuleAction};
use gleaner_model::steps::{Auth, Check, Filling, Login, Start, Step, Value, WhichForm};
use std::fmt::Write as _;

/// A file that [`super::read`] reads as the same project.
pub fn write(project: &Project) -> String {
    let mut out = Lines::default();
    let usual = Project::new("", Vec::new());
    out.comment("What to collect; docs/projects.md explains every line.");
    out.text("name", &project.name);
    // A crawl takes the same address twice without a word, a file does not.
    let mut sources: Vec<&str> = Vec::new();
    for seed in &project.seeds {
        if !sources.contains(&seed.as_str()) {
            sources.push(seed);
        }
    }
    if !sources.is_empty() {
        out.key("sources", &list(&sources));
    }
    let word = |word: Option<&str>| word.map(quote).unwrap_or_default();
    out.unusual(
        "scope",
        project.scope == usual.scope,
        &word(name_in(&SCOPES, project.scope)),
    );
    out.unusual(
        "sitemaps",
        project.sitemaps == usual.sitemaps,
        &word(name_in(&SITEMAPS, project.sitemaps)),
    );
    let types: Vec<&str> = project.types.iter().map(|group| group.as_str()).collect();
    out.unusual("types", project.types == usual.types, &list(&types));
    out.unusual("equality", project.equality.is_empty(), &quote(&project.equality));
    out.unusual(
        "retention",
        project.retention == usual.retention,
        &quote(&project.retention.to_string()),
    );
    out.unusual(
        "verify_content",
        project.verify_content == usual.verify_content,
        &word(name_in(&VERIFY, project.verify_content)),
    );
    out.unusual(
        "lastmod",
        project.lastmod == usual.lastmod,
        &word(name_in(&LASTMOD, project.lastmod)),
    );
    out.unusual(
        "document_links",
        project.document_links,
        &project.document_links.to_string(),
    );
    for (key, names) in [("accept", &project.accept), ("reject", &project.reject)] {
        if !names.is_empty() {
            out.key(key, &list(names));
        }
    }
    out.unusual("requisites", !project.requisites, &project.requisites.to_string());
    out.unusual(
        "script_links",
        project.script_links,
        &project.script_links.to_string(),
    );
    out.unusual("schedule", project.schedule.is_empty(), &quote(&project.schedule));
    if let Some(path) = &project.cookies_file {
        out.text("cookies_file", path);
    }
    if let Some(action) = project.rules_default {
        out.key("default_rule", &word(name_in(&ACTIONS, action)));
    }
    if !project.volatile.is_empty() {
        let places: Vec<&str> = project.volatile.iter().map(String::as_str).collect();
        out.key("volatile", &list(&places));
    }
    limits(&mut out, project, &usual);
    manners(&mut out, project, &usual);
    if !project.headers.is_empty() {
        out.section("[headers]", "Sent to the sources and steps, and to nobody else.");
        for (name, values) in grouped(&project.headers) {
            out.key(&key(name), &values_of(name, &values));
        }
    }
    auth(&mut out, &project.auth);
    if let Some(given) = &project.login {
        login(&mut out, given);
    }
    rules(
        &mut out,
        "[[rule]]",
        "The first rule that matches an address decides.",
        &project.rules,
    );
    steps(&mut out, &project.steps);
    notify(&mut out, &project.notify);
    out.text
}

fn limits(out: &mut Lines, project: &Project, usual: &Project) {
    let mut lines = Lines::default();
    let numbers = [
        ("depth", project.depth_max.map(u64::from)),
        ("pages", project.pages_max),
        ("pages_per_host", project.pages_per_host_max),
    ];
    for (key, number) in numbers {
        if let Some(number) = number {
            lines.key(key, &number.to_string());
        }
    }
    if let Some(bytes) = project.bytes_max {
        lines.text("bytes", &write_size(bytes));
    }
    if let Some(seconds) = project.seconds_max {
        lines.text("time", &write_seconds(seconds));
    }
    if project.body_bytes_max != usual.body_bytes_max {
        lines.text("body", &write_size(project.body_bytes_max));
    }
    if project.tries_max != usual.tries_max {
        lines.key("tries", &project.tries_max.to_string());
    }
    out.append("[limits]", "Where a run stops.", &lines);
}

fn manners(out: &mut Lines, project: &Project, usual: &Project) {
    let mut lines = Lines::default();
    if project.delay_ms != usual.delay_ms {
        lines.text("delay", &write_milliseconds(project.delay_ms));
    }
    if project.per_host != usual.per_host {
        lines.key("per_host", &project.per_host.to_string());
    }
    if project.concurrency != usual.concurrency {
        lines.key("concurrency", &project.concurrency.to_string());
    }
    if let Some(bytes) = project.bandwidth_bytes_per_s {
        lines.text("bandwidth", &write_size(bytes));
    }
    if !project.user_agent.is_empty() {
        lines.text("user_agent", &project.user_agent);
    }
    if project.obey_robots != usual.obey_robots {
        lines.key("robots", &project.obey_robots.to_string());
    }
    if project.allow_private != usual.allow_private {
        lines.key("private", &project.allow_private.to_string());
    }
    out.append("[manners]", "How servers are treated.", &lines);
}

fn auth(out: &mut Lines, auth: &Auth) {
    if auth.is_empty() {
        return;
    }
    out.section(
        "[auth]",
        "Who we are, for the sources and steps only; secrets as references.",
    );
    let optional = |out: &mut Lines, key: &str, text: &Option<String>| {
        if let Some(text) = text {
            out.text(key, text);
        }
    };
    optional(out, "user", &auth.user);
    secret(out, "password", auth.password.as_ref());
    secret(out, "bearer", auth.bearer.as_ref());
    optional(out, "certificate", &auth.certificate);
    optional(out, "key", &auth.key);
}

/// A literal one, which no file can have brought in, is not written into one either.
fn secret(out: &mut Lines, key: &str, value: Option<&Value>) {
    match value {
        Some(Value::Secret(at)) => out.text(key, &at.to_string()),
        Some(_) => out.comment(&format!(
            "{key}: it is not written here; write a reference such as \"env:NAME\""
        )),
        None => {}
    }
}

fn login(out: &mut Lines, login: &Login) {
    out.section("[login]", "How to log in, and how to see that it worked.");
    out.text("url", &login.url);
    if login.filling.form != WhichForm::Fitting {
        out.key("form", &which(&login.filling.form));
    }
    filling(out, &login.filling);
    for (key, checks) in [
        ("must_have", &login.must_have),
        ("must_not_have", &login.must_not_have),
    ] {
        let texts: Vec<String> = checks.iter().map(Check::to_string).collect();
        if !texts.is_empty() {
            out.key(key, &one_or_list(&texts));
        }
    }
}

fn rules(out: &mut Lines, header: &str, comment: &str, rules: &[Rule]) {
    for (index, rule) in rules.iter().enumerate() {
        out.section(header, if index == 0 { comment } else { "" });
        let action = match rule.action {
            RuleAction::Allow => "allow",
            RuleAction::Deny => "deny",
        };
        let word = match rule.pattern_kind {
            PatternKind::Regex => "regex:",
            PatternKind::Glob => "glob:",
            PatternKind::Prefix => "prefix:",
        };
        let is_plain = pattern(&rule.pattern) == (rule.pattern_kind, rule.pattern.as_str());
        let word = if is_plain { "" } else { word };
        out.text(action, &format!("{word}{}", rule.pattern));
        if !rule.note.is_empty() {
            out.text("note", &rule.note);
        }
    }
}

fn steps(out: &mut Lines, steps: &[Step]) {
    let mut comment = "What a visitor would do, one step after the other.";
    let mut last = None;
    let mut at = 0;
    while let Some(step) = steps.get(at) {
        let merged = page_of(steps, at);
        let (place, step) = match merged {
            Some(_) => (at + 1, &steps[at + 1]),
            None => (at, step),
        };
        out.section("[[step]]", comment);
        comment = "";
        out.text("name", &step.name);
        if let Some(urls) = merged {
            out.key("url", &one_or_list(urls));
        }
        match &step.start {
            Start::Urls(urls) => out.key("url", &one_or_list(urls)),
            Start::Links(selector) => out.text("links", selector),
            Start::Form(form) => {
                out.key("form", &which(&form.form));
                filling(out, form);
            }
        }
        if merged.is_none() && step.from != last {
            let from = step.from.and_then(|from| steps.get(from));
            if let Some(from) = from {
                out.text("from", &from.name);
            }
        }
        if step.depth > 0 {
            out.key("depth", &step.depth.to_string());
        }
        if !step.keep {
            out.key("keep", "false");
        }
        rules(
            out,
            "[[step.rule]]",
            "Checked before the rules of the project.",
            &step.rules,
        );
        last = Some(place);
        at = place + 1;
    }
}

/// The addresses of the page, where this step and the next were one in the file.
fn page_of(steps: &[Step], at: usize) -> Option<&Vec<String>> {
    let (page, form) = (steps.get(at)?, steps.get(at + 1)?);
    let Start::Urls(urls) = &page.start else {
        return None;
    };
    let is_plain = page.from.is_none() && page.depth == 0 && !page.keep && page.rules.is_empty();
    let is_pair =
        matches!(form.start, Start::Form(_)) && form.from == Some(at) && page.name == page_name(&form.name);
    let users = steps.iter().filter(|step| step.from == Some(at)).count();
    (is_plain && is_pair && users == 1).then_some(urls)
}

fn filling(out: &mut Lines, filling: &Filling) {
    for (name, pairs) in [("fields", &filling.fields), ("extra", &filling.extra)] {
        if pairs.is_empty() {
            continue;
        }
        let shown: Vec<String> = grouped(pairs)
            .into_iter()
            .map(|(field, values)| format!("{} = {}", key(field), values_of(field, &values)))
            .collect();
        out.key(name, &format!("{{ {} }}", shown.join(", ")));
    }
    if let Some(button) = &filling.button {
        out.text("button", button);
    }
}

fn which(form: &WhichForm) -> String {
    match form {
        WhichForm::Fitting => quote("fitting"),
        WhichForm::Action(text) => format!("{{ action = {} }}", quote(text)),
        WhichForm::Name(text) => format!("{{ name = {} }}", quote(text)),
        WhichForm::Id(text) => format!("{{ id = {} }}", quote(text)),
        WhichForm::Selector(text) => format!("{{ selector = {} }}", quote(text)),
        WhichForm::Number(number) => format!("{{ number = {number} }}"),
    }
}

fn notify(out: &mut Lines, list_of: &[Notify]) {
    for (index, one) in list_of.iter().enumerate() {
        let comment = if index == 0 {
            "Who is notified when a run has found something."
        } else {
            ""
        };
        out.section("[[notify]]", comment);
        out.text("to", &one.to);
        if !one.states.is_empty() {
            out.key("states", &list(&one.states));
        }
        secret(out, "secret", one.secret.as_ref());
    }
}

/// Each name once, with all its values, in the order of first mention.
fn grouped(pairs: &[(String, Value)]) -> Vec<(&str, Vec<&Value>)> {
    let mut groups: Vec<(&str, Vec<&Value>)> = Vec::new();
    for (name, value) in pairs {
        match groups.iter_mut().find(|(known, _)| known == name) {
            Some((_, values)) => values.push(value),
            None => groups.push((name, vec![value])),
        }
    }
    groups
}

fn values_of(name: &str, values: &[&Value]) -> String {
    let texts: Vec<String> = values.iter().map(|value| as_given(name, value)).collect();
    one_or_list(&texts)
}

/// A text that looks like a reference, or stands where a secret is expected, says that it is one.
fn as_given(name: &str, value: &Value) -> String {
    match value {
        Value::Text(text) => {
            let is_plain = Value::from(text.as_str()) == *value && (text.is_empty() || !sounds_secret(name));
            if is_plain {
                text.clone()
            } else {
                format!("text:{text}")
            }
        }
        other => other.to_string(),
    }
}

fn name_in<T: PartialEq + Copy>(words: &[(&'static str, T)], value: T) -> Option<&'static str> {
    words
        .iter()
        .find(|(_, known)| *known == value)
        .map(|(word, _)| *word)
}

fn one_or_list<S: AsRef<str>>(texts: &[S]) -> String {
    match texts {
        [one] => quote(one.as_ref()),
        several => list(several),
    }
}

fn list<S: AsRef<str>>(texts: &[S]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| quote(text.as_ref())).collect();
    let short = format!("[{}]", quoted.join(", "));
    if short.len() <= 100 || texts.len() == 1 {
        return short;
    }
    format!("[\n    {},\n]", quoted.join(",\n    "))
}

fn key(name: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !name.is_empty() && name.chars().all(is_bare) {
        name.to_owned()
    } else {
        quote(name)
    }
}

/// Single quotes where double ones would need backslashes: patterns and selectors stay readable.
pub(super) fn quote(text: &str) -> String {
    let needs_escapes = text.contains(['"', '\\']);
    let is_plain = !text.contains(|c: char| c == '\'' || c.is_control());
    if needs_escapes && is_plain {
        return format!("'{text}'");
    }
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn key(&mut self, key: &str, value: &str) {
        self.text.push_str(key);
        self.text.push_str(" = ");
        self.text.push_str(value);
        self.text.push('\n');
    }

    fn text(&mut self, key: &str, text: &str) {
        self.key(key, &quote(text));
    }

    fn unusual(&mut self, key: &str, is_usual: bool, value: &str) {
        if !is_usual {
            self.key(key, value);
        }
    }

    fn comment(&mut self, text: &str) {
        self.text.push_str("# ");
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn section(&mut self, header: &str, comment: &str) {
        self.text.push('\n');
        if !comment.is_empty() {
            self.comment(comment);
        }
        self.text.push_str(header);
        self.text.push('\n');
    }

    fn append(&mut self, header: &str, comment: &str, lines: &Lines) {
        if !lines.text.is_empty() {
            self.section(header, comment);
            self.text.push_str(&lines.text);
        }
    }
}
