//! Which places belong to the run? Those that the project names, and the hosts that its seeds lead to.

use gleaner_frontier::Scope;
use gleaner_model::Url;
use std::sync::{PoisonError, RwLock};

/// A scope that grows by where seeds redirect to (`example.com` is what people type, `www.example.com` what they mean).
pub struct GrowingScope(RwLock<Scope>);

impl GrowingScope {
    pub fn new(scope: Scope) -> GrowingScope {
        GrowingScope(RwLock::new(scope))
    }

    /// A host that a seed redirects to belongs to the crawl.
    pub fn admit(&self, url: &Url) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).admit(url);
    }

    pub fn contains(&self, url: &Url) -> bool {
        self.ask(|scope| scope.contains(url).is_inside())
    }

    pub(crate) fn ask<T>(&self, ask: impl FnOnce(&Scope) -> T) -> T {
        ask(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::ScopeKind;

    #[test]
    fn a_host_that_a_seed_leads_to_belongs_to_the_run() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        let scope = GrowingScope::new(Scope::new(ScopeKind::Host, &[url("http://example.com/")]));
        assert!(scope.contains(&url("http://example.com/a")));
        assert!(!scope.contains(&url("http://www.example.com/a")));
        scope.admit(&url("http://www.example.com/"));
        assert!(scope.contains(&url("http://www.example.com/a")));
        assert!(!scope.contains(&url("http://example.org/")));
    }
}
