//! Which keys are there, in which section, and which one was meant?

/// A table of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Limits,
    Manners,
    Headers,
    Auth,
    Login,
    Rule,
    Step,
    StepRule,
    Notify,
    Form,
    /// Names and values of a form's fields: any key.
    Fields,
    /// The file of a library, and its tables.
    Library,
    Accept,
    Budget,
    Cycle,
    Stop,
    LibraryManners,
    Service,
}

impl Kind {
    const WITH_KEYS: [Kind; 9] = [
        Kind::File,
        Kind::Limits,
        Kind::Manners,
        Kind::Auth,
        Kind::Login,
        Kind::Rule,
        Kind::Step,
        Kind::Notify,
        Kind::Form,
    ];

    const OF_LIBRARIES: [Kind; 7] = [
        Kind::Library,
        Kind::Accept,
        Kind::Budget,
        Kind::Cycle,
        Kind::Stop,
        Kind::LibraryManners,
        Kind::Service,
    ];

    /// The tables of the same kind of file.
    fn family(self) -> &'static [Kind] {
        if Kind::OF_LIBRARIES.contains(&self) {
            &Kind::OF_LIBRARIES
        } else {
            &Kind::WITH_KEYS
        }
    }

    pub(crate) fn is_file(self) -> bool {
        matches!(self, Kind::File | Kind::Library)
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Kind::File | Kind::Library => "the file",
            Kind::Limits => "[limits]",
            Kind::Manners | Kind::LibraryManners => "[manners]",
            Kind::Accept => "[accept]",
            Kind::Budget => "[budget]",
            Kind::Cycle => "[cycle]",
            Kind::Stop => "[stop]",
            Kind::Service => "[[service]]",
            Kind::Headers => "[headers]",
            Kind::Auth => "[auth]",
            Kind::Login => "[login]",
            Kind::Rule => "[[rule]]",
            Kind::Step => "[[step]]",
            Kind::StepRule => "[[step.rule]]",
            Kind::Notify => "[[notify]]",
            Kind::Form => "`form`",
            Kind::Fields => "`fields`",
        }
    }

    /// In the order in which they are explained. None: any key is good.
    pub(crate) fn keys(self) -> &'static [&'static str] {
        match self {
            Kind::File => &[
                "name",
                "sources",
                "scope",
                "sitemaps",
                "types",
                "equality",
                "retention",
                "verify_content",
                "lastmod",
                "document_links",
                "accept",
                "reject",
                "requisites",
                "script_links",
                "schedule",
                "cookies_file",
                "default_rule",
                "volatile",
                "limits",
                "manners",
                "headers",
                "auth",
                "login",
                "rule",
                "step",
                "notify",
            ],
            Kind::Limits => &[
                "depth",
                "pages",
                "pages_per_host",
                "bytes",
                "time",
                "body",
                "tries",
            ],
            Kind::Library => &[
                "name",
                "topic",
                "examples",
                "counterexamples",
                "sites",
                "order",
                "revisit",
                "find_sites",
                "schedule",
                "accept",
                "budget",
                "cycle",
                "stop",
                "manners",
                "service",
            ],
            Kind::Accept => &[
                "genres",
                "languages",
                "types",
                "min_size",
                "max_size",
                "filter",
                "score",
                "topic",
                "uncertain",
            ],
            Kind::Budget => &["pages", "pages_per_site", "time", "time_per_site"],
            Kind::Cycle => &["places", "new", "wait", "trial"],
            Kind::Stop => &["rule", "yield", "doubt", "pages"],
            Kind::Service => &["name", "url"],
            Kind::Manners | Kind::LibraryManners => &[
                "delay",
                "per_host",
                "concurrency",
                "bandwidth",
                "user_agent",
                "robots",
                "private",
            ],
            Kind::Auth => &["user", "password", "bearer", "certificate", "key"],
            Kind::Login => &[
                "url",
                "form",
                "fields",
                "extra",
                "button",
                "must_have",
                "must_not_have",
            ],
            Kind::Rule | Kind::StepRule => &["allow", "deny", "note"],
            Kind::Step => &[
                "name", "url", "links", "form", "fields", "extra", "button", "from", "depth", "keep", "rule",
            ],
            Kind::Notify => &["to", "states", "secret"],
            Kind::Form => &["action", "name", "id", "selector", "number"],
            Kind::Headers | Kind::Fields => &[],
        }
    }

    /// What other programs, our own command line and plain English call it.
    fn usual(self, key: &str) -> Option<&'static str> {
        Some(match (self, key) {
            (Kind::File, "url" | "urls" | "seed" | "seeds" | "start" | "start_urls" | "source") => "sources",
            (Kind::File, "cookies" | "cookie_file") => "cookies_file",
            (Kind::File, "keep" | "versions") => "retention",
            (Kind::File, "default" | "rules_default") => "default_rule",
            (Kind::File, "rules" | "allow" | "deny" | "exclude" | "include") | (Kind::Step, "rules") => {
                "rule"
            }
            (Kind::File, "steps") => "step",
            (Kind::File, "session" | "session_id" | "sid" | "ignore_parameters") => "volatile",
            (Kind::File, "header") => "headers",
            (Kind::File, "notification" | "notifications" | "webhook") => "notify",
            (Kind::File, "cron" | "every") => "schedule",
            (Kind::Limits, "max_depth" | "depth_max") => "depth",
            (Kind::Limits, "max_pages" | "pages_max" | "documents")
            | (Kind::Budget, "fetches" | "requests" | "documents") => "pages",
            (Kind::Limits, "max_pages_per_host") => "pages_per_host",
            (Kind::Limits, "max_bytes" | "size") => "bytes",
            (Kind::Limits, "max_time" | "seconds" | "duration") => "time",
            (Kind::Limits, "max_body") => "body",
            (Kind::Limits, "retries") => "tries",
            (Kind::Manners | Kind::LibraryManners, "wait" | "pause" | "delay_ms") => "delay",
            (Kind::Manners | Kind::LibraryManners, "agent" | "useragent") => "user_agent",
            (Kind::Manners | Kind::LibraryManners, "ignore_robots" | "obey_robots" | "robots_txt") => {
                "robots"
            }
            (Kind::Manners | Kind::LibraryManners, "allow_private") => "private",
            (Kind::Auth, "username" | "name" | "login") => "user",
            (Kind::Auth, "pass") => "password",
            (Kind::Auth, "token") => "bearer",
            (Kind::Auth, "cert") => "certificate",
            (Kind::Login, "success" | "check" | "expect") => "must_have",
            (Kind::Login, "failure" | "error") => "must_not_have",
            (Kind::Login, "user" | "username" | "password") => "fields",
            (Kind::Rule | Kind::StepRule, "include" | "accept") => "allow",
            (Kind::Rule | Kind::StepRule, "exclude" | "reject") => "deny",
            (Kind::Rule | Kind::StepRule, "comment" | "why" | "reason") => "note",
            (Kind::Step, "urls" | "start" | "source" | "sources") => "url",
            (Kind::Step, "selector" | "follow" | "select") => "links",
            (Kind::Step, "after") => "from",
            (Kind::Notify, "url" | "webhook" | "mail" | "email") => "to",
            (Kind::Notify, "state" | "on") => "states",
            (Kind::Form, "index" | "nth") => "number",
            (Kind::Library, "seeds" | "sources" | "urls" | "url" | "start") => "sites",
            (Kind::Library, "words" | "keywords" | "topics" | "subject") => "topic",
            (Kind::Library, "example") => "examples",
            (Kind::Library, "services" | "search") => "service",
            (Kind::Library, "mode" | "strategy") => "order",
            (Kind::Accept, "genre" | "kinds") => "genres",
            (Kind::Accept, "language" | "lang") => "languages",
            (Kind::Accept, "type" | "formats") => "types",
            (Kind::Accept, "size" | "max") => "max_size",
            (Kind::Accept, "min") => "min_size",
            (Kind::Accept, "threshold") => "score",
            (Kind::Cycle, "sites") => "places",
            (Kind::Cycle, "pause") => "wait",
            _ => return None,
        })
    }
}

