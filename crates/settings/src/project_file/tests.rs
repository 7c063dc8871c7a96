//! What is written reads back; what is read is what was meant. Broken files are judged in tests/it/projects.

use super::{read, write};
use gleaner_model::project::{
    Notify, PatternKind, Project, Retention, Rule, RuleAction, ScopeKind, Sitemaps, TypeGroup, VerifyContent,
};
use gleaner_model::steps::{Auth, Check, Filling, Login, SecretAt, Start, Step, Value, WhichForm};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

const BOARD: &str = r#"
name = "board"
sources = ["https://board.example/"]
scope = "domain"
sitemaps = "off"
types = ["html", "documents"]
equality = "main,learned"
retention = 5
verify_content = "sample"
document_links = false
accept = ["*.pdf", "html"]
reject = ["index.html*"]
requisites = true
schedule = "daily at 03:00"
cookies_file = "cookies.txt"
default_rule = "deny"
volatile = ["?s[]", ";sid"]

[limits]
depth = 3
pages = 1_000
bytes = "2GB"
time = "2h"
body = "1MB"

[manners]
delay = "250ms"
bandwidth = "2MB"
user_agent = "reader (+https://me.example/)"
robots = false

[headers]
Accept-Language = ["de", "en"]
X-Token = "env:TOKEN"

[auth]
user = "ann"
password = "file:password.txt"

[login]
url = "https://board.example/login"
form = { action = "*/login" }
fields = { user = "ann", password = "env:BOARD_PASSWORD", remember = true }
must_have = "text: Log out"
must_not_have = ["form#login", "text:wrong password"]

[[rule]]
allow = "https://board.example/thread/*"
note = "what we came for"
[[rule]]
deny = 'regex:/print/\d+$'

[[step]]
name = "search"
url = "https://board.example/search"
form = "fitting"
fields = { words = "rust", board = [1, 2] }
button = "Search"
keep = false

[[step]]
name = "threads"
links = "ol.results a"
depth = 2
[[step.rule]]
deny = "*/profile/*"

[[step]]
name = "authors"
links = ".author a"
from = "search"

[[notify]]
to = "mailto:ann@board.example"
states = ["NEW", "UPD"]
"#;

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn a_file_says_what_it_says() {
    let file = read(BOARD).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
    let project = &file.project;
    assert_eq!(
        (project.name.as_str(), project.seeds.as_slice()),
        ("board", &["https://board.example/".to_owned()][..])
    );
    assert_eq!(
        (project.scope, project.sitemaps, project.retention),
        (ScopeKind::Domain, Sitemaps::Off, Retention::Versions(5))
    );
    assert_eq!(
        (
            project.depth_max,
            project.pages_max,
            project.bytes_max,
            project.seconds_max
        ),
        (Some(3), Some(1000), Some(2 << 30), Some(7200))
    );
    assert_eq!(
        (project.delay_ms, project.obey_robots, project.allow_private),
        (250, false, false)
    );
    assert_eq!(project.rules_default, Some(RuleAction::Deny));
    assert_eq!(project.volatile, ["?s[]", ";sid"]);
    let header = |name: &str, value| (name.to_owned(), value);
    assert_eq!(
        project.headers,
        [
            header("Accept-Language", text("de")),
            header("Accept-Language", text("en")),
            header("X-Token", Value::Secret(SecretAt::Env("TOKEN".to_owned()))),
        ]
    );
    let login = project.login.as_ref().unwrap();
    assert_eq!(login.filling.form, WhichForm::Action("*/login".to_owned()));
    assert_eq!(login.filling.fields[2], header("remember", text("true")));
    assert_eq!(login.must_have, [Check::Text("Log out".to_owned())]);
    assert_eq!(project.rules[0].pattern_kind, PatternKind::Glob);
    assert_eq!(project.rules[1].pattern, r"/print/\d+$");

    let steps: Vec<(&str, Option<usize>, u32, bool)> = project
        .steps
        .iter()
        .map(|step| (step.name.as_str(), step.from, step.depth, step.keep))
        .collect();
    assert_eq!(
        steps,
        [
            ("search: page", None, 0, false),
            ("search", Some(0), 0, false),
            ("threads", Some(1), 2, true),
            ("authors", Some(1), 0, true),
        ]
    );
    let Start::Form(form) = &project.steps[1].start else {
        panic!("a form: {:?}", project.steps[1]);
    };
    let names: Vec<&str> = form.fields.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["words", "board", "board"], "in the order of the file");
    assert_eq!(project.steps[2].rules.len(), 1);
}

