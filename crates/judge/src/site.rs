//! What is a site, and which pages of it are made alike?
//!
//! Whoever learns and whoever judges must mean the same by "site" and "path shape": both are said here and nowhere else.

use gleaner_model::Url;

/// Pages that are learned about together: those of one registrable domain, with its port where that is not the usual one.
pub fn site_of(url: &Url) -> String {
    let authority = url.authority();
    match authority.strip_prefix(url.host()) {
        Some(port) if port.starts_with(':') => format!("{}{port}", url.domain()),
        _ => url.domain().to_owned(),
    }
}

/// The URL's path with what names one item cut out: `/story/2024/some-words.html?id=7` is `/story/*/*.html?id`.
pub fn path_shape(url: &Url) -> String {
    let path = url.path();
    let mut shape = String::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        shape.push('/');
        if segment.is_empty() {
            continue;
        }
        let names_one = is_last || segment.len() > 24 || segment.bytes().any(|byte| byte.is_ascii_digit());
        if !names_one {
            shape.push_str(segment);
            continue;
        }
        shape.push('*');
        let extension = segment.rsplit_once('.').map(|(_, end)| end);
        if let Some(extension) = extension.filter(|end| is_last && (1..=5).contains(&end.len())) {
            shape.push('.');
            shape.push_str(extension);
        }
    }
    if let Some(query) = url.query() {
        let mut names: Vec<&str> = query
            .split('&')
            .map(|pair| pair.split('=').next().unwrap_or(pair))
            .collect();
        names.sort_unstable();
        names.dedup();
        shape.push('?');
        shape.push_str(&names.join("&"));
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_have_their_port() {
        let site = |text: &str| site_of(&Url::parse(text).expect("an address"));
        assert_eq!(site("http://www.a.co.uk/x"), "a.co.uk");
        assert_eq!(site("http://127.0.0.1:8080/x"), "127.0.0.1:8080");
    }

    #[test]
    fn shapes_join_what_one_mould_made() {
        let cases = [
            ("http://a.test/", "/"),
            (
                "http://a.test/story/2024/some-words.html?id=7&a=1",
                "/story/*/*.html?a&id",
            ),
            ("http://a.test/story/other", "/story/*"),
            ("http://a.test/story/", "/story/"),
        ];
        for (url, expected) in cases {
            assert_eq!(path_shape(&Url::parse(url).expect("an address")), expected);
        }
    }
}
