//! Which of the project's rules speaks about this URL? (A3)
//!
//! In: the rules as checked text. Out: the first that matches a canonical URL, with its place in the list. All regexes
//! and globs are compiled into one set that is searched once per URL, and all prefixes into one index: a thousand rules
//! cost little more than one. The regex engine is linear in the URL, whatever the pattern (HC043).
//!
//! A regex may match anywhere in the URL, a glob must match all of it (`*` also crosses slashes), a prefix begins it.

use crate::RuleError;
use crate::prefixes::Prefixes;
use gleaner_model::Url;
use gleaner_model::project::{PatternKind, Rule, RuleAction};
use regex::bytes::{RegexBuilder, RegexSet, RegexSetBuilder};

/// More rules than this are a list of URLs in disguise.
pub const RULES_MAX: usize = 5_000;
/// Longer patterns than this were never written by hand.
pub const PATTERN_BYTES_MAX: usize = 4 * 1024;
/// One compiled rule; `(a{100}){100}` stays below, `(a{1000}){1000}` does not.
const COMPILED_BYTES_MAX: usize = 1024 * 1024;
const ALL_COMPILED_BYTES_MAX: usize = 32 * 1024 * 1024;
/// What the search may keep in memory while it runs.
const SEARCH_BYTES_MAX: usize = 8 * 1024 * 1024;

#[derive(Debug, Clone, Default)]
pub struct Rules {
    actions: Vec<RuleAction>,
    set: Option<RegexSet>,
    /// The index of the rule that each pattern of `set` comes from; ascending.
    places: Vec<u32>,
    prefixes: Prefixes<u32>,
}

impl Rules {
    /// All problems are told at once, each with the place of its rule.
    pub fn compile(rules: &[Rule]) -> Result<Rules, Vec<RuleError>> {
        if rules.len() > RULES_MAX {
            return Err(vec![RuleError::TooMany {
                count: rules.len(),
                limit: RULES_MAX,
            }]);
        }
        let mut problems = Vec::new();
        let mut patterns: Vec<String> = Vec::new();
        let mut places = Vec::new();
        let mut prefixes: Vec<(Box<[u8]>, u32)> = Vec::new();
        for (index, rule) in (0u32..).zip(rules) {
            match expression(index as usize + 1, rule) {
                Ok(Some(pattern)) => {
                    patterns.push(pattern);
                    places.push(index);
                }
                Ok(None) => prefixes.push((rule.pattern.as_bytes().into(), index)),
                Err(problem) => problems.push(problem),
            }
        }
        // One rule must not live off the others' room: each is held against its own limit, also where all fit together.
        let suspects = if problems.is_empty() {
            Suspects::MayGrow
        } else {
            Suspects::All
        };
        problems.extend(culprits(rules, suspects));
        if !problems.is_empty() {
            problems.sort_by_key(RuleError::position);
            return Err(problems);
        }
        let set = if patterns.is_empty() {
            None
        } else {
            let mut builder = RegexSetBuilder::new(&patterns);
            builder
                .unicode(false)
                .size_limit(ALL_COMPILED_BYTES_MAX)
                .dfa_size_limit(SEARCH_BYTES_MAX);
            Some(builder.build().map_err(|_| {
                let problems = culprits(rules, Suspects::All);
                let all = RuleError::AllTooLarge {
                    limit_bytes: ALL_COMPILED_BYTES_MAX,
                };
                if problems.is_empty() { vec![all] } else { problems }
            })?)
        };
        let prefixes = Prefixes::new(prefixes, |kept, other| *kept = other.min(*kept));
        Ok(Rules {
            actions: rules.iter().map(|r| r.action).collect(),
            set,
            places,
            prefixes,
        })
    }

    /// The first rule that matches, and its index. `None`: no rule speaks, the scope decides.
    pub fn decide(&self, url: &Url) -> Option<(RuleAction, usize)> {
        let text = url.as_str().as_bytes();
        let prefix = self.prefixes.of(text).map(|(_, &rule)| rule).min();
        let pattern = self
            .set
            .as_ref()
            .and_then(|set| set.matches(text).iter().next())
            .map(|i| self.places[i]);
        let rule = match (prefix, pattern) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b)?,
        } as usize;
        Some((self.actions[rule], rule))
    }

    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}

