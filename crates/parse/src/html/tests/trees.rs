//! html5lib's tree construction tests: the addresses of the expected tree are the addresses we find.

use super::judge::{expected, found};
use encoding_rs::UTF_8;
use gleaner_fixtures::corpus;
use std::collections::BTreeSet;

struct Case {
    data: String,
    document: Vec<String>,
    is_fragment: bool,
    is_scripted: bool,
}

fn cases(text: &str) -> Vec<Case> {
    let mut out = Vec::new();
    for block in format!("\n{text}").split("\n#data\n").skip(1) {
        let mut case = Case {
            data: String::new(),
            document: Vec::new(),
            is_fragment: false,
            is_scripted: false,
        };
        let mut part = "data";
        let mut data: Vec<&str> = Vec::new();
        for line in block.split('\n') {
            match line {
                "#errors" | "#new-errors" => part = "errors",
                "#document-fragment" => {
                    part = "errors";
                    case.is_fragment = true;
                }
                "#script-on" => case.is_scripted = true,
                "#script-off" => {}
                "#document" => part = "document",
                _ if part == "data" => data.push(line),
                _ if part == "document" => case.document.push(line.to_owned()),
                _ => {}
            }
        }
        case.data = data.join("\n");
        out.push(case);
    }
    out
}

/// The addresses in a drawn tree: `|     href="x"` below `|   <a>`.
fn drawn(document: &[String]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut element = String::new();
    let joined = document.join("\n");
    // Values may hold line breaks, so a line begins only with the bar.
    for line in joined
        .split("\n|")
        .map(|l| l.trim_start_matches('|').trim_start_matches(' '))
    {
        if let Some(name) = line.strip_prefix('<').filter(|_| !line.starts_with("<!")) {
            element = name.trim_end_matches(['\n', '>']).to_owned();
        } else if let Some((name, value)) = line.split_once("=\"") {
            let value = value.trim_end_matches('\n').strip_suffix('"').unwrap_or(value);
            let is_foreign = element.starts_with("svg ") || element.starts_with("math ");
            let holds = match element.as_str() {
                "a" | "area" | "link" | "base" => name == "href",
                "img" | "image" | "source" | "audio" | "track" | "script" | "embed" | "frame" | "iframe" => {
                    name == "src"
                }
                "video" => name == "src" || name == "poster",
                "form" => name == "action",
                "html" => name == "manifest",
                "blockquote" | "q" | "ins" | "del" => name == "cite",
                "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th" => name == "background",
                _ => is_foreign && (name == "href" || name == "xlink href"),
            };
            if holds {
                out.insert(value.to_owned());
            }
        }
    }
    out
}

#[test]
fn addresses_are_those_of_the_expected_trees() {
    let Some(folder) = corpus("html5lib-tests/tree-construction") else {
        return;
    };
    let (mut passed, mut total, mut with_addresses, mut apart) = (0, 0, 0, 0);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "dat")) {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        for case in cases(&text) {
            // Fragments begin inside an element that the bytes do not show; scripts are never run here.
            if case.is_fragment || case.is_scripted {
                apart += 1;
                continue;
            }
            let want = drawn(&case.document);
            let got = found(case.data.as_bytes(), UTF_8);
            total += 1;
            with_addresses += usize::from(!want.is_empty());
            if want == got {
                passed += 1;
            } else {
                println!(
                    "{}\n  data {:?}\n  want {want:?}\n  got  {got:?}",
                    path.file_name().unwrap().display(),
                    case.data
                );
            }
        }
    }
    println!(
        "trees: {passed}/{total} ({with_addresses} with addresses; apart, fragments and scripted: {apart})"
    );
    assert!(passed * 1000 >= total * 995, "{passed}/{total}");
}

/// The same documents with an address put into every tag, so that each tag's fate shows; judged by a full parser.
///
/// Nothing may be missing. What may be too much needs a tree to know: a `<frame>` outside a frameset, anything inside or
/// behind a frameset, and a table cell that closes the SVG it stands in. Taking these links costs a fetch, not a page.
#[test]
fn every_tag_of_the_tree_tests_meets_its_fate() {
    let Some(folder) = corpus("html5lib-tests/tree-construction") else {
        return;
    };
    let (mut passed, mut total, mut missing_total) = (0, 0, 0);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    paths.sort();
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "dat")) {
        let text = String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        for case in cases(&text) {
            if case.is_fragment || case.is_scripted {
                continue;
            }
            let data = with_addresses(&case.data);
            let (want, got) = (expected(&data), found(data.as_bytes(), UTF_8));
            total += 1;
            if want == got {
                passed += 1;
            } else {
                let missing: Vec<_> = want.difference(&got).collect();
                let extra: Vec<_> = got.difference(&want).collect();
                missing_total += missing.len();
                println!(
                    "{} missing {missing:?} extra {extra:?}\n  {data:?}",
                    path.file_name().unwrap().display()
                );
            }
        }
    }
    println!("trees with addresses put in: {passed}/{total}, missing {missing_total}");
    assert_eq!(missing_total, 0);
    assert!(passed * 100 >= total * 99, "{passed}/{total}");
}

/// Puts addresses behind every tag name.
fn with_addresses(data: &str) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut rest = data;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let len = after
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(after.len());
        out.push_str(&after[..len]);
        if len > 0 && !after.as_bytes()[0].is_ascii_digit() {
            count += 1;
            out.push_str(&format!(" href=h{count} src=s{count} action=f{count}"));
        }
        rest = &after[len..];
    }
    out.push_str(rest);
    out
}
