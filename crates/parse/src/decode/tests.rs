//! Content encodings: every codec whole, cut, damaged, mislabelled and exploding.

use super::*;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use std::io::Write;

const TEXT: &[u8] =
    b"The quick brown fox jumps over the lazy dog. The quick brown fox jumps over the lazy dog again.";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// `TEXT` and 64 MiB of zeros as brotli, made beforehand: there is no brotli encoder in this room.
const BROTLI_TEXT: &[u8] = include_bytes!("text.br");
const BROTLI_BOMB: &[u8] = include_bytes!("bomb.br");

fn run(raw: &[u8], encodings: &[Encoding]) -> Result<Vec<u8>, Reason> {
    let mut out = Vec::new();
    decode(
        raw,
        raw.len() as u64,
        encodings,
        &DecodeLimits::default(),
        &mut out,
        usize::MAX,
    )
    .map(|_| out)
}

fn headers(values: &[&str]) -> Vec<(String, String)> {
    values
        .iter()
        .map(|v| ("content-encoding".to_owned(), (*v).to_owned()))
        .collect()
}

#[test]
fn whole_bodies_come_out_as_they_went_in() {
    let cases = [
        (gzip(TEXT), Encoding::Gzip),
        (zlib(TEXT), Encoding::Deflate),
        (deflate(TEXT), Encoding::Deflate),
        (zstd(TEXT), Encoding::Zstd),
        (BROTLI_TEXT.to_vec(), Encoding::Brotli),
    ];
    for (raw, encoding) in &cases {
        assert_eq!(run(raw, &[*encoding]).as_deref(), Ok(TEXT), "{encoding:?}");
        assert_eq!(
            run(&[], &[*encoding]).as_deref(),
            Ok(&[][..]),
            "{encoding:?} empty"
        );
    }
    assert_eq!(run(TEXT, &[]).as_deref(), Ok(TEXT));
    let stacked = gzip(&zstd(TEXT));
    assert_eq!(
        run(&stacked, &[Encoding::Zstd, Encoding::Gzip]).as_deref(),
        Ok(TEXT)
    );
    let members = [gzip(b"one "), gzip(b"two"), b"rubbish".to_vec()].concat();
    assert_eq!(run(&members, &[Encoding::Gzip]).as_deref(), Ok(&b"one two"[..]));
}

#[test]
fn only_so_much_is_kept_but_all_is_proved() {
    let raw = gzip(TEXT);
    let mut out = Vec::new();
    let decoded = decode(
        &raw[..],
        raw.len() as u64,
        &[Encoding::Gzip],
        &DecodeLimits::default(),
        &mut out,
        10,
    );
    assert_eq!(
        decoded,
        Ok(Decoded {
            decoded_bytes: TEXT.len() as u64,
            cut: true
        })
    );
    assert_eq!(out, TEXT[..10]);
}

#[test]
fn hc074_bombs_stop_at_the_limit() {
    let zeros = vec![0u8; 64 * 1024 * 1024];
    let mut bombs = vec![
        (gzip(&zeros), Encoding::Gzip),
        (zlib(&zeros), Encoding::Deflate),
        (deflate(&zeros), Encoding::Deflate),
        (zstd(&zeros), Encoding::Zstd),
    ];
    bombs.push((BROTLI_BOMB.to_vec(), Encoding::Brotli));
    for (raw, encoding) in &bombs {
        let mut out = Vec::new();
        let result = decode(
            &raw[..],
            raw.len() as u64,
            &[*encoding],
            &DecodeLimits::default(),
            &mut out,
            usize::MAX,
        );
        assert_eq!(result, Err(Reason::DecodedTooLarge), "{encoding:?}");
        let most = defaults::EXPANSION_FREE_BYTES.max(raw.len() as u64 * defaults::EXPANSION_MAX) as usize;
        assert!(
            out.len() <= most,
            "{encoding:?} gave {} of at most {most}",
            out.len()
        );
    }
    // Honest expansion below the free amount is believed.
    let honest = gzip(&zeros[..9 * 1024 * 1024]);
    assert_eq!(
        run(&honest, &[Encoding::Gzip]).map(|out| out.len()),
        Ok(9 * 1024 * 1024)
    );
    // The absolute limit holds without any encoding too.
    let limits = DecodeLimits {
        decoded_bytes_max: 10,
        ..DecodeLimits::default()
    };
    let result = decode(TEXT, TEXT.len() as u64, &[], &limits, &mut Vec::new(), usize::MAX);
    assert_eq!(result, Err(Reason::DecodedTooLarge));
}

