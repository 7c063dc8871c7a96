//! What is to be crawled, as it was given: addresses, folders, files, and lists of addresses in files.

use super::naming::plain_name;
use crate::output::{Output, WrongUsage};
use gleaner_model::measure::count;
use gleaner_model::{GivenUrl, Url, UrlError};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// More than this is no list that somebody gives.
const LIST_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How much of a file is looked at to see whether it is a list.
const LOOK_BYTES: u64 = 64 * 1024;
/// Of the lines that are no addresses, so many are named.
const NAMED_MAX: usize = 3;

/// Where a crawl begins.
pub(super) struct Given {
    /// In the order they were given; each once.
    pub(super) seeds: Vec<Url>,
    /// The name of the list that they stand in, if they do.
    pub(super) list: Option<String>,
}

pub(super) fn read(given: &[GivenUrl], lists: &[String], output: Output) -> anyhow::Result<Given> {
    let mut seeds = Vec::new();
    let mut first_list = None;
    for text in given {
        let text = text.exposed();
        let path = Path::new(text);
        if path.is_file() && is_list(path) {
            let listed = list(text)?;
            output.note(&format!(
                "{text} is a list of {}",
                count(listed.len() as u64, "address")
            ));
            first_list.get_or_insert(text);
            seeds.extend(listed);
        } else {
            seeds.push(seed(text)?);
        }
    }
    for name in lists {
        seeds.extend(list(name)?);
        first_list.get_or_insert(name);
    }
    let mut once = std::collections::HashSet::new();
    seeds.retain(|seed| once.insert(seed.clone()));
    let is_listed = first_list.filter(|_| given.first().is_none_or(|one| first_list == Some(one.exposed())));
    Ok(Given {
        seeds,
        list: is_listed.map(name_of_list),
    })
}

/// A project that nobody named goes by the name of its list.
fn name_of_list(list: &str) -> String {
    let stem = Path::new(list).file_stem().map(|stem| stem.to_string_lossy());
    match stem.as_deref() {
        None | Some("" | "-") => "list".to_owned(),
        Some(stem) => plain_name(stem),
    }
}

/// One address, folder or file. They carry no name and no password: those would end up in listings of processes and in
/// shell histories (I3).
pub(crate) fn seed(text: &str) -> anyhow::Result<Url> {
    let wrong = |why: String| Err(WrongUsage(why).into());
    if let Some(url) = local_path(text)? {
        return Ok(url);
    }
    let (url, credentials) = match Url::from_user_with_credentials(text) {
        Ok(read) => read,
        // A name without scheme and dot may still be that of a folder beside us.
        Err(error) => match local_path(&format!("./{text}")) {
            Ok(Some(url)) => return Ok(url),
            _ if !text.contains(':') => {
                return wrong(format!(
                    "this is not a file, a folder or an address; write an address like https://example.com/: {text}"
                ));
            }
            _ => {
                return wrong(match error {
                    UrlError::Scheme { scheme } => {
                        format!("this cannot be crawled: addresses of this kind cannot be fetched: {scheme}")
                    }
                    error => format!("this cannot be crawled: {error}"),
                });
            }
        },
    };
    if credentials.is_some() {
        return wrong(format!(
            "a URL with a user name or password is not accepted, because others could read it in the list of processes; \
             give the user name with --user, and the password with --password-file or as GLEANER_PASSWORD: {url}"
        ));
    }
    Ok(url)
}

/// A folder or file of this machine. Folders are told by their path, because many are named like the site they were copied
/// from; a file by its name too.
fn local_path(text: &str) -> anyhow::Result<Option<Url>> {
    let is_path =
        text == "." || text == ".." || ["/", "./", "../"].iter().any(|start| text.starts_with(start));
    let is_file = !text.contains("://") && Path::new(text).is_file();
    if !is_file && (!is_path || text.starts_with("//")) {
        return Ok(None);
    }
    let path = Path::new(text)
        .canonicalize()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => WrongUsage(format!("no such file or folder: {text}")),
            kind => WrongUsage(format!("this cannot be read ({kind}): {text}")),
        })?;
    Ok(gleaner_units::folder::url_of(&path))
}