#[test]
fn every_key_has_its_place() {
    let places = read(BOARD).unwrap().places;
    let line_of = |part: &str| BOARD.lines().position(|line| line.starts_with(part)).unwrap() + 1;
    let links = places.value("step[1].links").unwrap();
    assert_eq!(
        (links.line, links.column, links.width),
        (line_of("links = \"ol"), 9, 14)
    );
    assert_eq!(places.key("login.must_have").unwrap().line, line_of("must_have"));
    assert_eq!(
        places.value("rule[1].deny").unwrap().line,
        line_of("deny = 'regex")
    );
    assert_eq!(
        places.value("step[1].rule[0].deny").unwrap().line,
        line_of("deny = \"*/profile")
    );
    assert_eq!(places.value("sources[0]").unwrap().column, 12);
    assert_eq!(places.key("login.fields.user").unwrap().column, 12);
    assert_eq!(places.value("step[9].links"), None);
    // The page and its form are one step of the file.
    assert_eq!(places.step(0), Some("step[0]".to_owned()));
    assert_eq!(places.step(2), Some("step[1]".to_owned()));

    let mistake = places.mistake("step[1].form.id", "no such form", "");
    assert_eq!(
        mistake.excerpt, "[[step]]",
        "the section where the key is not there"
    );
    assert_eq!(mistake.line, line_of("name = \"threads\"") - 1);
}

#[test]
fn only_what_is_unusual_is_written() {
    let seeds = vec![gleaner_model::Url::parse("https://a.example/").unwrap()];
    assert_eq!(
        write(&Project::new("a", seeds)),
        "# What to collect; docs/projects.md explains every line.\nname = \"a\"\nsources = [\"https://a.example/\"]\n"
    );
    let again = write(&read(BOARD).unwrap().project);
    assert_eq!(again.matches("[[step]]").count(), 3, "{again}");
    assert_eq!(
        read(&again).unwrap().project,
        read(BOARD).unwrap().project,
        "{again}"
    );
}

#[test]
fn a_literal_secret_is_neither_written_nor_shown() {
    let mut project = Project::new(
        "a",
        vec![gleaner_model::Url::parse("https://a.example/").unwrap()],
    );
    project.auth.user = Some("ann".to_owned());
    project.auth.password = Some(text("hunter2"));
    assert!(!write(&project).contains("hunter2"));
    for line in [
        "[auth]\nuser = \"ann\"\npassword = \"hunter2\"",
        "[headers]\nAuthorization = 'hunter2'",
        "[login]\nurl = \"https://a.example/\"\nmust_have = 3\nfields = { user = 1.5, pass = \"hunter2\" }",
        "[login]\nurl = \"https://ann:hunter2@a.example/\"",
        "[[notify]]\nto = \"https://a.example/\"\nsecret = \"hunter2\"",
    ] {
        let file = format!("name = \"a\"\nsources = [\"https://a.example/\"]\n{line}\n");
        let mistakes = read(&file).unwrap_err();
        let shown: String = mistakes.iter().map(|mistake| mistake.show("a.toml")).collect();
        assert!(!shown.contains("hunter2"), "{shown}");
        assert!(shown.contains("env:"), "{shown}");
    }
    // Who means it says so.
    let file = "name = \"a\"\n[[step]]\nurl = \"https://a.example/\"\nform = \"fitting\"\nfields = { key = \"text:rust\" }\n";
    let read_back = read(file).unwrap().project;
    assert!(write(&read_back).contains("text:rust"));
}

/// Any text that TOML can hold, some of it nasty.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "\\PC{1,12}",
        Just("env:X".to_owned()),
        Just("text:env:X".to_owned()),
        Just("a\"b'c\\d\n\te\u{1}".to_owned()),
        Just("a \\d+ \"b\"".to_owned()),
    ]
    .prop_filter("says something", |text| !text.trim().is_empty())
}

/// Names without spaces around them.
fn any_name() -> impl Strategy<Value = String> {
    any_text().prop_map(|text| text.trim().to_owned())
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any_text().prop_map(Value::Text),
        Just(Value::Text(String::new())),
        "[A-Z]{1,6}".prop_map(|name| Value::Secret(SecretAt::Env(name))),
        "[a-z/]{1,6}".prop_map(|path| Value::Secret(SecretAt::File(path))),
        "[a-z]{1,6}".prop_map(Value::Upload),
    ]
}

