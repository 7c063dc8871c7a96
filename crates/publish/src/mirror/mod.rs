//! A copy of a collected site that any browser can walk through, from the archive alone and as of any run.
//!
//! ```text
//!  catalog ──documents then──► names ──atlas──► a path for each ──► bytes ──parse::rewrite──► folder
//! ```
//! In: a reader of the catalog, which project, which run, which folder. Out: files, and what became of them. Nothing is fetched.
//!
//! | file | idea |
//! |---|---|
//! | `site` | from an address on a page to the file that has it: redirects, moves, session ids |
//! | `list` | what is known about a copy |
//! | `index` | the page at the door |
//!
//! Names, paths and the folder itself are those of [`crate::files`].

mod index;
mod list;
mod requisites;
mod site;

#[cfg(test)]
mod tests;

use crate::error::MirrorError;
use crate::files::atlas::{Atlas, Found, still_fits};
use crate::files::folder::{Foreign, Put};
use crate::files::names::{Wish, relative};
use gleaner_history::side::open;
use gleaner_model::{ProjectId, RunId, Url};
use gleaner_parse::rewrite::{Rewritten, rewrite};
use gleaner_store::Ledger;
use gleaner_store::ledger::DocumentThen;
use index::Start;
use list::{Folder, INDEX, List};
pub use requisites::{Requisite, missing_requisites};
use site::Site;
use std::collections::HashMap;
use std::path::Path;

/// What is to be copied, and where to.
#[derive(Debug, Clone, Copy)]
pub struct MirrorRequest<'a> {
    pub project: ProjectId,
    /// The project's name.
    pub name: &'a str,
    /// The copy shows the project as it was at the end of this run.
    pub run: RunId,
    /// Only what lies below this folder of a site: a URL that ends in a slash.
    pub below: Option<&'a str>,
    /// Where people begin.
    pub starts: &'a [Url],
    pub folder: &'a Path,
    /// Also over the copy of something else.
    pub is_replacing: bool,
}

/// What became of the copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mirrored {
    pub written: u64,
    pub unchanged: u64,
    pub removed: u64,
    /// Links that lead to files of the copy.
    pub links_inside: u64,
    /// Links that lead to the web.
    pub links_outside: u64,
    /// Documents whose bytes were lost before.
    pub lost: u64,
    /// Documents whose version of that time was dropped by retention.
    pub pruned: Vec<String>,
    /// Documents that could not be copied, with the reason.
    pub failed: Vec<(String, String)>,
    /// Addresses of the site itself that pages of the copy link to and that the copy has not: these links lead to the web.
    pub missing: Vec<String>,
    /// The file to begin with.
    pub start: String,
}

