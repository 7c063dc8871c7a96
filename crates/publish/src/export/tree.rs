//! A folder of files, brought up to date: what changed is written, what is gone is removed or marked, all else is not touched.

use super::five_star::five_star;
use super::form::{TreeForm, give_names};
use super::gather::{Gatherer, each_made};
use super::list::{Folder, List};
use super::record::Record;
use super::select::select;
use super::update::{Made, Update};
use super::{ExportRequest, Exported, Sources};
use crate::ExportError;
use crate::files::folder::Foreign;
use gleaner_model::Reason;
use gleaner_store::ledger::Holding;
use gleaner_text::is_page_part;
use std::path::Path;

/// Which files, and where.
#[derive(Debug, Clone, Copy)]
pub struct Tree<'a> {
    pub folder: &'a Path,
    pub form: TreeForm,
    /// Also over files of others, and everything anew.
    pub is_forced: bool,
}

/// Writes the folder, or brings it up to date. `progress` hears how many documents are done, and of how many.
pub fn write_tree(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    tree: &Tree<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Exported, ExportError> {
    let mut holdings = select(sources.reader, request)?;
    // What makes pages is no text; who names such types gets what is known of them.
    if request.selection.types.is_empty() {
        holdings.retain(|holding| !is_page_part(&holding.media_type));
    }
    let foreign = if tree.is_forced {
        Foreign::Overwritten
    } else {
        Foreign::Refused
    };
    let mut folder = Folder::open(tree.folder, foreign)?;
    let before = folder.before.clone();
    if let Some(before) = &before {
        refuse_another(before, request, tree)?;
    }
    let names = give_names(&holdings, tree.form, &folder);
    let mut update = Update::plan(request, tree, &holdings, &names, &folder)?;
    let mut done = Exported::default();
    update.announce(&mut folder)?;
    // First what goes: a file may be where a folder is needed now.
    for path in update.goes() {
        done.removed += u64::from(folder.remove(&path)?);
    }
    let todo = std::mem::take(&mut update.todo);
    let all = holdings.len() as u64;
    let ready = all - todo.len() as u64;
    each_made(
        sources,
        request,
        todo.len(),
        |gatherer, nth| make(gatherer, &holdings[todo[nth]], tree.form, &names[todo[nth]]),
        |nth, made| {
            let at = todo[nth];
            update.take(&mut folder, &mut done, &holdings[at], &names[at], made)?;
            progress(ready + nth as u64 + 1, all);
            Ok(())
        },
    )?;
    update.finish(&mut folder, &mut done, tree, &holdings, &names)?;
    Ok(done)
}

fn refuse_another(before: &List, request: &ExportRequest<'_>, tree: &Tree<'_>) -> Result<(), ExportError> {
    let is_same = before.project == request.name && before.form == tree.form.name();
    if is_same || tree.is_forced {
        return Ok(());
    }
    Err(ExportError::Another {
        folder: tree.folder.to_owned(),
        of: format!("{} as {}", before.project, before.form),
    })
}

fn make(
    gatherer: &mut Gatherer<'_>,
    holding: &Holding,
    form: TreeForm,
    name: &str,
) -> Result<Made, ExportError> {
    let paths = form.paths(name);
    let of_text = |said: Result<String, Reason>| match said {
        Ok(text) => Made {
            files: vec![(paths[0].clone(), text.into_bytes())],
            reason: None,
        },
        Err(reason) => Made {
            files: Vec::new(),
            reason: Some(reason),
        },
    };
    match form {
        TreeForm::Text => Ok(of_text(gatherer.text(holding)?.map(|said| said.text))),
        TreeForm::Markdown => Ok(of_text(gatherer.markdown(holding)?)),
        TreeForm::S3 { .. } => {
            let (mut record, said) = Record::gather(gatherer, holding)?;
            let mut made = of_text(said.map(|said| said.text));
            if made.reason == Some(Reason::Lost) {
                return Ok(made);
            }
            record.text_file = made.files.first().map(|(path, _)| path.clone());
            let mut json = serde_json::to_vec_pretty(&record).map_err(std::io::Error::from)?;
            json.push(b'\n');
            made.files
                .push((paths[1].clone(), five_star(&record).into_bytes()));
            made.files.push((paths[2].clone(), json));
            Ok(made)
        }
    }
}