/// The rule as a regex; `None` for a prefix.
fn expression(position: usize, rule: &Rule) -> Result<Option<String>, RuleError> {
    let length = rule.pattern.len();
    if length == 0 {
        return Err(RuleError::Empty { position });
    }
    if length > PATTERN_BYTES_MAX {
        return Err(RuleError::TooLong {
            position,
            length,
            limit: PATTERN_BYTES_MAX,
        });
    }
    let malformed = |kind: &'static str, why: String| RuleError::Malformed {
        position,
        kind,
        why,
        pattern: shown(&rule.pattern),
    };
    match rule.pattern_kind {
        PatternKind::Prefix => Ok(None),
        PatternKind::Glob => {
            let glob = globset::GlobBuilder::new(&rule.pattern)
                .literal_separator(false)
                .backslash_escape(true)
                .build()
                .map_err(|e| malformed("glob", e.kind().to_string()))?;
            Ok(Some(glob.regex().to_owned()))
        }
        PatternKind::Regex => Ok(Some(rule.pattern.clone())),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suspects {
    /// Only those that can become larger than they are long: with counts (`a{1000}`), or with flags that bring in
    /// Unicode's classes. All others are bounded by [`PATTERN_BYTES_MAX`].
    MayGrow,
    All,
}

/// The regexes that cannot be used, each compiled by itself. Where something is wrong all are looked at, which costs as
/// much as compiling them a second time.
fn culprits(rules: &[Rule], suspects: Suspects) -> Vec<RuleError> {
    let mut problems = Vec::new();
    for (position, rule) in (1..).zip(rules) {
        if rule.pattern_kind != PatternKind::Regex || rule.pattern.len() > PATTERN_BYTES_MAX {
            continue;
        }
        let may_grow = rule.pattern.contains('{') || rule.pattern.contains("(?");
        if suspects == Suspects::MayGrow && !may_grow {
            continue;
        }
        let pattern = shown(&rule.pattern);
        // Canonical URLs are ASCII; without Unicode classes the automata are small.
        let built = RegexBuilder::new(&rule.pattern)
            .unicode(false)
            .size_limit(COMPILED_BYTES_MAX)
            .build();
        match built {
            Ok(_) => {}
            Err(regex::Error::CompiledTooBig(limit_bytes)) => {
                problems.push(RuleError::TooLarge {
                    position,
                    limit_bytes,
                    pattern,
                });
            }
            Err(e) => {
                let why = last_line(&e.to_string());
                problems.push(RuleError::Malformed {
                    position,
                    kind: "regex",
                    why,
                    pattern,
                });
            }
        }
    }
    problems
}

/// The regex crate draws its errors over several lines; the last says what is wrong.
fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or(text);
    line.trim().trim_start_matches("error: ").to_owned()
}

