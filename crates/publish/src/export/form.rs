//! Which files does a document have in a folder, and what are they called?
//!
//! Names are made of the URL, readable and possible on every system, and stay in every update; or they are numbers.

use super::list::{ADDRESS_FILE, ADDRESSES, Folder, GONE};
use crate::files::atlas::{Atlas, Found};
use crate::files::names::{Mark, NAME_BYTES_MAX, Wish, marked, possible};
use gleaner_model::Url;
use gleaner_store::ledger::Holding;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeForm {
    /// Texts, metadata files, and the list of the texts' addresses.
    S3 {
        naming: FileNaming,
        /// The list names whole paths.
        is_absolute: bool,
    },
    Text,
    Markdown,
}

/// What files are named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNaming {
    Urls,
    /// `Data_N.txt`, N being the document's number.
    Numbers,
}

impl TreeForm {
    pub(super) fn name(self) -> &'static str {
        match self {
            TreeForm::S3 { .. } => "s3",
            TreeForm::Text => "text",
            TreeForm::Markdown => "markdown",
        }
    }

    pub(super) fn naming(self) -> &'static str {
        match self {
            TreeForm::S3 {
                naming: FileNaming::Numbers,
                ..
            } => "numbers",
            _ => "urls",
        }
    }

    /// All files that a document of this name can have. The first has its text.
    pub(super) fn paths(self, name: &str) -> Vec<String> {
        match self {
            TreeForm::S3 { .. } => vec![
                format!("text/{name}.txt"),
                format!("metadata/{name}.txt"),
                format!("metadata/{name}.json"),
            ],
            TreeForm::Text | TreeForm::Markdown => vec![name.to_owned()],
        }
    }

    /// The path that tells whether a name is free.
    pub(super) fn wish(self, holding: &Holding) -> Wish {
        let url = Url::parse(&holding.url);
        let mut wish = match &url {
            Ok(url) => Wish::new(url, &holding.media_type),
            // An address of a protocol that this program does not know any more.
            Err(_) => Wish::unknown(&holding.url),
        };
        let end = match self {
            TreeForm::S3 { .. } => {
                let path = wish.path();
                let path = [".html", ".htm", ".xhtml"]
                    .iter()
                    .find_map(|end| path.strip_suffix(end))
                    .unwrap_or(&path);
                wish.file = possible(&path.replace('/', "_"));
                wish.folders = vec![("text".to_owned(), "text".to_owned())];
                "txt"
            }
            TreeForm::Text => "txt",
            TreeForm::Markdown => "md",
        };
        let has_end = wish
            .file
            .rsplit_once('.')
            .is_some_and(|(_, found)| found.eq_ignore_ascii_case(end));
        if !has_end || matches!(self, TreeForm::S3 { .. }) {
            wish.file = format!("{}.{end}", wish.file);
        }
        if wish.file.len() > NAME_BYTES_MAX {
            wish.file = marked(&wish.file, &wish.of, Mark::Short);
        }
        wish
    }

    /// The name whose text lies at a path.
    pub(super) fn name_at(self, path: String) -> String {
        match self {
            TreeForm::S3 { .. } => {
                let name = path
                    .strip_prefix("text/")
                    .and_then(|name| name.strip_suffix(".txt"));
                name.map(str::to_owned).unwrap_or(path)
            }
            TreeForm::Text | TreeForm::Markdown => path,
        }
    }
}

/// A name for each document, in their order: the one it had, or a new one.
pub(super) fn give_names(holdings: &[Holding], form: TreeForm, folder: &Folder) -> Vec<String> {
    if form.naming() == "numbers" {
        return holdings
            .iter()
            .map(|holding| format!("Data_{}", holding.document.0))
            .collect();
    }
    let before = folder.before.as_ref();
    let before = before.filter(|list| list.form == form.name() && list.naming == form.naming());
    // A name is free if all files of it are.
    let look = |path: &str| {
        let paths = form.paths(&form.name_at(path.to_owned()));
        let found = paths.iter().map(|path| folder.look(path));
        let worst = found.max_by_key(|found| match found {
            Found::Nothing => 0,
            Found::Ours => 1,
            Found::Folder => 2,
            Found::Foreign => 3,
        });
        let here = folder.look(path);
        if here == Found::Folder {
            return here;
        }
        worst.unwrap_or(here)
    };
    let mut atlas = Atlas::new(&look);
    for name in [ADDRESSES, ADDRESS_FILE, GONE, "metadata"] {
        atlas.reserve(name);
    }
    let mut names: Vec<Option<String>> = holdings
        .iter()
        .map(|holding| {
            let name = &before?.documents.get(&holding.document.0)?.name;
            atlas.claim(form.paths(name).first()?).then(|| name.clone())
        })
        .collect();
    for (name, holding) in names.iter_mut().zip(holdings) {
        if name.is_none() {
            *name = Some(form.name_at(atlas.place(&form.wish(holding))));
        }
    }
    names.into_iter().flatten().collect()
}
