//! Which files have another name now? In: files that are gone and files that are new, by their bytes. Out: pairs.
//!
//! On a file server equal bytes are enough, however few they are: nobody makes a page out of a template there. Where several
//! files have the same bytes (licences, empty marks in every folder) the last part of the name tells which is which, as
//! when a folder got another name; what is left is paired in its order where as many came as went.

use gleaner_judge::identity::only_ones;
use gleaner_store::settling::Candidate;
use std::collections::BTreeMap;

/// Places in both lists that belong together. Pages of the web are left out.
pub(super) fn renamed(gone: &[Candidate], new: &[Candidate]) -> Vec<(usize, usize)> {
    let (mut gone_by, mut new_by) = (by_bytes(gone), by_bytes(new));
    let mut pairs = Vec::new();
    for (bytes, old) in &mut gone_by {
        let Some(fresh) = new_by.get_mut(bytes) else {
            continue;
        };
        pair_by_name(gone, old, new, fresh, &mut pairs);
        // Empty files are alike without having anything to do with each other.
        let is_telling = old.first().is_some_and(|at| gone[*at].size > 0);
        if is_telling && old.len() == fresh.len() {
            old.sort_by_key(|at| &gone[*at].url);
            fresh.sort_by_key(|at| &new[*at].url);
            pairs.extend(old.drain(..).zip(fresh.drain(..)));
        }
    }
    pairs
}

type Bytes = [u8; 32];

fn by_bytes(files: &[Candidate]) -> BTreeMap<Bytes, Vec<usize>> {
    let mut found: BTreeMap<Bytes, Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        if !file.url.starts_with("http:") && !file.url.starts_with("https:") {
            found.entry(file.digest).or_default().push(at);
        }
    }
    found
}

/// Pairs those whose name only one on each side has, and takes them out of the lists.
fn pair_by_name(
    gone: &[Candidate],
    old: &mut Vec<usize>,
    new: &[Candidate],
    fresh: &mut Vec<usize>,
    pairs: &mut Vec<(usize, usize)>,
) {
    let old_names = only_ones(old.iter().map(|at| name_of(&gone[*at])));
    let new_names = only_ones(fresh.iter().map(|at| name_of(&new[*at])));
    let both = |name: &str| Some((old[old_names[name]?], fresh[(*new_names.get(name)?)?]));
    let found: Vec<(usize, usize)> = old_names.keys().filter_map(|name| both(name)).collect();
    old.retain(|at| !found.iter().any(|(before, _)| before == at));
    fresh.retain(|at| !found.iter().any(|(_, now)| now == at));
    pairs.extend(found);
}

/// The last part of a file's address.
fn name_of(file: &Candidate) -> &str {
    file.url.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::{DocumentId, ResourceId, VersionId};

    /// Files as addresses, each with a letter for its bytes; `-` for none.
    fn files(listed: &[(&str, char)]) -> Vec<Candidate> {
        let file = |(at, (url, bytes)): (usize, &(&str, char))| Candidate {
            document: DocumentId(at as i64),
            resource: ResourceId(at as i64),
            url: (*url).to_owned(),
            version: VersionId(at as i64),
            digest: [*bytes as u8; 32],
            size: u64::from(*bytes != '-'),
            title: None,
        };
        listed.iter().enumerate().map(file).collect()
    }

    fn told<'a>(gone: &[(&'a str, char)], new: &[(&'a str, char)]) -> Vec<(&'a str, &'a str)> {
        let mut pairs: Vec<(&str, &str)> = renamed(&files(gone), &files(new))
            .into_iter()
            .map(|(before, now)| (gone[before].0, new[now].0))
            .collect();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn a_small_file_with_another_name_is_known_by_its_bytes() {
        let found = told(&[("file:///d/b.html", 'a')], &[("file:///d/c.html", 'a')]);
        assert_eq!(found, [("file:///d/b.html", "file:///d/c.html")]);
        assert_eq!(told(&[("ftp://h/b", 'a')], &[("ftp://h/c", 'b')]), []);
        assert_eq!(told(&[("http://h/b", 'a')], &[("http://h/c", 'a')]), []);
    }

    #[test]
    fn copies_keep_their_names_when_their_folder_gets_another() {
        let gone = [
            ("sftp://h/a/LICENSE", 'l'),
            ("sftp://h/a/mark", '-'),
            ("sftp://h/a/NOTICE", 'l'),
        ];
        let new = [
            ("sftp://h/b/NOTICE", 'l'),
            ("sftp://h/b/LICENSE", 'l'),
            ("sftp://h/b/mark", '-'),
        ];
        let expected = [
            ("sftp://h/a/LICENSE", "sftp://h/b/LICENSE"),
            ("sftp://h/a/NOTICE", "sftp://h/b/NOTICE"),
            ("sftp://h/a/mark", "sftp://h/b/mark"),
        ];
        assert_eq!(told(&gone, &new), expected);
    }

    #[test]
    fn what_cannot_be_told_apart_is_not_guessed() {
        // Two went and one came; empty files with other names.
        assert_eq!(
            told(&[("file:///1", 'a'), ("file:///2", 'a')], &[("file:///3", 'a')]),
            []
        );
        assert_eq!(told(&[("file:///1", '-')], &[("file:///2", '-')]), []);
        let as_many = told(
            &[("file:///x/1", 'a'), ("file:///y/1", 'a')],
            &[("file:///y/2", 'a'), ("file:///x/2", 'a')],
        );
        assert_eq!(
            as_many,
            [("file:///x/1", "file:///x/2"), ("file:///y/1", "file:///y/2")]
        );
    }
}
