//! What an update of a folder has to do, and how it is carried through so that a kill at any moment does no harm.
//!
//! ```text
//!  plan: the list as it was against the documents as they are ──► announce: all files that may be there from now on
//!    ──► take: the files of one document, again and again ──► finish: lists of paths, then what is there
//! ```
//! The files of a document are made from its version, its address and the settings of the export, and from nothing else. A
//! digest of these stands in the list, so that what did not change is known without reading it.

use super::form::{FileNaming, TreeForm};
use super::list::{ADDRESS_FILE, ADDRESSES, Entry, Folder, GONE, List, OwnFile};
use super::tree::Tree;
use super::{ExportRequest, Exported, GoneDocuments};
use crate::ExportError;
use crate::files::atlas::Found;
use crate::files::folder::Put;
use gleaner_model::{Reason, UrlKey};
use gleaner_store::ledger::Holding;
use std::collections::{BTreeMap, HashMap};

/// Changes with every change of what the files of a document are made like.
const MAKING: u32 = 1;

/// The files of a document, or what is known instead.
pub(super) struct Made {
    /// Path and content.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// Why it has no text.
    pub(super) reason: Option<Reason>,
}

/// What an update has to do, and the list as it will be.
pub(super) struct Update {
    before: Option<List>,
    list: List,
    /// Documents whose files have to be made, by their place.
    pub(super) todo: Vec<usize>,
    digests: HashMap<i64, String>,
}

impl Update {
    pub(super) fn plan(
        request: &ExportRequest<'_>,
        tree: &Tree<'_>,
        holdings: &[Holding],
        names: &[String],
        folder: &Folder,
    ) -> Result<Update, ExportError> {
        let form = tree.form;
        let before = folder.before.clone();
        let mut list = List::new(request.name, form.name(), form.naming(), request.run.0);
        let mut files_of: HashMap<i64, Vec<(&String, OwnFile)>> = HashMap::new();
        for (path, file) in before.iter().flat_map(|before| &before.files) {
            if let Some(document) = file.document {
                files_of.entry(document).or_default().push((path, *file));
            }
        }
        let mut digests = HashMap::new();
        let mut todo = Vec::new();
        for (at, (holding, name)) in holdings.iter().zip(names).enumerate() {
            let id = holding.document.0;
            let digest = made_from(holding, request, form);
            let entry = before.as_ref().and_then(|before| before.documents.get(&id));
            let files = files_of.get(&id).map(Vec::as_slice).unwrap_or_default();
            let is_done = !tree.is_forced
                && entry.is_some_and(|entry| entry.made_from == digest && entry.name == *name)
                && files.iter().all(|(path, file)| folder.has_size(path, file.size));
            if let Some(entry) = entry.filter(|_| is_done) {
                list.documents.insert(id, entry.clone());
                list.files
                    .extend(files.iter().map(|(path, file)| ((*path).clone(), *file)));
            } else {
                todo.push(at);
                let entry = Entry {
                    name: name.clone(),
                    made_from: String::new(),
                    reason: None,
                };
                list.documents.insert(id, entry);
                let file = |path: String| {
                    let size = before.as_ref().and_then(|before| before.files.get(&path));
                    let size = size.map_or(0, |file| file.size);
                    (
                        path,
                        OwnFile {
                            document: Some(id),
                            size,
                        },
                    )
                };
                list.files.extend(form.paths(name).into_iter().map(file));
            }
            digests.insert(id, digest);
        }
        for name in root_files(form, request.gone) {
            if folder.look(name) == Found::Foreign {
                return Err(ExportError::InTheWay {
                    file: tree.folder.join(name),
                });
            }
            list.files.insert(
                name.to_owned(),
                OwnFile {
                    document: None,
                    size: 0,
                },
            );
        }
        Ok(Update {
            before,
            list,
            todo,
            digests,
        })
    }

    /// Files that an earlier update wrote and that are no more.
    pub(super) fn goes(&self) -> Vec<String> {
        let before = self.before.iter().flat_map(|before| before.files.keys());
        before
            .filter(|path| !self.list.files.contains_key(*path))
            .cloned()
            .collect()
    }

    /// Writes down all files that may be there from now on, where anything is going to happen.
    pub(super) fn announce(&self, folder: &mut Folder) -> Result<(), ExportError> {
        let goes = self.goes();
        let was_whole = self.before.as_ref().is_some_and(|before| before.is_whole);
        if self.todo.is_empty() && goes.is_empty() && was_whole {
            return Ok(());
        }
        let mut all = self.list.clone();
        for path in goes {
            let file = self.before.as_ref().and_then(|before| before.files.get(&path));
            all.files.extend(file.map(|file| (path, *file)));
        }
        folder.note(&all)?;
        Ok(())
    }

