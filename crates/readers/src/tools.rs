//! Programs from outside, used where they are found and named where they are not.
//!
//! They run in a private folder, without the caller's environment, with limits that they inherit (memory) or get here
//! (processor time, output, files), and end with the group of the process that started them (HC115).

use gleaner_model::BlockKind;
use gleaner_parse::documents::{Format, Pen, Reading, Unread};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// Blocks of 512 bytes that a program may write to one file.
const FILE_BLOCKS_MAX: u32 = 512 * 1024;

const OFFICE_SETTINGS: &str = include_str!("tools/office.xcu");

#[derive(Debug, Clone, Default)]
pub struct Tools {
    ghostscript: Option<PathBuf>,
    office: Option<PathBuf>,
}

impl Tools {
    /// What is installed here.
    pub fn find() -> Tools {
        Tools {
            ghostscript: on_path(&["gs"]),
            office: on_path(&["soffice", "libreoffice"]),
        }
    }

    pub fn none() -> Tools {
        Tools::default()
    }

    pub fn has_ghostscript(&self) -> bool {
        self.ghostscript.is_some()
    }

    pub fn has_office(&self) -> bool {
        self.office.is_some()
    }

    /// Text of `PostScript`, page by page. It is a program and has to be run.
    pub(crate) fn postscript(&self, bytes: &[u8], cpu: Duration) -> Result<Reading, Unread> {
        let Some(program) = &self.ghostscript else {
            return Err(Unread::ToolMissing("ghostscript (gs)".to_owned()));
        };
        let arguments = [
            "-q",
            "-dSAFER",
            "-dBATCH",
            "-dNOPAUSE",
            "-dNOPROMPT",
            "-sDEVICE=txtwrite",
        ];
        let folder = private_folder()?;
        let pages = folder.path().join("page%05d.txt");
        let mut all: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        all.push(format!("-sOutputFile={}", pages.display()));
        all.push(source_file(folder.path(), bytes)?);
        let end = run(program, &all, folder.path(), cpu)?;
        let mut pen = Pen::new(Format::PostScript);
        comments(bytes, &mut pen);
        let mut page = 0;
        while let Ok(text) = std::fs::read(folder.path().join(format!("page{:05}.txt", page + 1))) {
            page += 1;
            pen.page(page);
            lines(&String::from_utf8_lossy(&text), &mut pen);
        }
        match end {
            // Its last page may be half a page.
            End::Late if page > 0 => pen.cut(),
            End::Late => return Err(Unread::Timeout),
            End::Itself if page == 0 => {
                return Err(Unread::damaged_by("ghostscript made no page of it"));
            }
            End::Itself => {}
        }
        pen.metadata().pages = Some(page);
        pen.finish()
    }

    /// A document as PDF. The name of its file tells the program what it is.
    pub(crate) fn to_pdf(&self, format: Format, bytes: &[u8], cpu: Duration) -> Result<Vec<u8>, Unread> {
        let folder = private_folder()?;
        let out = folder.path().join("document.pdf");
        let end = if format == Format::PostScript {
            let Some(program) = &self.ghostscript else {
                return Err(Unread::ToolMissing("ghostscript (gs)".to_owned()));
            };
            let words = [
                "-q",
                "-dSAFER",
                "-dBATCH",
                "-dNOPAUSE",
                "-dNOPROMPT",
                "-sDEVICE=pdfwrite",
            ];
            let mut all: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            all.push(format!("-sOutputFile={}", out.display()));
            all.push(source_file(folder.path(), bytes)?);
            run(program, &all, folder.path(), cpu)?
        } else {
            let Some(program) = &self.office else {
                return Err(Unread::ToolMissing("LibreOffice (soffice)".to_owned()));
            };
            let profile = office_profile(folder.path())?;
            let source = folder.path().join(format!("document.{}", format.as_str()));
            std::fs::write(&source, bytes).map_err(|error| no_folder(&error))?;
            let mut all = vec![
                format!("-env:UserInstallation=file://{}", profile.display()),
                "--headless".to_owned(),
                "--norestore".to_owned(),
            ];
            if format == Format::Html {
                // Opened as a page of the web it loses its first line.
                all.push("--infilter=HTML (StarWriter)".to_owned());
            }
            all.extend([
                "--convert-to".to_owned(),
                "pdf".to_owned(),
                "--outdir".to_owned(),
                folder.path().display().to_string(),
                source.display().to_string(),
            ]);
            run(program, &all, folder.path(), cpu)?
        };
        if end == End::Late {
            return Err(Unread::Timeout);
        }
        std::fs::read(&out).map_err(|_| Unread::damaged_by("the program that makes PDF made none of it"))
    }
}

