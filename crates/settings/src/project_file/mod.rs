//! A project as one TOML file, readable and writable by hand (D2).
//!
//! [`read`] goes from text to a checked [`Project`] and tells all mistakes at once, each with its line and column and what
//! would be right; [`write`] goes back, and what it writes reads as the same project. docs/projects.md explains the file.
//!
//! Nothing is asked of the world here: whether a path exists, a variable is set, a pattern compiles or a selector can be
//! understood is for others to find out. They point at the file through [`Places`]. Secrets are only ever references, and
//! a literal one is masked in the message about it.
//!
//! `syntax` explains what is not TOML, `section` reads one table, `keys` knows which keys there are, `settings`, `steps` and
//! `forms` put the project together, `words` reads the small texts.

mod forms;
pub(crate) mod keys;
pub(crate) mod mistake;
pub(crate) mod place;
pub(crate) mod section;
pub(crate) mod settings;
mod steps;
pub(crate) mod syntax;
#[cfg(test)]
mod tests;
pub(crate) mod words;
mod write;

pub use mistake::Mistake;
pub use place::{Place, Places};
pub use words::{check_name, is_path};
pub use write::write;

use gleaner_model::Project;
use keys::Kind;
use section::{Notes, Section};

/// A file longer than this was not written by hand, nor by us.
pub const FILE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// What was read.
#[derive(Debug, Clone)]
pub struct ProjectFile {
    /// Paths in it (sources, files) are as written: relative to where the file lies.
    pub project: Project,
    pub places: Places,
}

/// The same for what was read from a disk: a file that is no text has a place, too.
pub fn read_bytes(bytes: &[u8]) -> Result<ProjectFile, Vec<Mistake>> {
    match read_with_mistakes(bytes) {
        (Some(file), mistakes) if mistakes.is_empty() => Ok(file),
        (_, mistakes) => Err(mistakes),
    }
}

/// What can be read of a file with mistakes in it, for others who look for more of them; none where it is no TOML.
pub fn read_with_mistakes(bytes: &[u8]) -> (Option<ProjectFile>, Vec<Mistake>) {
    match std::str::from_utf8(bytes) {
        Ok(text) => read_text(text),
        Err(error) => {
            let text = String::from_utf8_lossy(bytes);
            let at = error.valid_up_to();
            let mistake = Mistake::new(
                &text,
                &(at..at),
                "this is not UTF-8".to_owned(),
                "save the file as UTF-8".to_owned(),
            );
            (None, vec![mistake])
        }
    }
}

/// Reads a project file; all mistakes at once, in the order of the file.
pub fn read(text: &str) -> Result<ProjectFile, Vec<Mistake>> {
    read_bytes(text.as_bytes())
}

fn read_text(text: &str) -> (Option<ProjectFile>, Vec<Mistake>) {
    let mut notes = Notes::of(text);
    if text.len() > FILE_BYTES_MAX {
        let what = format!("the file is larger than {} MiB", FILE_BYTES_MAX >> 20);
        notes.wrong(
            &(0..0),
            what,
            "a project file is written by hand; is it the right one?",
        );
        return (None, notes.into_mistakes());
    }
    let (table, errors) = toml::de::DeTable::parse_recoverable(text);
    let damage = syntax::Damage::note(&errors, &table, &mut notes);
    let syntactic = std::mem::take(&mut notes.mistakes);

    let file = Section::new(Kind::File, "", table.get_ref(), table.span(), &mut notes);
    let mut project = settings::read(&file, &mut notes);
    project.login = forms::login(&file, &mut notes);
    project.rules = steps::rules(&file, Kind::Rule, &mut notes);
    project.steps = steps::read(&file, &mut notes);

    notes.mistakes.retain(|noted| damage.leaves(noted));
    let file = syntactic.is_empty().then(|| ProjectFile {
        project,
        places: Places {
            text: notes.masked(),
            ..notes.places.clone()
        },
    });
    notes.mistakes.extend(syntactic);
    (file, notes.into_mistakes())
}
