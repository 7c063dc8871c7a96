//! What a trial saw on its way, and what it found.

use gleaner_model::{Leg, Reason, RunId, State};
use gleaner_run::{RuleAt, Sight};
use gleaner_store::keep::Cut;
use gleaner_store::{Ledger, StoreError};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Everything the witness was told, put in order.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) forms: Vec<Form>,
    /// How often the login was done.
    pub(super) logins: u64,
    /// The page after the login: its address and its text.
    pub(super) entered: Option<(String, String)>,
    /// In the order they were read.
    pub(super) pages: Vec<Page>,
    /// What the server does not have, with the status it said so by.
    pub(super) gone: Vec<(String, Option<u16>)>,
    /// Which page first led to an address.
    pub(super) led_by: HashMap<String, String>,
    pub(super) rules: BTreeMap<RuleAt, Count>,
    /// Links that no rule spoke about and that were not followed, by reason.
    pub(super) refused: BTreeMap<Reason, Count>,
    links: BTreeSet<(String, String)>,
}

pub(super) struct Form {
    /// None is the login.
    pub(super) step: Option<u32>,
    pub(super) page: String,
    pub(super) method: &'static str,
    pub(super) action: String,
    pub(super) fields: Vec<(String, String)>,
}

pub(super) struct Page {
    pub(super) url: String,
    pub(super) legs: Vec<Leg>,
    pub(super) is_kept: bool,
}

#[derive(Default)]
pub(super) struct Count {
    pub(super) links: u64,
    pub(super) example: String,
}

impl Count {
    fn add(&mut self, example: &str) {
        if self.links == 0 {
            example.clone_into(&mut self.example);
        }
        self.links += 1;
    }
}

impl Seen {
    pub(super) fn take(&mut self, sight: Sight) {
        match sight {
            Sight::Form {
                step,
                page,
                method,
                action,
                answer,
                fields,
            } => {
                self.logins += u64::from(step.is_none());
                if step.is_some() {
                    self.led_by
                        .entry(answer.to_string())
                        .or_insert_with(|| page.to_string());
                } else if self.logins > 1 {
                    return; // The same once more: the session had ended.
                }
                self.forms.push(Form {
                    step,
                    page: page.to_string(),
                    method,
                    action: action.to_string(),
                    fields,
                });
            }
            Sight::Gone { url, status } => self.gone.push((url.to_string(), status)),
            Sight::Entered { page, text } => self.entered = Some((page.to_string(), text)),
            Sight::Page { url, legs, is_kept } => self.pages.push(Page {
                url: url.to_string(),
                legs,
                is_kept,
            }),
            Sight::Link {
                page,
                url,
                refused,
                is_followed,
                rule,
            } => {
                let (page, url) = (page.to_string(), url.to_string());
                if is_followed {
                    self.led_by.entry(url.clone()).or_insert_with(|| page.clone());
                }
                // A page is looked at again after a login, and its links are no others then.
                if !self.links.insert((page, url.clone())) {
                    return;
                }
                match (rule, refused) {
                    (Some(rule), _) => self.rules.entry(rule).or_default().add(&url),
                    (None, Some(reason)) => self.refused.entry(reason).or_default().add(&url),
                    (None, None) => {}
                }
            }
        }
    }

    /// The steps that a page belongs to, by number.
    pub(super) fn steps_of(&self, url: &str) -> Vec<u32> {
        let pages = self.pages.iter().filter(|page| page.url == url);
        let steps: BTreeSet<u32> = pages
            .flat_map(|page| page.legs.iter().map(|leg| leg.step))
            .collect();
        steps.into_iter().collect()
    }
}

/// What the trial collected, before it is thrown away.
pub(super) struct Found {
    pub(super) documents: Vec<Document>,
    /// Address, reason, detail.
    pub(super) errors: Vec<(String, String, String)>,
    pub(super) passed: Vec<String>,
    pub(super) cuts: Vec<Cut>,
    pub(super) notes: Vec<String>,
    /// Addresses that were found and not fetched.
    pub(super) left: u64,
}

pub(super) struct Document {
    pub(super) url: String,
    pub(super) title: String,
    pub(super) media_type: String,
    pub(super) size: u64,
}

impl Found {
    pub(super) fn read(reader: &dyn Ledger, run: RunId, seen: &Seen) -> Result<Found, StoreError> {
        let (mut documents, mut errors) = (Vec::new(), Vec::new());
        for row in reader.all_changes(run, None) {
            let row = row?;
            if row.state == State::New {
                documents.push(Document {
                    url: row.url,
                    title: row.title.unwrap_or_default(),
                    media_type: row.media_type.unwrap_or_default(),
                    size: row.size.unwrap_or_default(),
                });
            } else {
                let reason = row.reason.map_or("", Reason::code).to_owned();
                errors.push((row.url, reason, row.detail.unwrap_or_default()));
            }
        }
        let passed = seen.pages.iter().filter(|page| !page.is_kept);
        let mut cuts = reader.cuts(run)?;
        let is_limit = |cut: &Cut| cut.reason == Reason::LimitPages;
        let cut_off: u64 = cuts.iter().filter(|cut| is_limit(cut)).map(|cut| cut.count).sum();
        cuts.retain(|cut| !is_limit(cut));
        Ok(Found {
            documents,
            errors,
            passed: passed.map(|page| page.url.clone()).collect(),
            cuts,
            notes: reader.notes(run)?,
            left: reader.counts(run)?.queued + cut_off,
        })
    }
}