/// The way out for a key that is not known here.
pub(crate) fn proposal(kind: Kind, key: &str) -> String {
    let plain = key.trim().to_lowercase().replace(['-', ' ', '.'], "_");
    let known = kind.keys();
    if let Some(meant) = known.iter().find(|known| **known == plain) {
        return format!("did you mean {}?", shown(kind, meant));
    }
    if let Some(meant) = kind.usual(&plain) {
        return format!("did you mean {}?", shown(kind, meant));
    }
    let others: Vec<Kind> = kind
        .family()
        .iter()
        .copied()
        .filter(|other| *other != kind && !(kind == Kind::StepRule && *other == Kind::Rule))
        .collect();
    let homes: Vec<String> = others
        .iter()
        .filter(|other| **other != Kind::Form && other.keys().contains(&plain.as_str()))
        .map(|other| home(*other))
        .collect();
    if !homes.is_empty() {
        return format!("{} belongs {}", shown(Kind::File, &plain), homes.join(" or "));
    }
    if let Some(meant) = nearest(&plain, known.iter().copied()) {
        return format!("did you mean {}?", shown(kind, meant));
    }
    for other in others {
        let meant = nearest(&plain, other.keys().iter().copied()).or_else(|| other.usual(&plain));
        if let Some(meant) = meant {
            return format!("did you mean {}? it belongs {}", shown(other, meant), home(other));
        }
    }
    let known: Vec<String> = known.iter().map(|known| shown(kind, known)).collect();
    format!("what can be written here: {}", known.join(", "))
}

