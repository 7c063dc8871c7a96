//! Do others read our archives? The warcio of Python as judge: every record parsed, every digest computed again.
//!
//! `tools/setup.sh` installs it. It is looked for in `GLEANER_WARCIO`, in the tools' virtual environment, on the path.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// What warcio says of each WARC file below `folder`, by name; `Err` when there is no warcio to ask.
pub fn warcio_check(folder: &Path) -> Result<Vec<(PathBuf, Result<(), String>)>> {
    let program = find().context("warcio is not installed; run tools/setup.sh")?;
    let mut files = Vec::new();
    collect(folder, &mut files).with_context(|| format!("cannot list: {}", folder.display()))?;
    files.sort();
    let check = |file: PathBuf| {
        let verdict = check_one(&program, &file);
        (file, verdict)
    };
    Ok(files.into_iter().map(check).collect())
}

fn check_one(program: &Path, file: &Path) -> Result<(), String> {
    let output = Command::new(program).arg("check").arg("-v").arg(file).output();
    match output {
        Err(error) => Err(format!("warcio cannot be started: {error}")),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            Err(String::from_utf8_lossy(&said).into_owned())
        }
    }
}

fn find() -> Option<PathBuf> {
    if let Some(program) = std::env::var_os("GLEANER_WARCIO") {
        return Some(program.into());
    }
    let cache = std::env::var_os("GLEANER_CACHE").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache/gleaner"));
    let installed = cache.or_else(home).map(|cache| cache.join("venv/bin/warcio"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("warcio"));
    installed
        .into_iter()
        .chain(on_path)
        .find(|program| program.is_file())
}

/// WARC files in a folder and all below; symbolic links are not followed.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if [".warc", ".warc.gz"].iter().any(|ending| name.ends_with(ending)) {
                files.push(entry.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(digest: &str) -> String {
        let (id, date) = (
            "<urn:uuid:00000000-0000-4000-8000-000000000001>",
            "2026-01-01T00:00:00Z",
        );
        format!(
            "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: {id}\r\nWARC-Date: {date}\r\n\
             WARC-Target-URI: http://a.test/\r\nWARC-Block-Digest: sha1:{digest}\r\n\
             Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n"
        )
    }

    #[test]
    fn a_right_digest_passes_and_a_wrong_one_does_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deep")).unwrap();
        std::fs::write(
            folder.path().join("a.warc"),
            record("VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"),
        )
        .unwrap();
        std::fs::write(
            folder.path().join("deep/b.warc"),
            record("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        )
        .unwrap();
        std::fs::write(folder.path().join("notes.txt"), "no archive").unwrap();
        let verdicts = match warcio_check(folder.path()) {
            Ok(verdicts) => verdicts,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let passed: Vec<bool> = verdicts.iter().map(|(_, verdict)| verdict.is_ok()).collect();
        assert_eq!(passed, [true, false], "{verdicts:?}");
    }
}
