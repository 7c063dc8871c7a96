//! Charsets: the standard's prescan tests, a corpus of legacy encodings, and the order of trust.

use super::*;
use gleaner_fixtures::corpus;

#[test]
fn html5lib_encoding_tests_hold() {
    let Some(folder) = corpus("html5lib-tests/encoding") else {
        return;
    };
    let (mut passed, mut total) = (0, 0);
    // The tests under `scripted` change the encoding by a script; nothing here runs scripts.
    for name in ["tests1.dat", "tests2.dat", "test-yahoo-jp.dat"] {
        let file = std::fs::read(folder.join(name)).unwrap();
        let mut blocks = vec![Vec::new()];
        for line in file.split_inclusive(|&b| b == b'\n') {
            if line == b"#data\n" {
                blocks.push(Vec::new());
            } else {
                blocks.last_mut().unwrap().extend_from_slice(line);
            }
        }
        for block in &blocks[1..] {
            let at = memchr::memmem::find(block, b"#encoding\n").unwrap();
            let data = block[..at].strip_suffix(b"\n").unwrap_or(&block[..at]);
            let label = String::from_utf8_lossy(&block[at + 10..]).trim().to_owned();
            let want = Encoding::for_label(label.as_bytes()).unwrap();
            let got = choose(Kind::Html, None, None, data);
            total += 1;
            if got.encoding == want {
                passed += 1;
            } else {
                println!(
                    "{name}: want {label}, got {} ({:?}): {:?}",
                    got.encoding.name(),
                    got.source,
                    String::from_utf8_lossy(&data[..data.len().min(300)])
                );
            }
        }
    }
    println!("html5lib encoding tests: {passed}/{total}");
    assert_eq!(passed, total);
}

/// The WHATWG encodings that read a file of this label right: the encoding itself or its superset.
fn accepted(label: &str) -> Option<&'static [&'static str]> {
    Some(match label {
        "ascii" => &["windows-1252", "UTF-8"],
        "Big5" => &["Big5"],
        "CP932" | "SHIFT_JIS" => &["Shift_JIS"],
        "CP949" | "EUC-KR" => &["EUC-KR"],
        "EUC-JP" => &["EUC-JP"],
        "GB2312" => &["GBK", "gb18030"],
        "IBM866" => &["IBM866"],
        "KOI8-R" => &["KOI8-R", "KOI8-U"],
        "MacCyrillic" => &["x-mac-cyrillic"],
        "TIS-620" => &["windows-874"],
        "UTF-16BE" => &["UTF-16BE"],
        "UTF-16LE" => &["UTF-16LE"],
        "iso-2022-jp" => &["ISO-2022-JP"],
        "iso-8859-1" | "windows-1252" => &["windows-1252"],
        "iso-8859-2" => &["ISO-8859-2"],
        "windows-1250" => &["windows-1250"],
        "iso-8859-5" => &["ISO-8859-5"],
        "iso-8859-7" => &["ISO-8859-7", "windows-1253"],
        "iso-8859-9" | "windows-1254" => &["windows-1254"],
        "utf-8" | "utf-8-sig" => &["UTF-8"],
        "windows-1251" => &["windows-1251"],
        "windows-1255" => &["windows-1255", "ISO-8859-8", "ISO-8859-8-I"],
        "windows-1256" => &["windows-1256"],
        // Not in the WHATWG set, so no browser and no decoder of ours can name them.
        "IBM855" | "Johab" | "UTF-32" | "UTF-32BE" | "UTF-32LE" | "iso-2022-kr" | "EUC-TW" | "MacRoman" => {
            return None;
        }
        other => panic!("label without a rule: {other}"),
    })
}

#[test]
fn legacy_encodings_are_recognised() {
    let Some(folder) = corpus("encoding-detection") else {
        return;
    };
    let (mut passed, mut total, mut by_meta, mut apart) = (0, 0, 0, 0);
    let mut folders: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let languages = [
            "croatian",
            "hungarian",
            "polish",
            "slovak",
            "bulgarian",
            "russian",
            "greek",
            "turkish",
            "czech",
            "romanian",
            "hebrew",
            "arabic",
        ];
        let label = languages
            .iter()
            .find_map(|l| name.strip_suffix(&format!("-{l}")))
            .unwrap_or(&name);
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let body = std::fs::read(&file).unwrap();
            let Some(wanted) = accepted(label) else {
                apart += 1;
                // Never refused: there is an answer and the text is valid Unicode.
                let chosen = choose(Kind::Html, None, None, &body);
                let _ = to_text(&body, &chosen.charset());
                continue;
            };
            let kind = match file.extension().and_then(|e| e.to_str()) {
                Some("xml") => Kind::Xml,
                Some("txt" | "srt") => Kind::Text,
                _ => Kind::Html,
            };
            let chosen = choose(kind, None, None, &body);
            total += 1;
            by_meta += usize::from(chosen.source == CharsetSource::Meta);
            if wanted.contains(&chosen.encoding.name()) {
                passed += 1;
            } else {
                println!(
                    "{name}/{}: got {} ({})",
                    file.file_name().unwrap().display(),
                    chosen.encoding.name(),
                    chosen.source.as_str()
                );
            }
        }
    }
    println!(
        "legacy encodings: {passed}/{total} ({by_meta} by their own declaration; apart, not in the WHATWG set: {apart})"
    );
    assert!(passed * 100 >= total * 95, "{passed}/{total}");
}

