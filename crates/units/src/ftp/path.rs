//! Which names lead to a URL? As bytes, each one name and no path (HC093).

use crate::listing;
use gleaner_model::Url;

/// The names on the way, from the root on; none of them empty. `None` for a URL that holds a name which cannot be asked
/// for: with a slash or the end of a command in it.
pub(super) fn names(url: &Url) -> Option<Vec<Vec<u8>>> {
    let mut names = listing::segments(url);
    if let Some(last) = names.last_mut() {
        last.truncate(last.len() - type_code(url.path()));
    }
    names.retain(|name| !name.is_empty());
    names.iter().all(|name| can_be_asked_for(name)).then_some(names)
}

/// How long the type code at the end of a path is (RFC 1738 §3.2.2). It is never needed: all is fetched as it is.
fn type_code(path: &str) -> usize {
    let Some(at) = path.len().checked_sub(7) else {
        return 0;
    };
    let is_code = path.get(at..).is_some_and(|end| {
        let end = end.to_ascii_lowercase();
        matches!(end.as_str(), ";type=a" | ";type=i" | ";type=d")
    });
    if is_code { 7 } else { 0 }
}

pub(super) fn can_be_asked_for(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.iter().any(|byte| matches!(byte, b'/' | b'\r' | b'\n' | 0))
}

/// The path as commands carry it.
pub(super) fn written(names: &[Vec<u8>]) -> Vec<u8> {
    if names.is_empty() {
        return b"/".to_vec();
    }
    let mut path = Vec::new();
    for name in names {
        path.push(b'/');
        path.extend_from_slice(name);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc093_a_name_is_never_a_path_nor_a_second_command() {
        let path = |text: &str| names(&Url::parse(text).unwrap()).map(|names| written(&names));
        assert_eq!(path("ftp://a.test/").as_deref(), Some(b"/".as_slice()));
        assert_eq!(
            path("ftp://a.test//pub//x%20y/").as_deref(),
            Some(b"/pub/x y".as_slice())
        );
        assert_eq!(
            path("ftp://a.test/gr%FCn;type=a").as_deref(),
            Some(b"/gr\xfcn".as_slice())
        );
        for refused in ["a%0Ab", "a%0D%0ADELE%20x", "a%00", "..%2F..%2Fetc", "%2Fetc"] {
            assert_eq!(path(&format!("ftp://a.test/{refused}")), None, "{refused}");
        }
    }
}
