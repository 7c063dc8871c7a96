//! Why is this URL fetched, or not? (A3)
//!
//! In: a URL as a person wrote it, and what the project and the catalog know. Out: every step of the decision in its
//! order, each with its verdict and the words behind it, and the answer. All steps are shown, also those after the first
//! that refuses: a person who mends one wants to know the next.

use crate::{Bond, RobotsState, RuledBy, Rules, ScopeVerdict, Taking, TypeVerdict, traps};
use gleaner_model::project::{Rule, RuleAction, TypeGroup};
use gleaner_model::{Reason, Timestamp, Url};
use serde::Serialize;

/// What is asked and known. What is not known is `None` and says so in the trace.
#[derive(Debug, Clone)]
pub struct ExplainQuestion<'a> {
    /// As written by the person or the page.
    pub given: &'a str,
    /// A person named it as the beginning of a crawl or of a step: it is asked for whatever the project says.
    pub is_start: bool,
    pub taking: Taking<'a>,
    /// The project's rules as text, in order.
    pub rules_text: &'a [Rule],
    /// The project's steps; none where everything in scope is taken.
    pub steps: &'a [StepOf<'a>],
    /// `None`: not fetched yet.
    pub robots: Option<&'a RobotsState>,
    pub obey_robots: bool,
    /// `None`: no page known that links here.
    pub depth: Option<u32>,
    /// The type that the link or the extension promises.
    pub promised: Option<TypeGroup>,
    /// What it is to the pages that name it.
    pub bond: Bond,
    pub seen: SeenBefore,
    pub now: Timestamp,
}