#[test]
fn hc078_the_standard_order_with_a_fallback() {
    let long = format!("text/html; charset={}", "x".repeat(10 * 1024));
    let utf8 = "<meta charset=iso-8859-2>é".as_bytes();
    type Case<'c> = (Option<&'c str>, &'c [u8], &'c str, CharsetSource, bool);
    let cases: [Case<'_>; 15] = [
        (
            Some("text/html; charset=iso-8859-5"),
            b"\xEF\xBB\xBF<meta charset=koi8-r>",
            "UTF-8",
            CharsetSource::Bom,
            false,
        ),
        (
            Some("text/html; charset=iso-8859-5"),
            b"<meta charset=koi8-r>",
            "ISO-8859-5",
            CharsetSource::Header,
            false,
        ),
        (
            Some("text/html; charset=\"UTF-8\""),
            b"x",
            "UTF-8",
            CharsetSource::Header,
            false,
        ),
        (
            Some("text/html; foo=bar; CHARSET = 'utf-8'"),
            b"x",
            "UTF-8",
            CharsetSource::Header,
            false,
        ),
        (Some("text/html"), utf8, "ISO-8859-2", CharsetSource::Meta, false),
        (
            Some("text/html; charset=nonsense"),
            utf8,
            "ISO-8859-2",
            CharsetSource::Meta,
            true,
        ),
        (Some(&long), utf8, "ISO-8859-2", CharsetSource::Meta, true),
        (
            Some("text/html; charset=utf-7"),
            "ä".as_bytes(),
            "UTF-8",
            CharsetSource::Detected,
            true,
        ),
        (
            Some("text/html; charset=utf-32"),
            "ä".as_bytes(),
            "UTF-8",
            CharsetSource::Detected,
            true,
        ),
        (
            Some("text/html; charset=iso-2022-kr"),
            b"abc",
            "windows-1252",
            CharsetSource::Default,
            true,
        ),
        (
            Some("text/html; charset=utf-16"),
            b"<html>",
            "windows-1252",
            CharsetSource::Default,
            false,
        ),
        (
            None,
            b"<meta charset=utf-16>",
            "UTF-8",
            CharsetSource::Meta,
            false,
        ),
        (
            None,
            b"<meta charset=utf-7>",
            "windows-1252",
            CharsetSource::Default,
            false,
        ),
        (None, b"\xFF\xFEa\0", "UTF-16LE", CharsetSource::Bom, false),
        (None, b"", "windows-1252", CharsetSource::Default, false),
    ];
    for (header, body, name, source, is_unknown) in cases {
        let chosen = choose(Kind::Html, header, None, body);
        assert_eq!(
            (chosen.encoding.name(), chosen.source),
            (name, source),
            "{header:.60?} {body:?}"
        );
        assert_eq!(chosen.unknown_label.is_some(), is_unknown, "{header:.60?}");
    }
}

#[test]
fn a_meta_beyond_the_first_kilobyte_counts_unless_it_is_text() {
    let late = format!(
        "<script>var x = '{}'; '<meta charset=koi8-r>'</script><meta charset=iso-8859-2>",
        "x".repeat(2000)
    );
    let chosen = choose(Kind::Html, None, None, late.as_bytes());
    assert_eq!(chosen.encoding.name(), "ISO-8859-2");
}

#[test]
fn hc079_text_is_valid_unicode_whatever_the_bytes() {
    let charset = Charset {
        name: "UTF-8",
        source: CharsetSource::Header,
    };
    let text = to_text(b"a\xC0\xAFb\xED\xA0\x80c\0d\xFFe", &charset);
    assert!(text.starts_with('a') && text.ends_with('e'));
    assert!(text.contains('\u{fffd}'));
    let nonsense = Charset {
        name: "no such charset",
        source: CharsetSource::Default,
    };
    assert_eq!(to_text("ä".as_bytes(), &nonsense), "ä");
}
