//! Is a document with this file name wanted? (A6)
//!
//! Patterns as in wget's accept and reject lists: with `*`, `?` or `[` they stand for the whole file name, without they say
//! how it ends. Upper and lower case are alike. Pages are read for their links whatever they are called, so `*.pdf` finds
//! the documents behind them.

use gleaner_model::{Project, Url};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The file names that a project takes and leaves.
#[derive(Debug, Clone, Default)]
pub struct FileNames {
    /// None: all.
    accept: Option<GlobSet>,
    reject: Option<GlobSet>,
}

/// A pattern that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("this pattern for file names cannot be read ({why}); write it as *.pdf or pdf: {pattern}")]
pub struct FileNameError {
    pub pattern: String,
    why: String,
}

impl FileNames {
    pub fn of(project: &Project) -> Result<FileNames, FileNameError> {
        Ok(FileNames {
            accept: compile(&project.accept)?,
            reject: compile(&project.reject)?,
        })
    }

    /// Whether a document at `url` is kept, as far as its name goes.
    pub fn keeps(&self, url: &Url) -> bool {
        if self.accept.is_none() && self.reject.is_none() {
            return true;
        }
        let name = match url.path().rsplit('/').next() {
            None | Some("") => "index.html",
            Some(name) => name,
        };
        let is_accepted = self.accept.as_ref().is_none_or(|set| set.is_match(name));
        is_accepted && !self.reject.as_ref().is_some_and(|set| set.is_match(name))
    }
}

fn compile(patterns: &[String]) -> Result<Option<GlobSet>, FileNameError> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let wrong = |pattern: &str, error: &globset::Error| FileNameError {
        pattern: pattern.to_owned(),
        why: error.kind().to_string(),
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let is_whole = pattern.contains(['*', '?', '[']);
        let whole = if is_whole {
            pattern.clone()
        } else {
            format!("*{}", globset::escape(pattern))
        };
        let glob = GlobBuilder::new(&whole).case_insensitive(true).build();
        set.add(glob.map_err(|error| wrong(pattern, &error))?);
    }
    set.build()
        .map(Some)
        .map_err(|error| wrong(&patterns.join(","), &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(accept: &[&str], reject: &[&str], url: &str) -> bool {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let project = Project {
            accept: owned(accept),
            reject: owned(reject),
            ..Project::new("a", Vec::new())
        };
        FileNames::of(&project).unwrap().keeps(&Url::parse(url).unwrap())
    }

    #[test]
    fn a6_names_are_taken_as_wget_takes_them() {
        for (accept, reject, url, wanted) in [
            (&["pdf"][..], &[][..], "http://a.test/x/Report.PDF?v=2", true),
            (&["pdf"], &[], "http://a.test/pdf/", false),
            (&["*.pdf", ".jpg"], &[], "http://a.test/b.jpg", true),
            (&["report*"], &[], "http://a.test/report-7.html", true),
            (&["report*"], &[], "http://a.test/reports/7.html", false),
            (&[], &["index.html*"], "http://a.test/docs/", false),
            (&[], &["index.html*"], "http://a.test/docs/a.html", true),
            (&["html"], &["*draft*"], "http://a.test/my-draft.html", false),
            (&[], &[], "http://a.test/", true),
            (&["a{b"], &[], "http://a.test/xa%7Bb", false),
        ] {
            assert_eq!(keeps(accept, reject, url), wanted, "{accept:?} {reject:?} {url}");
        }
        let broken = Project {
            accept: vec!["[a".to_owned()],
            ..Project::new("a", Vec::new())
        };
        let error = FileNames::of(&broken).unwrap_err().to_string();
        assert!(error.ends_with(": [a"), "{error}");
    }
}
