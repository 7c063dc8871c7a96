//! Which project does a crawl belong to that nobody named?
//!
//! The one of its host. Two folders of one host are two projects where each crawl stays in its folder: under one name the
//! second would call everything of the first out of scope.

use anyhow::bail;
use gleaner_model::{Project, ScopeKind, Url};
use gleaner_store::runs::Runs as _;
use gleaner_store::{SqliteStore, StoreError, wait};

/// The server's name, or for a folder of this machine its own.
pub(crate) fn name_of(seed: &Url) -> String {
    let path = gleaner_units::folder::path_of(seed);
    let folder = path.as_deref().and_then(|path| path.file_name()?.to_str());
    plain_name(folder.unwrap_or(&spelled_name_of(seed)))
}

/// As it is spelled in the address: projects were once called by that.
fn spelled_name_of(seed: &Url) -> String {
    if !seed.authority().is_empty() {
        return seed.authority();
    }
    let path = seed.path().trim_end_matches('/');
    match path.rsplit('/').next() {
        None | Some("") => "files".to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// A name in the signs that a project's name may have: what `project export` writes, others can read.
pub(super) fn plain_name(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | ':' | '_');
    let name: String = text.chars().map(|c| if is_plain(c) { c } else { '-' }).collect();
    match name.trim_matches(['-', '.', ':']).trim_end_matches(".toml") {
        "" => "files".to_owned(),
        name => name.to_owned(),
    }
}

/// The same with the path of the folder, in the signs that a name may have.
fn long_name_of(seed: &Url) -> String {
    let folder = seed.path().rsplit_once('/').map_or("", |(folder, _)| folder);
    let text = format!("{}{folder}", seed.authority());
    if folder.is_empty() {
        name_of(seed)
    } else {
        plain_name(&text)
    }
}

/// The name of a project that nobody named. One that was made before under the host's name keeps it.
pub(super) fn default_name(store: &SqliteStore, project: &Project, seed: &Url) -> anyhow::Result<String> {
    let short = name_of(seed);
    let spelled = spelled_name_of(seed);
    if spelled != short
        && let Some((_, held)) = wait(store.find_project(spelled.clone()))?
        && held.seeds == project.seeds
    {
        return Ok(spelled);
    }
    if project.scope != ScopeKind::Subtree {
        return Ok(short);
    }
    let holder = |name: &str| -> Result<Option<Project>, StoreError> {
        Ok(wait(store.find_project(name.to_owned()))?.map(|(_, project)| project))
    };
    match holder(&short)? {
        Some(held) if held.seeds == project.seeds => return Ok(short),
        None if !seed.is_web() => return Ok(short),
        _ => {}
    }
    let long = long_name_of(seed);
    match holder(&long)? {
        Some(held) if held.seeds != project.seeds || held.scope != project.scope => bail!(
            "the project {long} collects {}; give this one a name of its own with --name: {seed}",
            held.seeds[0]
        ),
        _ => Ok(long),
    }
}

/// A run that was not finished is not gone on with for other addresses: its queue is full of the old ones.
pub(super) fn refuse_other_seeds(store: &SqliteStore, project: &Project) -> anyhow::Result<()> {
    let Some((id, _)) = wait(store.find_project(project.name.clone()))? else {
        return Ok(());
    };
    let Some(run) = wait(store.unfinished_run(Some(id)))? else {
        return Ok(());
    };
    let (_, before) = wait(store.run_settings(run))?;
    let is_dropped = |seed: &&String| !project.seeds.contains(seed);
    if let Some(dropped) = before.seeds.iter().find(is_dropped) {
        bail!(
            "run {run} of {} was not finished and collects {dropped}; finish it first with `gleaner resume {run}`, or give \
             this one a name of its own with --name: {}",
            project.name,
            project.seeds[0]
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case17_a_folder_gives_its_path_to_the_name() {
        for (url, name) in [
            ("http://a.test/docs/api/", "a.test-docs-api"),
            ("http://a.test/docs/api/index.html", "a.test-docs-api"),
            ("http://a.test:8080/~eva/", "a.test:8080--eva"),
            ("http://a.test/", "a.test"),
            ("file:///srv/%20/data/", "srv--20-data"),
        ] {
            assert_eq!(long_name_of(&Url::parse(url).unwrap()), name, "{url}");
        }
    }

    #[test]
    fn names_that_nobody_chose_can_be_exported() {
        for (url, name) in [
            ("file:///home/eva/my%20papers%20(2)/", "my-papers--2"),
            ("file:///", "files"),
            ("http://[::1]:8080/", "1-:8080"),
            ("http://a.test:8080/x", "a.test:8080"),
        ] {
            let made = name_of(&Url::parse(url).unwrap());
            assert_eq!(made, name, "{url}");
            assert_eq!(gleaner_settings::project_file::check_name(&made), Ok(()), "{url}");
        }
    }
}
