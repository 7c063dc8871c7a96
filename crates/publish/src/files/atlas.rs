//! Which path has which document? Every one its own, also where case does not count, and the same one in every update.
//!
//! A path that an earlier copy gave stays, as long as it fits. All others are given out in the order of the documents, the
//! oldest first: who comes later and wants what is taken gets a mark, made of its URL. A name is taken when it is a file or a
//! folder of another, and when it lies in the folder already and is not ours.

use super::names::{Mark, PATH_BYTES_MAX, Wish, folded, marked, possible, split_end};
use std::collections::HashSet;

/// What lies at a path of the folder before anything is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    Folder,
    /// A file that an earlier copy wrote.
    Ours,
    /// Somebody else's file, or a link to elsewhere.
    Foreign,
}

pub(crate) struct Atlas<'d> {
    look: &'d dyn Fn(&str) -> Found,
    files: HashSet<String>,
    folders: HashSet<String>,
    /// Folders that were looked at and may be entered.
    open: HashSet<String>,
}

/// Why a path cannot be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// The folder at this place is another's file.
    Folder(usize),
    Name,
}

impl<'d> Atlas<'d> {
    pub(crate) fn new(look: &'d dyn Fn(&str) -> Found) -> Atlas<'d> {
        Atlas {
            look,
            files: HashSet::new(),
            folders: HashSet::new(),
            open: HashSet::new(),
        }
    }

    /// Keeps a name at the root for something else.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.files.insert(folded(name));
    }

    /// Takes a path that was given before, if it is still free and one that could have been given.
    pub(crate) fn claim(&mut self, path: &str) -> bool {
        is_sound(path) && self.taken(path).is_none() && self.take(path)
    }

    /// A path of its own for every wish.
    pub(crate) fn place(&mut self, wish: &Wish) -> String {
        let mut nth = 0;
        loop {
            let (mark, of) = match nth {
                0 => (None, wish.of.clone()),
                1 => (Some(Mark::Short), wish.of.clone()),
                2 => (Some(Mark::Long), wish.of.clone()),
                // Somebody made files of just these names.
                _ => (Some(Mark::Long), format!("{} {nth}", wish.of)),
            };
            nth += 1;
            let mut wished = wish.clone();
            if let Some(mark) = mark {
                wished.file = marked(&wish.file, &of, mark);
            }
            self.enter(&mut wished);
            if wished.path().len() > PATH_BYTES_MAX {
                wished = wish.short(mark.unwrap_or(Mark::Short), &of);
                self.enter(&mut wished);
            }
            let path = wished.path();
            if self.taken(&path).is_none() && self.take(&path) {
                return path;
            }
        }
    }

    /// Gives marks to those folders that are another's file.
    fn enter(&mut self, wish: &mut Wish) {
        let wished = wish.folders.clone();
        for mark in [Mark::Short, Mark::Long] {
            let mut marked_before = None;
            while let Some(Taken::Folder(at)) = self.taken(&wish.path())
                && marked_before.is_none_or(|before| before < at)
            {
                let (name, of) = &wished[at];
                wish.folders[at].0 = marked(name, of, mark);
                marked_before = Some(at);
            }
        }
    }

    fn taken(&mut self, path: &str) -> Option<Taken> {
        let key = folded(path);
        for (nth, (at, _)) in path.match_indices('/').enumerate() {
            let folder = &path[..at];
            if self.open.contains(folder) {
                continue;
            }
            let is_file = self.files.contains(&folded(folder));
            // Our own file there goes before anything is written, or it would be among `files`.
            if is_file || (self.look)(folder) == Found::Foreign {
                return Some(Taken::Folder(nth));
            }
        }
        let is_free = matches!((self.look)(path), Found::Nothing | Found::Ours);
        (self.files.contains(&key) || self.folders.contains(&key) || !is_free).then_some(Taken::Name)
    }

    fn take(&mut self, path: &str) -> bool {
        for (at, _) in path.match_indices('/') {
            let folder = &path[..at];
            if self.open.insert(folder.to_owned()) {
                self.folders.insert(folded(folder));
            }
        }
        self.files.insert(folded(path))
    }
}

/// Whether a path is one that this room gives: what somebody wrote into a list is not believed.
pub(crate) fn is_sound(path: &str) -> bool {
    path.len() <= PATH_BYTES_MAX
        && path.contains('/')
        && path
            .split('/')
            .all(|name| !name.is_empty() && possible(name) == name)
}

/// Whether a path given before still fits a document.
pub(crate) fn still_fits(path: &str, wish: &Wish) -> bool {
    let end = |name: &str| split_end(name).1.map(str::to_ascii_lowercase);
    end(path.rsplit('/').next().unwrap_or(path)) == end(&wish.file)
}
