use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A text of `words` words that no other number has.
fn text(number: u64, words: usize) -> String {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut out = String::new();
    for at in 0..words {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let syllables = [
            "ka", "ri", "mo", "tes", "lun", "pa", "vor", "ne", "sil", "gra", "hu", "dex",
        ];
        for part in 0..3 {
            out.push_str(syllables[(state >> (20 + part * 8)) as usize % syllables.len()]);
        }
        out.push_str(if at % 11 == 10 { ". " } else { " " });
    }
    out
}

fn signature(text: &str, title: &str) -> TextSignature {
    TextSignature::of(&WorkText {
        text,
        title,
        ..WorkText::default()
    })
}

fn relation(one: &TextSignature, other: &TextSignature, have_same_format: bool) -> Option<Relation> {
    related(&likeness(one, other), have_same_format)
}

#[test]
fn a_copy_a_format_a_version_and_another_are_told_apart() {
    let body = text(1, 600);
    let first = signature(&format!("Release 1.2 of 2024.\n{body}"), "A guide to everything");
    let copy = signature(&format!("Release 1.3 of 2025.\n{body}"), "A guide to everything");
    assert_eq!(relation(&first, &copy, true), Some(Relation::Copy));
    assert_eq!(relation(&first, &copy, false), Some(Relation::OtherFormat));
    let newer = signature(
        &format!("{}{}", &body[..body.len() / 2], text(2, 300)),
        "A guide to everything",
    );
    assert_eq!(relation(&first, &newer, true), Some(Relation::Version));
    let other = signature(
        &format!("Release 1.2 of 2024.\n{}", text(3, 600)),
        "A guide to everything",
    );
    assert_eq!(relation(&first, &other, true), None);
    let of_template = signature(
        &format!("{}{}", &body[..body.len() * 6 / 10], text(4, 250)),
        "Notes about nothing",
    );
    assert_eq!(relation(&first, &of_template, true), None);
}

#[test]
fn converters_differ_and_the_text_is_the_same() {
    let line = "The cat sat on the mat and looked at the exam-\nple of a dog. It was \u{fb01}ne, she said";
    let wide = "THE CAT SAT ON THE MAT AND LOOKED AT THE EXAMPLE OF A DOG.  It was fine, she said";
    let hash = |text: &str| signature(text, "").words_hash;
    assert_eq!(hash(&line.replace('\u{fb01}', "fi")), hash(wide));
    let page = |number: usize| {
        format!(
            "Journal of Things 12 ({number})\n{}\n{number}\n",
            text(number as u64, 80)
        )
    };
    let with_heads: String = (1..7).map(page).collect();
    let pages: Vec<String> = (1..7)
        .map(|number| format!("{}\n{number}\n", text(number, 80)))
        .collect();
    let without = pages.concat();
    assert_eq!(hash(&with_heads), hash(&without));
}

#[test]
fn a_signature_comes_back_from_its_bytes_and_damage_is_told() {
    let authors = ["Maria Rossi".to_owned(), "Ek, Bo".to_owned()];
    let body = text(9, 7000);
    let given = WorkText {
        text: &body,
        title: "Words",
        authors: &authors,
        language: None,
    };
    let one = TextSignature::of(&given);
    let bytes = one.to_bytes();
    assert_eq!(TextSignature::from_bytes(&bytes), Ok(one));
    assert!(bytes.len() < 16_000, "{} bytes", bytes.len());
    for end in (0..bytes.len()).step_by(61) {
        assert!(TextSignature::from_bytes(&bytes[..end]).is_err());
    }
    assert_eq!(
        TextSignature::from_bytes(&[9, 9]),
        Err(SignatureError::OtherFormat { found: 9 })
    );
}

#[test]
fn a_chain_is_no_work() {
    let bond = |one, other| WorkBond {
        one,
        other,
        relation: Relation::Version,
    };
    let found = groups(1..=5, &[bond(1, 2), bond(2, 3), bond(3, 4), bond(4, 5)]);
    let texts: Vec<Vec<u128>> = found.iter().map(|group| group.texts().collect()).collect();
    assert_eq!(texts, [vec![2, 1, 3], vec![4, 5]]);
}

#[test]
fn a_document_that_goes_leaves_nothing_and_one_that_stays_keeps_its_text() {
    let mut works = Works::default();
    let (one, copy) = (
        signature(&text(1, 300), "One"),
        signature(&format!("Cover sheet. {}", text(1, 300)), "One"),
    );
    assert!(!works.add(1, 0, &one).is_known_text);
    assert!(works.add(2, 0, &one).is_known_text);
    assert_eq!(works.add(3, 1, &copy).bonds, [one.fingerprint()]);
    assert_eq!(works.relation(1, 2), Some(Relation::Copy));
    assert_eq!(works.relation(1, 3), Some(Relation::OtherFormat));
    works.remove(1);
    assert_eq!(works.relation(2, 3), Some(Relation::OtherFormat));
    works.remove(2);
    works.remove(3);
    assert!(works.groups().is_empty() && works.candidates(&one).is_empty());
}

/// Documents of a few works: copies, parts exchanged, sheets put before.
fn documents() -> impl Strategy<Value = Vec<(u64, u8, u16)>> {
    prop::collection::vec((0u64..6, 0u8..5, 0u16..3), 1..24)
}

fn made(work: u64, change: u8) -> TextSignature {
    let body = text(work, 260);
    let cut = body.len() / 4 * usize::from(change);
    let changed = match change {
        0 => body,
        4 => format!("Cover sheet of the archive. {body}"),
        _ => format!("{}{}", &body[cut..], text(work * 10 + u64::from(change), 40)),
    };
    signature(&changed, &format!("Work {work}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_arrival_changes_nothing(given in documents(), seed in any::<u64>()) {
        let all: Vec<(i64, u16, TextSignature)> =
            given.iter().enumerate().map(|(at, (work, change, format))| (at as i64, *format, made(*work, *change))).collect();
        let mut shuffled = all.clone();
        shuffled.sort_by_key(|(at, ..)| (*at as u64 + 1).wrapping_mul(seed | 1));
        let of = |documents: &[(i64, u16, TextSignature)]| {
            let mut works = Works::default();
            for (document, format, signature) in documents {
                works.add(*document, *format, signature);
            }
            // One that came and went, and one that came twice.
            works.add(999, 0, &made(3, 2));
            works.remove(999);
            let (document, format, signature) = &documents[0];
            works.add(*document, *format, signature);
            works
        };
        let (one, other) = (of(&all), of(&shuffled));
        prop_assert_eq!(one.groups(), other.groups());
        // Nothing is lost: every document is in exactly one group.
        let held: Vec<i64> = one.groups().iter().flat_map(|group| group.texts().collect::<Vec<_>>()).flat_map(|text| one.documents(text)).collect();
        prop_assert_eq!(held.len(), all.len());
        prop_assert_eq!(held.into_iter().collect::<BTreeSet<_>>().len(), all.len());
    }

    #[test]
    fn any_bytes_are_a_signature_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        let mut begun = signature("some words are here", "t").to_bytes();
        let _ = TextSignature::from_bytes(&bytes);
        begun.truncate(20);
        begun.extend(bytes);
        if let Ok(read) = TextSignature::from_bytes(&begun) {
            let _ = (read.keys(), likeness(&read, &read));
        }
    }
}