fn home(kind: Kind) -> String {
    match kind {
        Kind::File | Kind::Library => "at the top of the file, before the first [section]".to_owned(),
        kind => format!("into {}", kind.title()),
    }
}

/// As it is written in the file.
fn shown(kind: Kind, key: &str) -> String {
    match (kind, key) {
        (Kind::File, "limits" | "manners" | "headers" | "auth" | "login")
        | (Kind::Library, "accept" | "budget" | "cycle" | "stop" | "manners") => format!("[{key}]"),
        (Kind::File, "rule" | "step" | "notify") => format!("[[{key}]]"),
        (Kind::Step, "rule") => "[[step.rule]]".to_owned(),
        (Kind::Library, "service") => "[[service]]".to_owned(),
        _ => format!("`{key}`"),
    }
}

/// The word that was probably meant: few letters differ.
pub(crate) fn nearest<'a>(given: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase();
    let limit = (given.chars().count() / 3).clamp(1, 3);
    let found = words.map(|word| (distance(&given, &word.to_lowercase()), word));
    let (differs, word) = found.min_by_key(|(differs, _)| *differs)?;
    (differs <= limit).then_some(word)
}

/// Letters to add, take away, replace or swap with their neighbour (optimal string alignment).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_that_was_meant_is_found() {
        for (kind, key, answer) in [
            (Kind::Step, "dept", "did you mean `depth`?"),
            (Kind::File, "seeds", "did you mean `sources`?"),
            (Kind::File, "rules", "did you mean [[rule]]?"),
            (Kind::Manners, "User-Agent", "did you mean `user_agent`?"),
            (
                Kind::File,
                "depth",
                "`depth` belongs into [limits] or into [[step]]",
            ),
            (
                Kind::Limits,
                "schedule",
                "`schedule` belongs at the top of the file, before the first [section]",
            ),
            (Kind::Rule, "delay", "`delay` belongs into [manners]"),
            (
                Kind::Rule,
                "cookie_file",
                "did you mean `cookies_file`? it belongs at the top of the file, before the first [section]",
            ),
            (
                Kind::Notify,
                "xyzzy",
                "what can be written here: `to`, `states`, `secret`",
            ),
        ] {
            assert_eq!(proposal(kind, key), answer, "{key}");
        }
    }

    #[test]
    fn distances_count_letters() {
        for (a, b, count) in [
            ("depth", "depth", 0),
            ("dept", "depth", 1),
            ("dpeth", "depth", 1),
            ("", "ab", 2),
        ] {
            assert_eq!(distance(a, b), count, "{a} {b}");
        }
        assert_eq!(nearest("zzz", ["abc"].into_iter()), None);
    }
}
