//! Registrable domains against the vectors of the public suffix list.

use gleaner_model::Url;

use crate::corpora;

/// The domain of a name as it is found through a URL; `None` for a public suffix, which stands for itself only.
fn domain(name: &str) -> Option<String> {
    let url = Url::parse(&format!("http://{name}/")).ok()?;
    gleaner_model::url::registrable_domain(url.host()).map(str::to_owned)
}

fn ascii(name: &str) -> String {
    Url::parse(&format!("http://{name}/")).unwrap().host().to_owned()
}

fn check(file: &str, cases: &[(String, Option<String>)]) {
    let mut wrong = Vec::new();
    for (input, expected) in cases {
        let expected = expected.as_deref().map(ascii);
        let found = domain(input);
        if found != expected {
            wrong.push(format!("{input}: {found:?}, expected {expected:?}"));
        }
    }
    println!("{file}: {}/{}", cases.len() - wrong.len(), cases.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn name(text: &str) -> Option<String> {
    let text = text.trim().trim_matches('\'');
    (text != "null").then(|| text.to_owned())
}

#[test]
fn public_suffix_list() {
    let Some(text) = corpora::text("psl/tests.txt") else {
        return;
    };
    let lines = text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with("//"));
    let cases = lines.filter_map(|line| {
        let (input, expected) = line.split_once(char::is_whitespace).unwrap();
        Some((name(input)?, name(expected)))
    });
    check("psl/tests.txt", &cases.collect::<Vec<_>>());

    let text = corpora::text("psl/test_psl.txt").unwrap();
    let cases = text.lines().filter_map(|line| {
        let (input, expected) = line
            .strip_prefix("checkPublicSuffix(")?
            .strip_suffix(");")?
            .split_once(',')?;
        Some((name(input)?, name(expected)))
    });
    check("psl/test_psl.txt", &cases.collect::<Vec<_>>());
}