/// Writes the copy, or brings it up to date. `progress` hears how many documents are done, and of how many.
pub fn mirror(
    reader: &dyn Ledger,
    request: &MirrorRequest<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Mirrored, MirrorError> {
    let mut done = Mirrored::default();
    let mut documents = reader.documents_then(request.project, request.run)?;
    if let Some(below) = request.below {
        documents.retain(|document| document.url.starts_with(below));
    }
    documents.retain(|document| {
        done.lost += u64::from(document.is_lost);
        !document.is_lost
    });
    let pruned = reader.pruned_then(request.project, request.run)?;
    documents.retain(|document| !pruned.contains_key(&document.document));
    let is_asked_for = |url: &&String| request.below.is_none_or(|below| url.starts_with(below));
    done.pruned = pruned.values().filter(is_asked_for).cloned().collect();
    done.pruned.sort();
    if documents.is_empty() && !done.pruned.is_empty() {
        return Err(MirrorError::Pruned {
            project: request.name.to_owned(),
            run: request.run,
        });
    }
    if documents.is_empty() {
        return Err(MirrorError::Nothing {
            project: request.name.to_owned(),
            run: request.run,
        });
    }
    let mut folder = Folder::open(request.folder, Foreign::Refused)?;
    let before = folder.before.clone();
    if let Some(before) = &before
        && !request.is_replacing
        && (before.project != request.name || before.below.as_deref() != request.below)
    {
        return Err(MirrorError::Another {
            folder: request.folder.to_owned(),
            of: before.below.clone().unwrap_or_else(|| before.project.clone()),
        });
    }
    let mut list = List::new(request.name, request.below, request.run.0);
    let paths = give_paths(&documents, &folder);
    for (document, path) in documents.iter().zip(&paths) {
        list.files.insert(path.clone(), document.url.clone());
    }
    let has_index = folder.look(INDEX) != Found::Foreign;
    if has_index {
        list.files.insert(INDEX.to_owned(), String::new());
    }
    let mut all = list.clone();
    let gone: Vec<String> = before
        .into_iter()
        .flat_map(|before| before.files)
        .filter(|(path, _)| !list.files.contains_key(path))
        .map(|(path, url)| {
            all.files.insert(path.clone(), url);
            path
        })
        .collect();
    folder.note(&all)?;
    // First what goes: a file may be where a folder is needed now.
    for path in &gone {
        done.removed += u64::from(folder.remove(path)?);
    }
    let mut site = Site::of(reader, request, &documents, &paths)?;
    let mut written = vec![false; documents.len()];
    let mut has_failed = vec![false; documents.len()];
    // Once, and once more if something turned out to be unreadable: links to it must lead to the web then.
    loop {
        (done.links_inside, done.links_outside) = (0, 0);
        let failed_before = done.failed.len();
        for (nth, (document, path)) in documents.iter().zip(&paths).enumerate() {
            progress(nth as u64, documents.len() as u64);
            if has_failed[nth] {
                continue;
            }
            match copy(reader, document, path, &site) {
                Ok((body, rewritten)) => {
                    done.links_inside += rewritten.inside;
                    done.links_outside += rewritten.outside;
                    written[nth] |= folder.put(path, &body)? == Put::Written;
                }
                Err(why) => {
                    has_failed[nth] = true;
                    done.failed.push((document.url.clone(), why));
                    // What an earlier copy has of it stays.
                    if folder.look(path) != Found::Ours {
                        list.files.remove(path);
                        site.leave_out(document);
                    }
                }
            }
        }
        done.missing = site.take_missing();
        if done.failed.len() == failed_before {
            break;
        }
    }
    let copied = written.iter().zip(&has_failed).filter(|(_, failed)| !**failed);
    for (written, _) in copied {
        count(&mut done, if *written { Put::Written } else { Put::Unchanged });
    }
    let starts: Vec<Start> = request
        .starts
        .iter()
        .map(|url| Start {
            url: url.to_string(),
            file: site.path_of(url).map(|path| relative(INDEX, path)),
        })
        .collect();
    if has_index {
        // Where a start leads elsewhere, a page of the copy is better than none.
        let is_page = |document: &&DocumentThen| document.media_type.contains("html");
        let first = documents
            .iter()
            .position(|document| is_page(&document))
            .unwrap_or(0);
        let first = relative(INDEX, &paths[first]);
        let page = index::page(request.below.unwrap_or(request.name), &starts, &first);
        count(&mut done, folder.put(INDEX, page.as_bytes())?);
        INDEX.clone_into(&mut done.start);
    } else {
        let first = request.starts.iter().find_map(|url| site.path_of(url));
        first.unwrap_or(&paths[0]).clone_into(&mut done.start);
    }
    list.is_whole = true;
    folder.note(&list)?;
    progress(documents.len() as u64, documents.len() as u64);
    Ok(done)
}

fn count(done: &mut Mirrored, put: Put) {
    match put {
        Put::Written => done.written += 1,
        Put::Unchanged => done.unchanged += 1,
    }
}

/// A path for each document, in their order.
fn give_paths(documents: &[DocumentThen], folder: &Folder) -> Vec<String> {
    let look = |path: &str| folder.look(path);
    let mut atlas = Atlas::new(&look);
    atlas.reserve(INDEX);
    let given: HashMap<&str, &str> = match &folder.before {
        Some(list) => list
            .files
            .iter()
            .map(|(path, url)| (url.as_str(), path.as_str()))
            .collect(),
        None => HashMap::new(),
    };
    let wishes: Vec<Wish> = documents.iter().map(wish_of).collect();
    let mut paths: Vec<Option<String>> = documents
        .iter()
        .zip(&wishes)
        .map(|(document, wish)| {
            let path = *given.get(document.url.as_str())?;
            (still_fits(path, wish) && atlas.claim(path)).then(|| path.to_owned())
        })
        .collect();
    for (path, wish) in paths.iter_mut().zip(&wishes) {
        if path.is_none() {
            *path = Some(atlas.place(wish));
        }
    }
    paths.into_iter().flatten().collect()
}

fn wish_of(document: &DocumentThen) -> Wish {
    match Url::parse(&document.url) {
        Ok(url) => Wish::new(&url, &document.media_type),
        // An address of a protocol that this program does not know any more.
        Err(_) => Wish::unknown(&document.url),
    }
}

/// A document's bytes as they belong into the copy.
fn copy(
    reader: &dyn Ledger,
    document: &DocumentThen,
    path: &str,
    site: &Site,
) -> Result<(Vec<u8>, Rewritten), String> {
    let content = || {
        let read = reader.content(document.document, Some(document.version));
        read.map_err(|error| error.to_string())
    };
    let Ok(opened) = open(content()?) else {
        // What cannot be unpacked is copied as it was sent: better a file for experts than a link to nowhere.
        return Ok((content()?.body, Rewritten::default()));
    };
    let find = |url: &Url| site.link(url).map(|to| relative(path, to));
    let mut rewritten = rewrite(&opened.url, &opened.headers, &opened.body, &find);
    let body = rewritten.body.take().unwrap_or(opened.body);
    Ok((body, rewritten))
}
