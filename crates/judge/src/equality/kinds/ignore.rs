//! A difference does not count where the user's pattern covers it.
//!
//! `regex` is taken out of both texts before they are compared; `select` is left out by `parse` and only kept here.
//! Patterns run in linear time and bounded memory; one that matches the empty text would excuse everything and is
//! refused; one that matches nothing on a page is remarked (HC086).

use super::main_text::MainText;
use super::{ChainError, Entry};
use crate::equality::{Difference, Equality, Ground, Role, Side, Verdict};
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;

pub(super) const ENTRY: Entry = Entry {
    name: "ignore",
    options: &["regex", "select"],
    make: |options| {
        let patterns = options
            .all("regex")
            .map(compiled)
            .collect::<Result<Vec<_>, _>>()?;
        if patterns.is_empty() && options.first("select").is_none() {
            return Err(ChainError::Missing {
                name: "ignore",
                option: "regex or select",
            });
        }
        Ok(Box::new(Ignore { patterns }))
    },
};

/// Memory of one compiled pattern.
const COMPILED_BYTES_MAX: usize = 1 << 20;

fn compiled(pattern: &str) -> Result<Regex, ChainError> {
    let bad = |why: String| ChainError::BadValue {
        name: "ignore",
        why,
        value: pattern.to_owned(),
    };
    let regex = RegexBuilder::new(pattern)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        .build()
        .map_err(|error| bad(error.to_string()))?;
    if regex.is_match("") {
        return Err(bad(
            "the pattern matches the empty text and so everything".to_owned()
        ));
    }
    Ok(regex)
}

#[derive(Debug)]
struct Ignore {
    patterns: Vec<Regex>,
}

impl Ignore {
    fn without<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut left = Cow::Borrowed(text);
        for pattern in &self.patterns {
            if pattern.is_match(&left) {
                left = Cow::Owned(pattern.replace_all(&left, "").into_owned());
            }
        }
        left
    }

    fn covers(&self, before: &str, now: &str) -> bool {
        let (before, now) = (self.without(before), self.without(now));
        before.split_whitespace().eq(now.split_whitespace())
    }
}

impl Equality for Ignore {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn role(&self) -> Role {
        Role::Excuses
    }

    /// On its own it stands beside the main text.
    fn same(&self, before: &Side, now: &Side) -> Verdict {
        MainText::excused_by(self, before, now)
    }

    fn excuses(&self, ground: &Ground<'_>, difference: &Difference) -> Option<String> {
        let why = || Some("matches the ignore pattern".to_owned());
        match difference {
            Difference::Title if self.covers(&ground.before.title, &ground.now.title) => why(),
            Difference::Block(change) => {
                let (before, now) = ground.blocks(change);
                let text = |block: Option<&gleaner_model::Block>| {
                    block.map_or("", |block| block.text.as_str()).to_owned()
                };
                let (before, now) = (text(before), text(now));
                // A move or another link target is excused only if nothing of the block is left.
                let covered = if before == now {
                    self.covers(&before, "")
                } else {
                    self.covers(&before, &now)
                };
                if covered { why() } else { None }
            }
            Difference::Title => None,
        }
    }

    fn remark(&self, ground: &Ground<'_>) -> Option<String> {
        let idle = self.patterns.iter().find(|pattern| {
            let matches = |content: &gleaner_model::Content| {
                pattern.is_match(&content.title)
                    || content.blocks.iter().any(|block| pattern.is_match(&block.text))
            };
            !matches(ground.before) && !matches(ground.now)
        })?;
        Some(format!("ignore pattern matched nothing on this page: {idle}"))
    }
}
