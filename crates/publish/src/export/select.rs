//! Which documents are meant?

use super::{ExportRequest, GoneDocuments};
use crate::ExportError;
use gleaner_model::{Timestamp, Url};
use gleaner_store::Ledger;
use gleaner_store::ledger::Holding;
use globset::{Glob, GlobMatcher};

/// Filters; an empty list lets all pass.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// In upper case. Without any, what is gone is left out.
    pub states: Vec<String>,
    /// `text/html`, or just `text`.
    pub types: Vec<String>,
    pub hosts: Vec<String>,
    pub paths: Vec<PathPattern>,
    /// When the version was fetched.
    pub since: Option<Timestamp>,
}

/// A pattern of the path of a URL with its query, as `/docs/*`.
#[derive(Debug, Clone)]
pub struct PathPattern(GlobMatcher);

impl PathPattern {
    pub fn parse(text: &str) -> Result<PathPattern, String> {
        let glob = Glob::new(text).map_err(|error| error.kind().to_string())?;
        Ok(PathPattern(glob.compile_matcher()))
    }

    fn matches(&self, url: &Url) -> bool {
        match url.query() {
            Some(query) => self.0.is_match(format!("{}?{query}", url.path())),
            None => self.0.is_match(url.path()),
        }
    }
}

impl Selection {
    fn takes(&self, holding: &Holding, gone: GoneDocuments) -> bool {
        let is_wanted = if self.states.is_empty() {
            holding.gone_run.is_none() || gone == GoneDocuments::Marked
        } else {
            self.states.iter().any(|state| state == holding.state.as_str())
        };
        is_wanted
            && any(&self.types, |of| is_of_type(&holding.media_type, of))
            && any(&self.hosts, |host| holding.host.eq_ignore_ascii_case(host))
            && self.since.is_none_or(|since| holding.fetched_at >= since)
            && (self.paths.is_empty()
                || Url::parse(&holding.url).is_ok_and(|url| self.paths.iter().any(|path| path.matches(&url))))
    }
}

fn any(list: &[String], test: impl Fn(&str) -> bool) -> bool {
    list.is_empty() || list.iter().any(|one| test(one))
}

/// `text/html` is of the types `text/html` and `text`.
fn is_of_type(media_type: &str, of: &str) -> bool {
    match media_type.get(..of.len()) {
        Some(start) if start.eq_ignore_ascii_case(of) => {
            media_type.len() == of.len() || media_type.as_bytes()[of.len()] == b'/'
        }
        _ => false,
    }
}

/// The documents that are asked for, the oldest first.
pub(super) fn select(reader: &dyn Ledger, request: &ExportRequest<'_>) -> Result<Vec<Holding>, ExportError> {
    let mut holdings = reader.holdings(request.project, request.run)?;
    if holdings.is_empty() {
        return Err(ExportError::Nothing {
            project: request.name.to_owned(),
            run: request.run,
        });
    }
    holdings.retain(|holding| request.selection.takes(holding, request.gone));
    Ok(holdings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_whole_words() {
        assert!(is_of_type("text/html", "text/html") && is_of_type("text/html", "Text"));
        assert!(!is_of_type("text/html", "text/htm") && !is_of_type("textual/x", "text"));
        assert!(!is_of_type("text", "text/html"));
    }

    #[test]
    fn patterns_are_of_paths_with_their_queries() {
        let matches = |pattern: &str, url: &str| {
            let url = Url::parse(url).expect("an address");
            PathPattern::parse(pattern).expect("a pattern").matches(&url)
        };
        assert!(matches("/docs/*", "http://a.test/docs/deep/x.html"));
        assert!(!matches("/docs/*", "http://a.test/blog/docs/x.html"));
        assert!(matches("*.pdf", "http://a.test/a/b.pdf"));
        assert!(matches("/show*id=?", "http://a.test/show?x=1&id=7"));
        assert!(PathPattern::parse("/a[").is_err());
    }
}