/// Values of one name stand together, as they do in a file.
fn any_pairs() -> impl Strategy<Value = Vec<(String, Value)>> {
    let name = prop_oneof![any_text(), Just("password".to_owned())];
    vec((name, vec(any_value(), 1..3)), 0..4).prop_map(|groups| {
        let mut pairs: Vec<(String, Value)> = Vec::new();
        for (name, values) in groups {
            if pairs.iter().all(|(known, _)| *known != name) {
                pairs.extend(values.into_iter().map(|value| (name.clone(), value)));
            }
        }
        pairs
    })
}

fn any_rule() -> impl Strategy<Value = Rule> {
    let action = prop_oneof![Just(RuleAction::Allow), Just(RuleAction::Deny)];
    let pattern = prop_oneof![
        any_text().prop_map(|text| (PatternKind::Regex, text)),
        any_text().prop_map(|text| (PatternKind::Glob, format!("*{text}"))),
        any_text().prop_map(|text| (PatternKind::Glob, format!("https://{text}"))),
        any_text().prop_map(|text| (PatternKind::Prefix, format!("https://{text}"))),
        Just((PatternKind::Prefix, "regex:x".to_owned())),
    ];
    (action, pattern, any_text()).prop_map(|(action, (pattern_kind, pattern), note)| Rule {
        action,
        pattern_kind,
        pattern,
        note,
    })
}

fn any_filling() -> impl Strategy<Value = Filling> {
    let form = prop_oneof![
        Just(WhichForm::Fitting),
        any_text().prop_map(WhichForm::Action),
        any_text().prop_map(WhichForm::Name),
        any_text().prop_map(WhichForm::Id),
        any_text().prop_map(WhichForm::Selector),
        (1usize..9).prop_map(WhichForm::Number),
    ];
    (form, any_pairs(), any_pairs(), option::of(any_text())).prop_map(|(form, fields, extra, button)| {
        Filling {
            form,
            fields,
            extra,
            button,
        }
    })
}

fn any_urls() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::btree_set("[a-z]{1,5}", 1..4).prop_map(|names| {
        names
            .iter()
            .map(|name| format!("https://{name}.example/"))
            .collect()
    })
}

fn any_check() -> impl Strategy<Value = Check> {
    prop_oneof![
        any_text()
            .prop_filter("no words", |text| !text.starts_with("text:"))
            .prop_map(Check::Selector),
        any_name().prop_map(Check::Text),
    ]
}

/// Each step begins by itself or goes on from one before it; names are its own.
fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    let start = prop_oneof![
        any_urls().prop_map(Start::Urls),
        any_text().prop_map(Start::Links),
        any_filling().prop_map(Start::Form),
    ];
    let one = (
        any_name(),
        start,
        any::<prop::sample::Index>(),
        0u32..3,
        any::<bool>(),
        vec(any_rule(), 0..2),
    );
    (any_urls(), vec((one, option::of(any_urls())), 0..5)).prop_map(|(first, parts)| {
        let plain = |name: String, urls| Step {
            name,
            start: Start::Urls(urls),
            from: None,
            depth: 0,
            keep: false,
            rules: Vec::new(),
        };
        let mut steps = vec![plain("first".to_owned(), first)];
        for ((name, start, from, depth, keep, rules), page) in parts {
            let name = format!("{name} {}", steps.len());
            if let (Start::Form(_), Some(urls)) = (&start, page) {
                steps.push(plain(super::steps::page_name(&name), urls));
            }
            let from = match &start {
                Start::Urls(_) => None,
                _ => Some(from.index(steps.len())),
            };
            steps.push(Step {
                name,
                start,
                from,
                depth,
                keep,
                rules,
            });
        }
        steps
    })
}