/// The first of the programs that is on the path.
fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .collect();
    names.iter().find_map(|name| {
        let mut places = folders.iter().map(|folder| folder.join(name));
        places.find(|place| place.is_file())
    })
}

fn private_folder() -> Result<tempfile::TempDir, Unread> {
    tempfile::Builder::new()
        .prefix("gleaner-reader-")
        .tempdir()
        .map_err(|error| no_folder(&error))
}

fn no_folder(error: &io::Error) -> Unread {
    Unread::Crashed(format!("no temporary folder could be created: {error}"))
}

/// A profile of `LibreOffice` in which documents load nothing.
fn office_profile(folder: &Path) -> Result<PathBuf, Unread> {
    let profile = folder.join("profile");
    let user = profile.join("user");
    std::fs::create_dir_all(&user)
        .and_then(|()| std::fs::write(user.join("registrymodifications.xcu"), OFFICE_SETTINGS))
        .map_err(|error| no_folder(&error))?;
    Ok(profile)
}

/// The document as a file of the private folder: the only one that the program may read by name.
fn source_file(folder: &Path, bytes: &[u8]) -> Result<String, Unread> {
    let source = folder.join("document");
    std::fs::write(&source, bytes).map_err(|error| no_folder(&error))?;
    Ok(source.display().to_string())
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// Well or not: what it made is looked at by the caller.
    Itself,
    /// It took more processor time than it may.
    Late,
}

/// Runs a program. The shell sets limits that Rust's standard library cannot.
fn run(program: &Path, arguments: &[String], folder: &Path, cpu: Duration) -> Result<End, Unread> {
    // Ends with us also where we are killed and cannot end it. Who was killed before that was asked for is not there any more
    // when the program is about to begin.
    let begins = r#"test "$PPID" = "$READER" || exit; exec "$0" "$@""#;
    let dies = format!(
        "command -v setpriv >/dev/null && exec setpriv --pdeathsig KILL /bin/sh -c '{begins}' \"$0\" \"$@\""
    );
    // The soft limit says why it ended; the hard one ends it for sure.
    let seconds = cpu.as_secs();
    let limits = format!(
        "ulimit -H -t {}; ulimit -S -t {seconds}; ulimit -f {FILE_BLOCKS_MAX}; {dies}; exec \"$0\" \"$@\"",
        seconds + 5
    );
    let ended = Command::new("/bin/sh")
        .args(["-c", &limits])
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .env("READER", std::process::id().to_string())
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match ended {
        Ok(ended) if is_late(ended) => Ok(End::Late),
        Ok(_) => Ok(End::Itself),
        Err(error) => Err(Unread::ToolMissing(format!("{} ({error})", program.display()))),
    }
}

/// Whether the kernel ended a process because of its processor time.
#[cfg(unix)]
pub(crate) fn is_late(ended: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    ended.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
pub(crate) fn is_late(_: ExitStatus) -> bool {
    false
}

/// What `PostScript` says about itself in its first lines.
fn comments(bytes: &[u8], pen: &mut Pen) {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
    for line in head.lines() {
        let value = |name: &str| {
            let value = line.strip_prefix(name)?.trim();
            Some(value.trim_start_matches('(').trim_end_matches(')').to_owned())
                .filter(|value| !value.is_empty())
        };
        if let Some(title) = value("%%Title:") {
            pen.metadata().title = title;
        }
        if let Some(author) = value("%%For:") {
            pen.metadata().authors = vec![author];
        }
        if let Some(date) = value("%%CreationDate:") {
            pen.metadata().created = Some(date);
        }
    }
}

/// Lines as paragraphs: an empty line parts them.
pub(crate) fn lines(text: &str, pen: &mut Pen) {
    for line in text.lines() {
        if line.trim().is_empty() {
            pen.end(BlockKind::Paragraph, 0);
        } else {
            pen.push(line);
            pen.push("\n");
        }
    }
    pen.end(BlockKind::Paragraph, 0);
}
