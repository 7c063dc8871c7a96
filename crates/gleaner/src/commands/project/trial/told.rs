//! How a trial is told: to a person as a tree, to a program as one object.

use super::seen::{Form, Found, Seen};
use crate::output::Output;
use gleaner_model::Project;
use gleaner_model::project::{Rule, RuleAction};
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_run::RuleAt;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

/// Lines of the page after the login that are shown.
const LINES_MAX: usize = 20;
const LINE_CHARS_MAX: usize = 100;
/// Deeper pages stand below each other instead of ever further to the right.
const INDENT_MAX: usize = 12;

pub(super) struct Told<'a> {
    pub(super) project: &'a Project,
    pub(super) seen: &'a Seen,
    pub(super) found: &'a Found,
    /// Nothing was left when it ended.
    pub(super) is_whole: bool,
    pub(super) max: u64,
}

impl Told<'_> {
    pub(super) fn write(&self, output: Output) -> io::Result<()> {
        let mut out = output.writer();
        if output.json {
            writeln!(out, "{}", self.object())?;
        } else {
            self.text(&mut out)?;
        }
        out.flush()
    }

    pub(super) fn object(&self) -> Value {
        let Told { seen, found, .. } = self;
        let documents = found.documents.iter().map(|document| {
            let steps: Vec<String> = self.steps_of(&document.url);
            json!({
                "url": document.url,
                "title": document.title,
                "type": document.media_type,
                "size": document.size,
                "steps": steps,
                "from": seen.led_by.get(&document.url),
            })
        });
        let forms = seen.forms.iter().map(|form| {
            let fields: Vec<Value> = (form.fields.iter())
                .map(|(name, value)| json!({ "name": name, "value": value }))
                .collect();
            json!({
                "step": form.step.map(|step| self.step_name(step)),
                "page": form.page,
                "method": form.method,
                "action": form.action,
                "fields": fields,
            })
        });
        let rules = seen.rules.iter().map(|(at, count)| {
            let rule = self.rule(*at);
            json!({
                "step": at.step.map(|step| self.step_name(step)),
                "rule": at.index + 1,
                "action": rule.map(action_of),
                "pattern": rule.map(|rule| &rule.pattern),
                "links": count.links,
                "example": count.example,
            })
        });
        let refused = seen.refused.iter().map(|(reason, count)| {
            json!({ "reason": reason.code(), "links": count.links, "example": count.example })
        });
        let errors = (found.errors.iter())
            .map(|(url, reason, detail)| json!({ "url": url, "reason": reason, "detail": detail }));
        json!({
            "project": self.project.name,
            "complete": self.is_whole,
            "fetched": seen.pages.len(),
            "left": found.left,
            "collected": documents.collect::<Vec<_>>(),
            "passed": found.passed,
            "errors": errors.collect::<Vec<_>>(),
            "logins": seen.logins,
            "gone": seen.gone.iter().map(|(url, status)| json!({ "url": url, "status": status })).collect::<Vec<_>>(),
            "login": seen.entered.as_ref().map(|(page, text)| json!({ "page": page, "text": text })),
            "forms": forms.collect::<Vec<_>>(),
            "rules": rules.collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
            "notes": found.notes,
        })
    }

    fn text(&self, out: &mut impl Write) -> io::Result<()> {
        let (logins, forms): (Vec<&Form>, Vec<&Form>) =
            (self.seen.forms.iter()).partition(|form| form.step.is_none());
        self.forms(out, &logins)?;
        self.login(out)?;
        self.forms(out, &forms)?;
        self.tree(out)?;
        self.decisions(out)?;
        let Told { seen, found, .. } = self;
        for (url, status) in &seen.gone {
            let status = status.map_or(String::new(), |status| format!(" ({status})"));
            let from = match seen.led_by.get(url) {
                Some(page) => format!(", which {} leads to", safe(page)),
                None => String::new(),
            };
            writeln!(out, "not there{status}: {}{from}", safe(url))?;
        }
        for (url, reason, detail) in &found.errors {
            let detail = if detail.is_empty() {
                String::new()
            } else {
                format!(" ({detail})")
            };
            writeln!(out, "error: {}: {reason}{}", safe(url), safe(&detail))?;
        }
        if seen.logins > 1 {
            let again = time::count(seen.logins - 1, "time");
            writeln!(out, "the session ended on the way; logged in again {again}")?;
        }
        for note in &found.notes {
            writeln!(out, "{}", safe(note))?;
        }
        let documents = time::count(found.documents.len() as u64, "document");
        let pages = time::count(seen.pages.len() as u64, "page");
        let name = safe(&self.project.name);
        if self.is_whole {
            writeln!(
                out,
                "{name}: a run would collect {documents}; {pages} fetched, nothing stored"
            )
        } else {
            let left = match found.left {
                0 => String::new(),
                left => format!(", {} found and not fetched", time::count(left, "address")),
            };
            writeln!(
                out,
                "{name}: a run would collect {documents} and more; {pages} fetched of at most {}{left}, nothing stored",
                self.max
            )
        }
    }

    fn login(&self, out: &mut impl Write) -> io::Result<()> {
        let Some((page, text)) = &self.seen.entered else {
            return Ok(());
        };
        writeln!(out, "the page after the login, {}", safe(page))?;
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        for line in lines.iter().take(LINES_MAX) {
            let short: String = line.chars().take(LINE_CHARS_MAX).collect();
            let more = if short.len() < line.len() { "…" } else { "" };
            writeln!(out, "  | {}{more}", safe(&short))?;
        }
        if lines.len() > LINES_MAX {
            writeln!(
                out,
                "  | … and {} more",
                time::count((lines.len() - LINES_MAX) as u64, "line")
            )?;
        }
        writeln!(out)
    }

    fn forms(&self, out: &mut impl Write, forms: &[&Form]) -> io::Result<()> {
        for form in forms {
            let whose = match form.step {
                None => "the login".to_owned(),
                Some(step) => format!("step {}", self.step_name(step)),
            };
            writeln!(out, "{whose} fills the form on {}", safe(&form.page))?;
            writeln!(out, "  {} {}", form.method, safe(&form.action))?;
            for (name, value) in &form.fields {
                let short: String = value.chars().take(LINE_CHARS_MAX).collect();
                let more = if short.len() < value.len() { "…" } else { "" };
                writeln!(out, "  {} = {}{more}", safe(name), safe(&short))?;
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Every page below the one that first led to it.
    fn tree(&self, out: &mut impl Write) -> io::Result<()> {
        let Told { seen, found, .. } = self;
        let titles: HashMap<&str, &str> = (found.documents.iter())
            .map(|document| (document.url.as_str(), document.title.as_str()))
            .collect();
        let passed: HashSet<&str> = found.passed.iter().map(String::as_str).collect();
        // Documents that no page was read for (files of a listing) stand at the end.
        let mut order: Vec<&str> = Vec::new();
        let mut here: HashSet<&str> = HashSet::new();
        let read = seen.pages.iter().map(|page| page.url.as_str());
        for url in read.chain(found.documents.iter().map(|document| document.url.as_str())) {
            if (titles.contains_key(url) || passed.contains(url)) && here.insert(url) {
                order.push(url);
            }
        }
        let mut below: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
        for url in &order {
            let parent = seen.led_by.get(*url).map(String::as_str);
            let parent = parent.filter(|parent| here.contains(parent) && parent != url);
            below.entry(parent).or_default().push(url);
        }
        let mut stack: Vec<(&str, usize)> = Vec::new();
        let roots = below.remove(&None).unwrap_or_default();
        stack.extend(roots.iter().rev().map(|url| (*url, 0)));
        while let Some((url, depth)) = stack.pop() {
            let indent = "  ".repeat(depth.min(INDENT_MAX));
            let mut beside: Vec<String> = Vec::new();
            if let Some(title) = titles.get(url).filter(|title| !title.is_empty()) {
                beside.push(title.chars().take(60).collect());
            }
            let steps = self.steps_of(url);
            if !steps.is_empty() {
                beside.push(format!("[{}]", steps.join(", ")));
            }
            if passed.contains(url) {
                beside.push("passed through, not kept".to_owned());
            }
            writeln!(out, "{indent}{}  {}", safe(url), safe(&beside.join("  ")))?;
            let children = below.remove(&Some(url)).unwrap_or_default();
            stack.extend(children.iter().rev().map(|child| (*child, depth + 1)));
        }
        // Two pages that lead to each other only have no root between them.
        for url in below.into_values().flatten() {
            writeln!(out, "{}", safe(url))?;
        }
        if !order.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    fn decisions(&self, out: &mut impl Write) -> io::Result<()> {
        let Told { seen, found, .. } = self;
        for (at, count) in &seen.rules {
            let Some(rule) = self.rule(*at) else { continue };
            let whose = match at.step {
                None => format!("rule {}", at.index + 1),
                Some(step) => format!("rule {} of step {}", at.index + 1, self.step_name(step)),
            };
            writeln!(
                out,
                "{whose}, {} {}: {}, for example {}",
                action_of(rule),
                safe(&rule.pattern),
                time::count(count.links, "link"),
                safe(&count.example)
            )?;
        }
        for (reason, count) in &seen.refused {
            writeln!(
                out,
                "not followed, {}: {}, for example {}",
                reason.code(),
                time::count(count.links, "link"),
                safe(&count.example)
            )?;
        }
        let told: HashSet<&str> = seen.refused.keys().map(|reason| reason.code()).collect();
        for cut in found.cuts.iter().filter(|cut| !told.contains(cut.reason.code())) {
            if cut.reason != gleaner_model::Reason::RuleDenied {
                let example = safe(&cut.example);
                writeln!(
                    out,
                    "left out, {}: {}, for example {example}",
                    cut.reason.code(),
                    cut.count
                )?;
            }
        }
        if !seen.rules.is_empty() || !seen.refused.is_empty() {
            writeln!(out)?;
        }
        Ok(())
    }

    fn steps_of(&self, url: &str) -> Vec<String> {
        let steps = self.seen.steps_of(url);
        steps.into_iter().map(|step| self.step_name(step)).collect()
    }

    fn step_name(&self, step: u32) -> String {
        let step_of = self.project.steps.get(step as usize);
        step_of.map_or_else(|| "looked at again".to_owned(), |step| step.name.clone())
    }

    fn rule(&self, at: RuleAt) -> Option<&Rule> {
        match at.step {
            None => self.project.rules.get(at.index),
            Some(step) => self.project.steps.get(step as usize)?.rules.get(at.index),
        }
    }
}

fn action_of(rule: &Rule) -> &'static str {
    match rule.action {
        RuleAction::Allow => "allow",
        RuleAction::Deny => "deny",
    }
}
