//! Real pages: the addresses we find are the addresses a full parser finds.

use super::judge::{expected, found};
use crate::Kind;
use crate::charset::choose;
use flate2::read::GzDecoder;
use gleaner_fixtures::corpus;
use std::io::Read;
use std::path::{Path, PathBuf};

fn files(folder: &Path, suffix: &str, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, suffix, out);
        } else if path.to_string_lossy().ends_with(suffix) {
            out.push(path);
        }
    }
    out.sort();
}

#[test]
fn real_pages_agree_with_a_full_parser() {
    let mut paths = Vec::new();
    for (name, suffix) in [
        ("wcxb", ".html.gz"),
        ("aeb", ".html.gz"),
        ("readability-pages", "source.html.gz"),
        ("page-history", "00.html.gz"),
        ("focused-ebola", ".html.gz"),
        ("trafilatura-eval", ".html.gz"),
    ] {
        let Some(folder) = corpus(name) else { return };
        files(&folder, suffix, &mut paths);
    }
    let (mut same, mut total, mut addresses) = (0, 0, 0);
    for path in &paths {
        let packed = std::fs::read(path).unwrap();
        let mut body = Vec::new();
        if path.to_string_lossy().ends_with(".gz") {
            GzDecoder::new(packed.as_slice()).read_to_end(&mut body).unwrap();
        } else {
            body = packed;
        }
        let chosen = choose(Kind::Html, None, None, &body);
        assert!(chosen.encoding.is_ascii_compatible());
        let text = chosen.encoding.decode_with_bom_removal(&body).0;
        let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&body);
        let (want, got) = (expected(&text), found(body, chosen.encoding));
        total += 1;
        addresses += want.len();
        if want == got {
            same += 1;
        } else {
            let missing: Vec<_> = want.difference(&got).take(5).collect();
            let extra: Vec<_> = got.difference(&want).take(5).collect();
            println!("{}: missing {missing:?} extra {extra:?}", path.display());
        }
    }
    println!("pages with the same addresses: {same}/{total} ({addresses} addresses)");
    assert!(same * 1000 >= total * 995, "{same}/{total}");
}

/// Pages damaged at random places: the two parsers should still mostly agree. Where they differ, the tree builder had a
/// reason that needs a tree (see `trees.rs`).
#[test]
fn damaged_pages_mostly_agree_with_a_full_parser() {
    let Some(folder) = corpus("aeb") else { return };
    let mut paths = Vec::new();
    files(&folder, ".html.gz", &mut paths);
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize
    };
    let (mut same, mut total) = (0, 0);
    for path in paths.iter().step_by(3) {
        let mut body = Vec::new();
        GzDecoder::new(std::fs::File::open(path).unwrap())
            .read_to_end(&mut body)
            .unwrap();
        let Ok(text) = String::from_utf8(body) else {
            continue;
        };
        for _ in 0..4 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..3 {
                let at = next() % bytes.len();
                bytes[at] = b"<>\"'&=/! -"[next() % 10];
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let (want, got) = (expected(&text), found(text.as_bytes(), encoding_rs::UTF_8));
            total += 1;
            if want == got {
                same += 1;
            } else {
                let missing: Vec<_> = want.difference(&got).take(3).collect();
                let extra: Vec<_> = got.difference(&want).take(3).collect();
                println!(
                    "{}: missing {missing:?} extra {extra:?}",
                    path.file_name().unwrap().display()
                );
            }
        }
    }
    println!("damaged pages with the same addresses: {same}/{total}");
    assert!(same * 100 >= total * 97, "{same}/{total}");
}
