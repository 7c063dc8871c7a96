//! Whatever the bytes are: an answer, within its bounds, the same every time.

use crate::read_as;
use flate2::read::GzDecoder;
use gleaner_model::defaults::{ANCHOR_CHARS_MAX, LINKS_PER_PAGE_MAX, TITLE_CHARS_MAX};
use gleaner_parse::Parsed;
use proptest::prelude::*;
use std::io::Read;

const TYPES: [&str; 9] = [
    "text/html",
    "text/html; charset=shift_jis",
    "text/html; charset=utf-16le",
    "application/xhtml+xml",
    "text/css",
    "application/xml",
    "application/rss+xml",
    "text/plain",
    "application/octet-stream",
];

fn check(parsed: &Parsed) {
    assert!(parsed.links.len() <= LINKS_PER_PAGE_MAX);
    assert!(parsed.title.chars().count() <= TITLE_CHARS_MAX);
    assert!(!parsed.title.contains('\0'));
    for link in &parsed.links {
        assert!(link.anchor.chars().count() <= ANCHOR_CHARS_MAX);
        assert!(link.count > 0);
        assert!(!link.anchor.contains('\0'));
    }
}

fn run(body: &[u8], pick: usize) {
    let headers = [("content-type", TYPES[pick % TYPES.len()])];
    let first = read_as(body, &headers, pick.is_multiple_of(2));
    check(&first);
    assert_eq!(first, read_as(body, &headers, pick.is_multiple_of(2)));
}

/// Pieces of pages, so that random strings of them reach deep into the states.
const PIECES: [&str; 46] = [
    "<a href=x>",
    "<a href='y'",
    "</a>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "--!>",
    "<!",
    "<?",
    "<![CDATA[",
    "]]>",
    "<svg>",
    "</svg>",
    "<math>",
    "<title>",
    "</title>",
    "<style>",
    "</style>",
    "@import 'z';",
    "url(",
    ")",
    "<iframe srcdoc='",
    "<base href=/b/>",
    "<meta charset=koi8-r>",
    "<meta http-equiv=refresh content='0;url=q'>",
    "<foreignObject>",
    "<textarea>",
    "&amp;",
    "&#x41;",
    "&notit;",
    "\0",
    "\u{fc}",
    "\u{feff}",
    "\n",
    " ",
    "=",
    "\"",
    "'",
    ">",
    "<",
    "/",
    "<p style='a:url(b)'>",
    "<img srcset='a 1x, b 2x' alt=w>",
    "<?xml version='1.0'?><urlset><url><loc>http://a/</loc>",
    "<rss><item><link>http://b/</link>",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_give_an_answer(body in prop::collection::vec(any::<u8>(), 0..3000), pick in 0usize..100) {
        run(&body, pick);
    }

    #[test]
    fn any_soup_gives_an_answer(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..60), pick in 0usize..100) {
        run(pieces.concat().as_bytes(), pick);
    }

    #[test]
    fn a_page_cut_anywhere_gives_no_more_than_the_whole(cut in 0usize..2000) {
        let page = format!("<title>t</title>{}", (0..40).map(|i| format!("<p class=c><a href=/p{i}>w {i}</a><!-- c -->")).collect::<String>());
        let cut = cut.min(page.len());
        let (part, whole) = (crate::html(&page[..cut]), crate::html(&page));
        prop_assert!(part.links.len() <= whole.links.len());
        for (a, b) in part.links.iter().zip(&whole.links) {
            prop_assert_eq!(&a.url, &b.url);
        }
    }
}

#[test]
fn real_pages_mutated_give_an_answer() {
    let Some(folder) = gleaner_fixtures::corpus("aeb/html") else {
        return;
    };
    let entries = std::fs::read_dir(folder).expect("a folder of pages");
    let mut paths: Vec<_> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "gz"))
        .collect();
    paths.sort();
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for path in paths.iter().take(12) {
        let mut whole = Vec::new();
        GzDecoder::new(std::fs::File::open(path).unwrap())
            .read_to_end(&mut whole)
            .unwrap();
        for round in 0..20 {
            let mut body = whole[..whole.len().min(40_000)].to_vec();
            for _ in 0..=round * 3 {
                let at = next() % body.len();
                match next() % 4 {
                    0 => body[at] = next() as u8,
                    1 => body.truncate(at.max(1)),
                    2 => body[at] = b"<>\"'&=/! -"[next() % 10],
                    _ => {
                        let end = (at + next() % 200).min(body.len());
                        let piece = body[at..end].to_vec();
                        let to = next() % body.len();
                        body.splice(to..to, piece);
                    }
                }
            }
            run(&body, round);
        }
    }
}