fn shown(pattern: &str) -> String {
    const SHOWN_MAX: usize = 80;
    if pattern.chars().count() <= SHOWN_MAX {
        return pattern.to_owned();
    }
    pattern.chars().take(SHOWN_MAX).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn rule(action: RuleAction, pattern_kind: PatternKind, pattern: &str) -> Rule {
        Rule {
            action,
            pattern_kind,
            pattern: pattern.to_owned(),
            note: String::new(),
        }
    }

    fn deny(pattern: &str) -> Rule {
        rule(RuleAction::Deny, PatternKind::Regex, pattern)
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a3_the_first_match_wins_whatever_its_kind() {
        use PatternKind::{Glob, Prefix, Regex};
        use RuleAction::{Allow, Deny};
        let rules = Rules::compile(&[
            rule(Allow, Regex, r"/keep/\d+"),
            rule(Deny, Prefix, "http://a.test/private/"),
            rule(Allow, Prefix, "http://a.test/"),
            rule(Deny, Glob, "*.pdf"),
            rule(Deny, Glob, "http://b.test/x?/{one,two}/[ab]"),
            rule(Deny, Prefix, "http://a.test/private/deeper/"),
        ])
        .unwrap();
        let cases = [
            ("http://a.test/private/keep/7", Some((Allow, 0))),
            ("http://a.test/private/deeper/x", Some((Deny, 1))),
            ("http://a.test/x.pdf", Some((Allow, 2))),
            ("http://b.test/deep/x.pdf", Some((Deny, 3))),
            ("http://b.test/x.pdf?y", None),
            ("http://b.test/x1/two/b", Some((Deny, 4))),
            ("http://b.test/x1/three/b", None),
            ("http://c.test/", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(rules.decide(&url(text)), wanted, "{text}");
        }
        assert_eq!(Rules::default().decide(&url("http://a.test/")), None);
    }

    #[test]
    fn hc043_rules_that_are_too_much_are_refused_by_name() {
        let message = |rules: &[Rule]| {
            let problems = Rules::compile(rules).unwrap_err();
            problems
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        };
        assert_eq!(
            message(&vec![deny("x"); 10_000]),
            "there are 10000 rules, and the limit is 5000; join some into one pattern with '|' or a shorter prefix"
        );
        let long = message(&[deny("ok"), deny(&"a".repeat(1024 * 1024))]);
        assert!(
            long.starts_with("rule 2 is 1048576 bytes long, the limit is 4096"),
            "{long}"
        );
        let large = message(&[deny("((a{1000}){1000}){10}")]);
        assert!(large.starts_with("rule 1 grows past 1048576 bytes"), "{large}");
        // It would fit into the room of all rules together, but it is one rule.
        let greedy = message(&[
            deny("ok"),
            deny("(ab{700}){60}"),
            deny("x{3}"),
            deny("(c{900}){60}"),
        ]);
        let lines: Vec<&str> = greedy.lines().collect();
        assert_eq!(lines.len(), 2, "each by itself: {greedy}");
        assert!(
            lines[0]
                .starts_with("rule 2 grows past 1048576 bytes when compiled; lower its repetition counts")
                && lines[1].starts_with("rule 4 grows past"),
            "{greedy}"
        );
        assert!(Rules::compile(&[deny("(a{100}){100}")]).is_ok());
        assert!(message(&[deny(&format!("(?u){}", "\\w".repeat(1000)))]).starts_with("rule 1 grows past"));
        let several = message(&[
            deny("("),
            deny("ok"),
            deny(""),
            rule(RuleAction::Deny, PatternKind::Glob, "["),
        ]);
        assert_eq!(several.lines().count(), 3, "all problems at once: {several}");
        assert!(
            several.contains("rule 1 is not a valid regex") && several.contains("rule 4 is not a valid glob")
        );
        assert!(message(&[deny(r"\p{Greek}")]).contains("rule 1 is not a valid regex"));
    }

    #[test]
    fn hc043_without_counts_a_rule_stays_below_its_limit() {
        for piece in [
            "a",
            ".*",
            ".",
            "\\w",
            "\\W+",
            "[^a]",
            "(a|b)*",
            "((a)?)*",
            "[a-z0-9_%-]?",
            "\\b",
            "a|",
            "()",
        ] {
            let pattern = piece.repeat(PATTERN_BYTES_MAX / piece.len());
            assert_eq!(culprits(&[deny(&pattern)], Suspects::All), [], "{piece}");
        }
    }

    #[test]
    fn hc043_nested_quantifiers_stay_linear() {
        let rules = Rules::compile(&[deny("(a+)+$"), deny("(a|aa)*b$"), deny("(.*)*x(.*)*y")]).unwrap();
        let long = url(&format!("http://a.test/{}!", "a".repeat(8000)));
        assert_eq!(rules.decide(&long), None);
    }

    #[test]
    fn many_rules_answer_like_one_by_one() {
        let mut list = Vec::new();
        for i in 0..1000 {
            let mut pattern = String::new();
            let _ = write!(pattern, "/section-{i}/(item|page)-[0-9]+");
            list.push(deny(&pattern));
        }
        let rules = Rules::compile(&list).unwrap();
        for i in [0, 1, 499, 999] {
            let found = rules.decide(&url(&format!("http://a.test/section-{i}/item-17.html")));
            assert_eq!(found, Some((RuleAction::Deny, i)));
        }
        assert_eq!(
            rules.decide(&url("http://a.test/section-1000/item-17.html")),
            None
        );
    }
}