#[test]
fn hc075_stacked_encodings_are_refused_past_the_limit() {
    use Encoding::{Brotli, Deflate, Gzip, Zstd};
    let cases: [(&[&str], Result<Vec<Encoding>, Reason>); 11] = [
        (&[], Ok(vec![])),
        (&["gzip"], Ok(vec![Gzip])),
        (&["X-GZIP"], Ok(vec![Gzip])),
        (&["deflate, gzip"], Ok(vec![Deflate, Gzip])),
        (&["br", "zstd"], Ok(vec![Brotli, Zstd])),
        (&["identity, gzip, identity"], Ok(vec![Gzip])),
        (&[""], Ok(vec![])),
        (&["gzip, gzip, gzip, gzip, gzip"], Err(Reason::TooManyEncodings)),
        (&["gzip, br", "deflate, gzip"], Err(Reason::TooManyEncodings)),
        (&["compress"], Err(Reason::UnknownEncoding)),
        (&["gzip, rot13"], Err(Reason::UnknownEncoding)),
    ];
    for (values, want) in cases {
        assert_eq!(encodings(&headers(values)), want, "{values:?}");
    }
    assert_eq!(run(TEXT, &[Encoding::Gzip; 4]), Err(Reason::TooManyEncodings));
    // A bomb inside a bomb: every layer is counted.
    let nested = gzip(&gzip(&vec![0u8; 64 * 1024 * 1024]));
    assert_eq!(
        run(&nested, &[Encoding::Gzip, Encoding::Gzip]),
        Err(Reason::DecodedTooLarge)
    );
}

#[test]
fn hc076_mislabelled_bodies_are_taken_as_browsers_take_them() {
    let html = b"<!DOCTYPE html><title>plain</title>";
    assert_eq!(
        run(html, &[Encoding::Gzip]).as_deref(),
        Ok(&html[..]),
        "announced gzip, is plain"
    );
    assert_eq!(
        run(html, &[Encoding::Deflate]).as_deref(),
        Ok(&html[..]),
        "announced deflate, is plain"
    );
    assert_eq!(
        run(html, &[Encoding::Zstd]).as_deref(),
        Ok(&html[..]),
        "announced zstd, is plain"
    );
    assert_eq!(run(&zlib(TEXT), &[Encoding::Deflate]).as_deref(), Ok(TEXT));
    assert_eq!(run(&deflate(TEXT), &[Encoding::Deflate]).as_deref(), Ok(TEXT));
    let packed = gzip(html);
    assert_eq!(
        run(&packed, &[]).as_deref(),
        Ok(&packed[..]),
        "announced plain, is gzip: left as it is"
    );
    assert_eq!(
        crate::sniff(Some("text/html"), false, &packed).kind,
        crate::Kind::Archive
    );
}

#[test]
fn hc077_cut_or_damaged_bodies_are_never_half_a_page() {
    let long: Vec<u8> = (0..200_000u32)
        .flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes())
        .collect();
    let whole = [
        (gzip(&long), Encoding::Gzip),
        (zlib(&long), Encoding::Deflate),
        (deflate(&long), Encoding::Deflate),
        (zstd(&long), Encoding::Zstd),
        (BROTLI_TEXT.to_vec(), Encoding::Brotli),
    ];
    for (raw, encoding) in &whole {
        for cut in [raw.len() - 1, raw.len() / 2, raw.len() / 2 + 1] {
            assert_eq!(
                run(&raw[..cut], &[*encoding]),
                Err(Reason::Truncated),
                "{encoding:?} cut at {cut}"
            );
        }
    }
    let mut wrong_sum = gzip(TEXT);
    let at = wrong_sum.len() - 8;
    wrong_sum[at] ^= 1;
    assert_eq!(run(&wrong_sum, &[Encoding::Gzip]), Err(Reason::CorruptEncoding));
    let mut wrong_length = gzip(TEXT);
    let at = wrong_length.len() - 4;
    wrong_length[at] ^= 1;
    assert_eq!(
        run(&wrong_length, &[Encoding::Gzip]),
        Err(Reason::CorruptEncoding)
    );
    let mut wrong_adler = zlib(&long);
    let at = wrong_adler.len() - 1;
    wrong_adler[at] ^= 1;
    assert_eq!(
        run(&wrong_adler, &[Encoding::Deflate]),
        Err(Reason::CorruptEncoding)
    );
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_in_any_encoding_give_an_answer(raw in prop::collection::vec(any::<u8>(), 0..2000), pick in 0usize..4) {
            let encoding = [Encoding::Gzip, Encoding::Deflate, Encoding::Brotli, Encoding::Zstd][pick];
            let _ = run(&raw, &[encoding]);
        }

        #[test]
        fn damage_never_panics_and_wholeness_is_exact(text in prop::collection::vec(any::<u8>(), 0..5000), at in 0usize..5000, bit in 0u8..8) {
            for (mut raw, encoding) in [(gzip(&text), Encoding::Gzip), (zlib(&text), Encoding::Deflate), (zstd(&text), Encoding::Zstd)] {
                prop_assert_eq!(run(&raw, &[encoding]).unwrap(), text.clone());
                let at = at % raw.len();
                raw[at] ^= 1 << bit;
                let _ = run(&raw, &[encoding]);
            }
        }
    }
}