    /// Puts the files of a document in their places.
    pub(super) fn take(
        &mut self,
        folder: &mut Folder,
        done: &mut Exported,
        holding: &Holding,
        name: &str,
        made: Made,
    ) -> Result<(), ExportError> {
        let id = holding.document.0;
        if made.reason == Some(Reason::Lost) {
            // What an earlier update has of it stays, and the next one tries again.
            let own = self
                .list
                .files
                .iter()
                .filter(|(_, file)| file.document == Some(id));
            let missing: Vec<String> = own
                .map(|(path, _)| path.clone())
                .filter(|path| folder.look(path) != Found::Ours)
                .collect();
            for path in missing {
                self.list.files.remove(&path);
            }
            return Ok(());
        }
        let mut written: BTreeMap<String, OwnFile> = BTreeMap::new();
        for (path, content) in made.files {
            match folder.put(&path, &content)? {
                Put::Written => done.written += 1,
                Put::Unchanged => done.unchanged += 1,
            }
            let size = content.len() as u64;
            written.insert(
                path,
                OwnFile {
                    document: Some(id),
                    size,
                },
            );
        }
        let planned = self.list.files.iter();
        let unwanted: Vec<String> = planned
            .filter(|(path, file)| file.document == Some(id) && !written.contains_key(*path))
            .map(|(path, _)| path.clone())
            .collect();
        for path in unwanted {
            if folder.look(&path) == Found::Ours {
                done.removed += u64::from(folder.remove(&path)?);
            }
            self.list.files.remove(&path);
        }
        self.list.files.extend(written);
        let entry = Entry {
            name: name.to_owned(),
            made_from: self.digests.get(&id).cloned().unwrap_or_default(),
            reason: made.reason.map(|reason| reason.code().to_owned()),
        };
        self.list.documents.insert(id, entry);
        Ok(())
    }

    /// Writes the lists of paths, and last what is there now.
    pub(super) fn finish(
        mut self,
        folder: &mut Folder,
        done: &mut Exported,
        tree: &Tree<'_>,
        holdings: &[Holding],
        names: &[String],
    ) -> Result<(), ExportError> {
        let made: u64 = done.written + done.unchanged;
        let (mut there, mut gone) = (String::new(), String::new());
        let root = std::path::absolute(tree.folder)?;
        for (holding, name) in holdings.iter().zip(names) {
            let entry = self.list.documents.get(&holding.document.0);
            match entry.map(|entry| (entry.made_from.is_empty(), entry.reason.as_deref())) {
                Some((false, None)) => done.note(holding, None),
                Some((false, Some(code))) => done.note(holding, Some(&Reason::stored(code))),
                _ => done.note(holding, Some(&Reason::Lost)),
            }
            let path = &tree.form.paths(name)[0];
            if !self.list.files.contains_key(path) {
                continue;
            }
            let list = if holding.gone_run.is_some() {
                &mut gone
            } else {
                &mut there
            };
            match tree.form {
                TreeForm::S3 {
                    is_absolute: true, ..
                } => list.push_str(&root.join(path).to_string_lossy()),
                _ => list.push_str(path),
            }
            list.push('\n');
        }
        let documents = self.list.files.values().filter(|file| file.document.is_some());
        done.unchanged += (documents.count() as u64).saturating_sub(made);
        let names: Vec<String> = self
            .list
            .files
            .iter()
            .filter(|(_, file)| file.document.is_none())
            .map(|(name, _)| name.clone())
            .collect();
        for name in names {
            let content = if name == GONE { &gone } else { &there };
            match folder.put(&name, content.as_bytes())? {
                Put::Written => done.written += 1,
                Put::Unchanged => done.unchanged += 1,
            }
            let size = content.len() as u64;
            self.list.files.insert(name, OwnFile { document: None, size });
        }
        self.list.is_whole = true;
        if self.before.as_ref() != Some(&self.list) {
            folder.note(&self.list)?;
        }
        Ok(())
    }
}

/// A digest of all that the files of a document are made from.
fn made_from(holding: &Holding, request: &ExportRequest<'_>, form: TreeForm) -> String {
    let facts = [
        MAKING.to_string(),
        gleaner_text::EXTRACTOR.to_string(),
        form.name().to_owned(),
        form.naming().to_owned(),
        request.part.name().to_owned(),
        holding.version.0.to_string(),
        format!("{:?}", holding.gone_run),
        holding.url.clone(),
        holding.title.clone().unwrap_or_default(),
    ];
    super::jsonl::hex(&UrlKey::of_text(&facts.join("\n")).0)
}

/// Files that belong to no document.
fn root_files(form: TreeForm, gone: GoneDocuments) -> Vec<&'static str> {
    let mut names = match form {
        TreeForm::S3 {
            naming: FileNaming::Urls,
            ..
        } => vec![ADDRESSES],
        TreeForm::S3 {
            naming: FileNaming::Numbers,
            ..
        } => vec![ADDRESS_FILE],
        TreeForm::Text | TreeForm::Markdown => Vec::new(),
    };
    if gone == GoneDocuments::Marked {
        names.push(GONE);
    }
    names
}