/// A step of the project, as far as one address is concerned.
#[derive(Debug, Clone)]
pub struct StepOf<'a> {
    pub name: &'a str,
    pub rules: &'a Rules,
    pub rules_text: &'a [Rule],
    pub depth_max: u32,
    /// How far from its beginning the step meets the address; none: no page of it is known to lead there.
    pub depth: Option<u32>,
    /// Whether its pages are documents.
    pub keeps: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SeenBefore {
    Never,
    /// Known, in words: `fetched 2 days ago, document 17`.
    Known(String),
    /// The same document under another address.
    CopyOf(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StepVerdict {
    Pass,
    Refuse,
    /// Cannot be said before a fetch, or does not apply.
    Open,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceStep {
    pub name: &'static str,
    pub verdict: StepVerdict,
    pub detail: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Canonical, or as given if it is no URL.
    pub url: String,
    pub steps: Vec<TraceStep>,
    pub fetched: bool,
    /// The code of the first refusal.
    pub reason: Option<&'static str>,
    pub answer: String,
}

/// Asks every part of the room about one URL.
pub fn explain(question: &ExplainQuestion<'_>) -> Trace {
    let url = match Url::parse(question.given) {
        Ok(url) => url,
        Err(why) => {
            let step = TraceStep {
                name: "canonical",
                verdict: StepVerdict::Refuse,
                detail: why.to_string(),
            };
            let answer = format!("not fetched: {}", step.detail);
            return Trace {
                url: question.given.to_owned(),
                steps: vec![step],
                fetched: false,
                reason: None,
                answer,
            };
        }
    };
    let mut walk = Walk {
        steps: Vec::new(),
        first: None,
        is_start: question.is_start,
    };
    walk.pass("canonical", url.to_string());
    if question.is_start {
        walk.pass(
            "start",
            "one of the given URLs, fetched whatever rules and scope say".to_owned(),
        );
    }
    if question.steps.is_empty() {
        scope_and_rules(question, &question.taking, &url, &mut walk);
    } else {
        steps(question, &url, &mut walk);
    }
    robots(question, &url, &mut walk);
    if question.steps.is_empty() {
        match (question.depth, question.taking.limits.depth) {
            (None, _) => walk.open("depth", "no page known that links here".to_owned()),
            (Some(depth), None) => walk.pass("depth", format!("{depth}, no limit")),
            (Some(depth), Some(max)) => {
                let detail = format!("{depth} of at most {max}");
                walk.step("depth", question.taking.too_deep(depth, question.bond), detail);
            }
        }
    }
    match question.promised {
        None => walk.open(
            "type",
            "the extension says nothing; the response header decides".to_owned(),
        ),
        Some(group) => match question.taking.wanted_at(&url).by_extension(Some(group)) {
            TypeVerdict::Take => walk.pass("type", format!("{} is wanted", group.as_str())),
            TypeVerdict::PassThrough => {
                walk.pass(
                    "type",
                    format!("{} is read for its links, not kept", group.as_str()),
                );
            }
            TypeVerdict::Refuse => {
                walk.refuse(
                    "type",
                    Reason::UnwantedType,
                    if question.taking.names.keeps(&url) {
                        format!("{} is not wanted", group.as_str())
                    } else {
                        "the file name is not wanted (accept, reject)".to_owned()
                    },
                );
            }
        },
    }
    let by_looks = || traps::syntax(&url).or_else(|| traps::calendar(&url, question.now));
    match by_looks().filter(|_| url.is_web()) {
        Some(reason) => walk.refuse("trap", reason, reason.meaning().to_owned()),
        None => walk.pass("trap", "no sign of a trap".to_owned()),
    }
    match &question.seen {
        SeenBefore::Never => walk.pass("seen", "never".to_owned()),
        SeenBefore::Known(words) => walk.pass("seen", words.clone()),
        SeenBefore::CopyOf(other) => walk.pass("seen", format!("same document as {other}")),
    }
    walk.finish(&url)
}

/// What the rules and the scope say. A rule speaks before the scope: an allow takes in what lies outside, a deny leaves out
/// what lies inside.
fn scope_and_rules(question: &ExplainQuestion<'_>, taking: &Taking<'_>, url: &Url, walk: &mut Walk) {
    let words = taking.scope.describe();
    let ruling = taking.ruling(url);
    match taking.scope.contains(url) {
        ScopeVerdict::Inside => walk.pass("scope", words),
        ScopeVerdict::Outside(why) if Taking::takes_in(ruling) => {
            walk.open("scope", format!("outside ({why}), but a rule allows it: {words}"));
        }
        ScopeVerdict::Outside(why) if taking.is_part(question.bond) => {
            walk.open(
                "scope",
                format!("outside ({why}), but a part of some page, and requisites are fetched: {words}"),
            );
        }
        ScopeVerdict::Outside(why) => {
            walk.refuse("scope", Reason::OutOfScope, format!("{why}: {words}"));
        }
    }
    let Some(ruling) = ruling else {
        let detail = if taking.rules.is_empty() {
            "there are none"
        } else {
            "none matches, the scope decides"
        };
        walk.open("rule", detail.to_owned());
        return;
    };
    let verb = match ruling.action {
        RuleAction::Allow => "allows",
        RuleAction::Deny => "denies",
    };
    let pattern =
        |rules: &[Rule], index: usize| rules.get(index).map_or(String::new(), |r| r.pattern.clone());
    let detail = match ruling.by {
        RuledBy::Project(index) => {
            format!(
                "rule {} {verb}: {}",
                index + 1,
                pattern(question.rules_text, index)
            )
        }
        RuledBy::Default => format!("none matches, and the default {verb} the rest"),
        RuledBy::Step(index) => format!("rule {} of the step {verb}", index + 1),
    };
    let refused = (ruling.action == RuleAction::Deny).then_some(Reason::RuleDenied);
    walk.step("rule", refused, detail);
}

/// The steps that lead to the address, each asked by itself: one that takes it is enough.
fn steps(question: &ExplainQuestion<'_>, url: &Url, walk: &mut Walk) {
    let mut takers = 0;
    let mut refused = None;
    for step in question.steps {
        let taking = Taking {
            step: Some(step.rules),
            ..question.taking
        };
        let by = match taking.ruling(url).map(|ruling| ruling.by) {
            Some(RuledBy::Step(index)) => {
                let pattern = step
                    .rules_text
                    .get(index)
                    .map_or("", |rule| rule.pattern.as_str());
                format!(", rule {} of it: {pattern}", index + 1)
            }
            Some(RuledBy::Project(index)) => {
                let pattern = question
                    .rules_text
                    .get(index)
                    .map_or("", |rule| rule.pattern.as_str());
                format!(", rule {}: {pattern}", index + 1)
            }
            Some(RuledBy::Default) => ", the default of the rules".to_owned(),
            None => String::new(),
        };
        let refusal = if step.depth.is_some_and(|depth| depth > step.depth_max) {
            Some(Reason::TooDeep)
        } else {
            taking.refuses(url, question.promised, step.depth.unwrap_or(0), question.bond)
        };
        let name = step.name;
        match (refusal, step.depth) {
            (Some(reason), _) => {
                refused = refused.or(Some(reason));
                walk.open("step", format!("'{name}' does not take it ({reason}{by})"));
            }
            (None, None) => {
                walk.open(
                    "step",
                    format!("'{name}' would take it, but no page of that step is known to lead there{by}"),
                );
            }
            (None, Some(depth)) => {
                takers += 1;
                let kept = if step.keeps {
                    ""
                } else {
                    ", and only passes through"
                };
                walk.pass(
                    "step",
                    format!(
                        "'{name}' takes it at depth {depth} of {}{by}{kept}",
                        step.depth_max
                    ),
                );
            }
        }
    }
    if takers == 0 {
        let reason = refused.unwrap_or(Reason::NotReached);
        walk.refuse("steps", reason, "no step takes it".to_owned());
    }
}

fn robots(question: &ExplainQuestion<'_>, url: &Url, walk: &mut Walk) {
    if !question.obey_robots {
        walk.open("robots", "not obeyed in this project".to_owned());
        return;
    }
    match question.robots {
        None => walk.open("robots", "robots.txt of this host was not fetched yet".to_owned()),
        Some(RobotsState::AllowAll { status }) => {
            walk.pass("robots", format!("no robots.txt to obey (status {status})"));
        }
        Some(RobotsState::Unreachable { reason }) => {
            let told = RobotsState::told(*reason);
            let detail = match told {
                Reason::DnsNotFound => "the host was not found".to_owned(),
                _ => format!("robots.txt could not be read: {reason}"),
            };
            walk.refuse("robots", told, detail);
        }
        Some(RobotsState::Rules(robots)) => {
            let decision = robots.decide(url);
            let detail = match (&decision.rule, decision.line) {
                (Some(rule), Some(line)) => format!("line {line}: {rule}"),
                _ => "no rule matches".to_owned(),
            };
            walk.step(
                "robots",
                (!decision.allowed).then_some(Reason::RobotsDenied),
                detail,
            );
        }
    }
}

/// Steps as they are gathered, and the first refusal.
struct Walk {
    steps: Vec<TraceStep>,
    first: Option<(Reason, String)>,
    /// Nothing but robots.txt stands against it.
    is_start: bool,
}

impl Walk {
    fn pass(&mut self, name: &'static str, detail: String) {
        self.steps.push(TraceStep {
            name,
            verdict: StepVerdict::Pass,
            detail,
        });
    }

    fn open(&mut self, name: &'static str, detail: String) {
        self.steps.push(TraceStep {
            name,
            verdict: StepVerdict::Open,
            detail,
        });
    }

    fn refuse(&mut self, name: &'static str, reason: Reason, detail: String) {
        if self.is_start && name != "robots" {
            self.open(name, format!("would be left out elsewhere ({reason}): {detail}"));
            return;
        }
        if self.first.is_none() {
            self.first = Some((reason, format!("{name}: {detail}")));
        }
        self.steps.push(TraceStep {
            name,
            verdict: StepVerdict::Refuse,
            detail,
        });
    }

    fn step(&mut self, name: &'static str, refusal: Option<Reason>, detail: String) {
        match refusal {
            Some(reason) => self.refuse(name, reason, detail),
            None => self.pass(name, detail),
        }
    }

    fn finish(self, url: &Url) -> Trace {
        let answer = match &self.first {
            Some((reason, detail)) => format!("not fetched ({reason}): {detail}"),
            None => "fetched".to_owned(),
        };
        let reason = self.first.map(|(reason, _)| reason.code());
        Trace {
            url: url.to_string(),
            steps: self.steps,
            fetched: reason.is_none(),
            reason,
            answer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileNames, Limits, Scope, Wanted};
    use gleaner_model::ScopeKind;
    use gleaner_model::project::PatternKind;

    #[test]
    fn a3_a_trace_shows_every_step_and_the_first_refusal() {
        let scope = Scope::new(ScopeKind::Host, &[Url::parse("http://a.test/").unwrap()]);
        let texts = [Rule {
            action: RuleAction::Deny,
            pattern_kind: PatternKind::Prefix,
            pattern: "http://a.test/private/".into(),
            note: String::new(),
        }];
        let rules = Rules::compile(&texts).unwrap();
        let robots = RobotsState::of_answer(200, b"User-agent: *\nDisallow: /private/\n", "gleaner");
        let limits = Limits {
            depth: Some(2),
            ..Limits::default()
        };
        let question = ExplainQuestion {
            given: "HTTP://A.test:80/private/./x.pdf#top",
            is_start: false,
            taking: Taking {
                scope: &scope,
                step: None,
                rules: &rules,
                default: None,
                limits: &limits,
                wanted: Wanted::new(&[TypeGroup::Html]),
                names: &FileNames::default(),
                requisites: false,
            },
            rules_text: &texts,
            steps: &[],
            robots: Some(&robots),
            obey_robots: true,
            depth: Some(3),
            promised: Some(TypeGroup::Documents),
            bond: Bond::Leads,
            seen: SeenBefore::Never,
            now: Timestamp(1_700_000_000_000),
        };
        let trace = explain(&question);
        assert_eq!(trace.url, "http://a.test/private/x.pdf");
        let names: Vec<&str> = trace.steps.iter().map(|s| s.name).collect();
        assert_eq!(
            names,
            [
                "canonical",
                "scope",
                "rule",
                "robots",
                "depth",
                "type",
                "trap",
                "seen"
            ]
        );
        let refused: Vec<&str> = trace
            .steps
            .iter()
            .filter(|s| s.verdict == StepVerdict::Refuse)
            .map(|s| s.name)
            .collect();
        assert_eq!(refused, ["rule", "robots", "depth", "type"]);
        assert_eq!((trace.fetched, trace.reason), (false, Some("rule-denied")));
        assert_eq!(
            trace.answer,
            "not fetched (rule-denied): rule: rule 1 denies: http://a.test/private/"
        );
        assert_eq!(trace.steps[3].detail, "line 2: Disallow: /private/");
        assert!(
            serde_json::to_string(&trace)
                .unwrap()
                .contains(r#""verdict":"refuse""#)
        );

        let fetched = explain(&ExplainQuestion {
            given: "https://a.test/",
            depth: None,
            promised: None,
            ..question.clone()
        });
        assert_eq!(
            (fetched.fetched, fetched.reason, fetched.answer.as_str()),
            (true, None, "fetched")
        );
        let calendar = explain(&ExplainQuestion {
            given: "http://a.test/calendar/2099/1",
            ..question.clone()
        });
        assert!(
            calendar
                .steps
                .iter()
                .any(|s| s.name == "trap" && s.verdict == StepVerdict::Refuse)
        );
        assert!(
            !explain(&ExplainQuestion {
                given: "no url",
                ..question.clone()
            })
            .fetched
        );
        let foreign = explain(&ExplainQuestion {
            given: "http://b.test/",
            ..question
        });
        assert_eq!(foreign.steps[1].detail, "another host: host of http://a.test/");
    }
}