fn any_project() -> impl Strategy<Value = Project> {
    let what = (
        "[a-z][a-z0-9_-]{0,8}",
        any_urls(),
        0usize..5,
        proptest::sample::subsequence(TypeGroup::ALL.to_vec(), 1..9),
        option::of(any_text()),
        prop_oneof![
            Just(Retention::All),
            (1u32..99).prop_map(Retention::Versions),
            (1u32..99).prop_map(Retention::Days)
        ],
        0usize..3,
    );
    let limits = (
        option::of(any::<u32>()),
        option::of(any::<u64>()),
        option::of(any::<u64>()),
        option::of(any::<u64>()),
        any::<u64>(),
        1u32..9,
    );
    let manners = (
        any::<u64>(),
        1usize..99,
        option::of(any::<u64>()),
        "[a-z /]{0,9}",
        any::<bool>(),
        any::<bool>(),
    );
    let auth = (
        option::of(any_text()),
        option::of("[A-Z]{1,5}"),
        option::of(any_text()),
    );
    let login = option::of((any_filling(), vec(any_check(), 1..3), vec(any_check(), 0..3)));
    let notify = vec(
        (
            "[a-z]{1,5}",
            proptest::sample::subsequence(gleaner_model::State::ALL.to_vec(), 0..6),
        ),
        0..3,
    );
    let rest = (
        any_steps(),
        vec(any_rule(), 0..4),
        any_pairs(),
        option::of(any_text()),
        any::<bool>(),
    );
    (what, limits, manners, auth, login, notify, rest).prop_map(
        |(what, limits, manners, auth, login, notify, rest)| {
            let mut project = Project::new(&what.0, Vec::new());
            project.seeds = what.1;
            project.scope = super::settings::SCOPES[what.2].1;
            project.types = what.3;
            project.equality = what.4.unwrap_or_default();
            project.retention = what.5;
            project.document_links = what.6 != 1;
            project.requisites = what.6 == 2;
            project.accept = vec!["*.pdf".to_owned(); what.6.min(1)];
            project.reject = vec!["a'b\"c".to_owned(); what.6 / 2];
            project.verify_content =
                [VerifyContent::Never, VerifyContent::Sample, VerifyContent::All][what.6];
            project.sitemaps = [Sitemaps::Auto, Sitemaps::On, Sitemaps::Off][what.6];
            project.schedule = ["", "hourly", "0 3 * * *"][what.6].to_owned();
            (project.depth_max, project.pages_max) = (limits.0, limits.1);
            (project.bytes_max, project.seconds_max) = (limits.2, limits.3);
            (project.body_bytes_max, project.tries_max) = (limits.4, limits.5);
            (project.delay_ms, project.concurrency) = (manners.0, manners.1);
            project.bandwidth_bytes_per_s = manners.2;
            project.user_agent = manners.3.trim().to_owned();
            (project.obey_robots, project.allow_private) = (manners.4, manners.5);
            project.auth = Auth {
                password: auth
                    .0
                    .as_ref()
                    .and(auth.1.map(|name| Value::Secret(SecretAt::Env(name)))),
                user: auth.0,
                certificate: auth.2,
                ..Auth::default()
            };
            project.login = login.map(|(mut filling, must_have, must_not_have)| {
                filling.fields.push(("last".to_owned(), text("x")));
                Login {
                    url: "https://in.example/".to_owned(),
                    filling,
                    must_have,
                    must_not_have,
                }
            });
            project.notify = notify
                .into_iter()
                .map(|(name, states)| Notify {
                    to: format!("mailto:{name}@a.example"),
                    states: states.iter().map(|state| state.as_str().to_owned()).collect(),
                    secret: None,
                })
                .collect();
            (project.steps, project.rules) = (rest.0, rest.1);
            project.headers = rest
                .2
                .into_iter()
                .filter(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase()))
                .filter(|(_, value)| !matches!(value, Value::Upload(_)))
                .filter(|(_, value)| !value.to_string().contains(|c: char| c.is_control()))
                .collect();
            project.cookies_file = rest.3;
            project.rules_default = rest.4.then_some(RuleAction::Deny);
            project.volatile = (if rest.4 {
                vec!["?s[]", ";\u{e4}"]
            } else {
                Vec::new()
            })
            .into_iter()
            .map(str::to_owned)
            .collect();
            project
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_reads_back(project in any_project()) {
        let written = write(&project);
        match read(&written) {
            Ok(file) => prop_assert_eq!(file.project, project, "{}", written),
            Err(mistakes) => {
                let shown: String = mistakes.iter().map(|mistake| mistake.show("p.toml")).collect();
                prop_assert!(false, "{}\n{}", shown, written);
            }
        }
    }

    #[test]
    fn any_text_is_answered(text in "[a-z=\\[\\]{}\"'#\n ,.0-9ä-]{0,200}") {
        if let Err(mistakes) = read(&text) {
            prop_assert!(!mistakes.is_empty());
            for mistake in mistakes {
                prop_assert!(mistake.line >= 1 && mistake.column >= 1 && mistake.width >= 1);
                mistake.show("x");
            }
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_answered(cut in 0..BOARD.len()) {
        if let Err(mistakes) = read(&BOARD[..cut]) {
            prop_assert!(!mistakes.is_empty() && mistakes.len() < 6, "{:#?}", mistakes);
        }
    }
}
