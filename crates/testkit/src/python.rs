//! Do others read what we export? Packages of Python as judges, in the tools' virtual environment.
//!
//! `tools/setup.sh` installs them. Where they are missing a test is skipped, but not where everything has to be there (`CI=true`).

use std::path::{Path, PathBuf};
use std::process::Command;

/// The Python that has this package; `None`, with the reason told, where there is none. The test ends where `CI` is `true`.
pub fn python_with(package: &str) -> Option<PathBuf> {
    let cache = std::env::var_os("GLEANER_CACHE").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/gleaner"));
    let python = cache.or_else(home).map(|cache| cache.join("venv/bin/python"));
    let has = |python: &PathBuf| {
        let asked = Command::new(python)
            .args(["-c", &format!("import {package}")])
            .output();
        asked.is_ok_and(|output| output.status.success())
    };
    let found = python.filter(has);
    if found.is_none() {
        let why = format!("the Python package {package} is not installed; run tools/setup.sh");
        gleaner_fixtures::skip(why);
    }
    found
}

/// What a script prints. The test ends where it fails.
pub fn run_python(python: &Path, script: &str, arguments: &[&str]) -> String {
    let output = Command::new(python)
        .arg("-c")
        .arg(script)
        .args(arguments)
        .output();
    let output = output.expect("Python starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    said
}
