//! Which processes belong to a test? Those that have its folder for temporary files in their environment, however they are
//! related: programs that a reader starts get a folder inside it.

use std::time::{Duration, Instant};

/// Nothing of a test takes longer to start or to end.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Mark {
    folder: tempfile::TempDir,
    path: String,
}

impl Mark {
    pub(super) fn new() -> Mark {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().display().to_string();
        Mark { folder, path }
    }

    /// The variable that carries the mark.
    pub(super) const NAME: &'static str = "TMPDIR";

    pub(super) fn value(&self) -> &str {
        &self.path
    }

    /// Whether everything that was put there is gone again.
    pub(super) fn is_empty(&self) -> bool {
        std::fs::read_dir(self.folder.path()).is_ok_and(|mut entries| entries.next().is_none())
    }

    /// The command lines of marked processes that are alive.
    pub(super) fn running(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let at = entry.path();
            let Ok(environment) = std::fs::read(at.join("environ")) else {
                continue;
            };
            if !String::from_utf8_lossy(&environment).contains(&self.path) {
                continue;
            }
            let line = std::fs::read(at.join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            // One that has ended and is not waited for has no command line.
            if !line.is_empty() {
                found.push(line);
            }
        }
        found
    }

    pub(super) fn wait_until(&self, is_so: impl Fn(&[String]) -> bool) {
        let begun = Instant::now();
        while !is_so(&self.running()) {
            assert!(begun.elapsed() < PATIENCE, "still: {:?}", self.running());
            std::thread::yield_now();
        }
    }
}