/// Whether a file holds addresses and nothing else: every line is one word, and the first has a scheme.
fn is_list(path: &Path) -> bool {
    let mut opening = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(LOOK_BYTES).read_to_end(&mut opening));
    let Ok(text) = String::from_utf8(opening).or_else(|error| {
        // The look may end in the middle of a letter.
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let is_cut = bytes.len() as u64 == LOOK_BYTES && bytes.len() - valid < 4;
        is_cut
            .then(|| String::from_utf8_lossy(&bytes[..valid]).into_owned())
            .ok_or(())
    }) else {
        return false;
    };
    let mut lines = lines(&text).map(|(_, line)| line).peekable();
    let has_scheme = lines.peek().is_some_and(|first| {
        let scheme = first.split_once("://").map_or("", |(scheme, _)| scheme);
        !scheme.is_empty()
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '+')
    });
    read.is_ok() && has_scheme && lines.all(|line| !line.contains(char::is_whitespace) && !line.contains('<'))
}

/// The addresses of a list: a line each, `#` begins a comment; `-` is the input.
fn list(name: &str) -> anyhow::Result<Vec<Url>> {
    let wrong = |why: String| anyhow::Error::new(WrongUsage(why));
    let mut bytes = Vec::new();
    let read = if name == "-" {
        std::io::stdin().take(LIST_BYTES_MAX).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(name).and_then(|file| file.take(LIST_BYTES_MAX).read_to_end(&mut bytes))
    };
    let shown = if name == "-" { "the input" } else { name };
    read.map_err(|error| match error.kind() {
        ErrorKind::NotFound => wrong(format!("there is no such file of addresses: {shown}")),
        kind => wrong(format!("the list of addresses cannot be read ({kind}): {shown}")),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| {
        wrong(format!(
            "a list of addresses is a text file with one address per line: {shown}"
        ))
    })?;
    let (mut urls, mut bad) = (Vec::new(), Vec::new());
    for (number, line) in lines(&text) {
        match seed(line) {
            Ok(url) => urls.push(url),
            Err(error) => bad.push(format!("line {number}: {error}")),
        }
    }
    if !bad.is_empty() {
        let more = bad.len().saturating_sub(NAMED_MAX);
        bad.truncate(NAMED_MAX);
        let more = match more {
            0 => String::new(),
            more => format!("; and {}", count(more as u64, "more line")),
        };
        return Err(wrong(format!("{shown}, {}{more}", bad.join("; "))));
    }
    if urls.is_empty() {
        return Err(wrong(format!("the list contains no address: {shown}")));
    }
    Ok(urls)
}

/// Lines that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..)
        .zip(text.lines().map(str::trim))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_told_from_documents() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        for (text, wanted) in [
            ("https://a.test/\nhttp://b.test/x?y=1\n", true),
            ("\u{feff}# mine\n\nftp://a.test/pub/\r\nb.test\r\n", true),
            ("https://a.test/ is where it began.\n", false),
            ("See https://a.test/\n", false),
            ("<!doctype html>\n", false),
            ("readme.txt\n", false),
            ("", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(is_list(&path), wanted, "{text:?}");
        }
        std::fs::write(&path, b"https://a.test/\n\xff\xfe\n").unwrap();
        assert!(!is_list(&path), "not text");
    }

    #[test]
    fn a_list_names_the_lines_that_are_no_addresses() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("urls.txt");
        std::fs::write(&path, "# ours\nhttps://a.test/\n\nhttp://\n").unwrap();
        let name = path.to_str().unwrap();
        let error = list(name).unwrap_err().to_string();
        assert!(error.contains("urls.txt, line 4: "), "{error}");
        std::fs::write(&path, "https://a.test/\nhttps://a.test/\nb.test/x\n").unwrap();
        assert_eq!(list(name).unwrap().len(), 3);
        let given = read(&[GivenUrl::from(name)], &[], Output::default()).unwrap();
        assert_eq!(given.seeds.len(), 2, "each once");
        assert_eq!(given.list.as_deref(), Some("urls"));
    }
}
