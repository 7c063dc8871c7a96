//! A signature as bytes: fixed numbers first, then the lists as gaps between ascending numbers.

use super::signature::TextSignature;
use gleaner_judge::equality::MINHASHES;

const FORMAT: u8 = 1;

/// Why bytes are no signature of this version.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum SignatureError {
    #[error(
        "the signature of a text was written by another version of gleaner (format {found}, this one knows {FORMAT})"
    )]
    OtherFormat { found: u8 },
    #[error("the signature of a text is damaged")]
    Damaged,
}

pub(super) fn write(signature: &TextSignature) -> Vec<u8> {
    let mut out = vec![FORMAT, signature.shingle_zeros, signature.sentence_zeros];
    out.push(signature.foreign_words);
    out.push(signature.languages.len() as u8);
    for (code, share) in &signature.languages {
        out.extend(code);
        out.push(*share);
    }
    for number in [signature.words_hash, signature.masked_hash, signature.simhash] {
        out.extend(number.to_le_bytes());
    }
    out.extend(signature.words.to_le_bytes());
    out.extend(signature.numbers.to_le_bytes());
    for minhash in signature.minhashes.iter() {
        out.extend(minhash.to_le_bytes());
    }
    for list in [&signature.shingles, &signature.sentences, &signature.authors] {
        ascending(list, &mut out);
    }
    for list in [&signature.rare, &signature.title] {
        varint(list.len() as u64, &mut out);
        for number in list {
            out.extend(number.to_le_bytes());
        }
    }
    out
}

pub(super) fn read(bytes: &[u8]) -> Result<TextSignature, SignatureError> {
    match bytes.first() {
        Some(&FORMAT) => parse(&mut &bytes[1..]).ok_or(SignatureError::Damaged),
        Some(&found) => Err(SignatureError::OtherFormat { found }),
        None => Err(SignatureError::Damaged),
    }
}

fn parse(rest: &mut &[u8]) -> Option<TextSignature> {
    let [shingle_zeros, sentence_zeros] = array(rest)?;
    let [foreign_words, languages] = array(rest)?;
    let languages = (0..languages).map(|_| {
        let [first, second, third, share] = array(rest)?;
        Some(([first, second, third], share))
    });
    let languages = languages.collect::<Option<Vec<_>>>()?;
    let words_hash = u64::from_le_bytes(array(rest)?);
    let masked_hash = u64::from_le_bytes(array(rest)?);
    let simhash = u64::from_le_bytes(array(rest)?);
    let words = u32::from_le_bytes(array(rest)?);
    let numbers = u32::from_le_bytes(array(rest)?);
    let mut minhashes = Box::new([0; MINHASHES]);
    for minhash in minhashes.iter_mut() {
        *minhash = u16::from_le_bytes(array(rest)?);
    }
    let shingles = read_ascending(rest)?;
    let sentences = read_ascending(rest)?;
    let authors = read_ascending(rest)?;
    let rare = read_plain(rest)?;
    let title = read_plain(rest)?;
    let is_whole = rest.is_empty() && shingle_zeros < 32 && sentence_zeros < 32;
    is_whole.then_some(TextSignature {
        words_hash,
        masked_hash,
        words,
        numbers,
        simhash,
        minhashes,
        shingle_zeros,
        shingles,
        sentence_zeros,
        sentences,
        rare,
        languages,
        foreign_words,
        title,
        authors,
    })
}

fn ascending(list: &[u32], out: &mut Vec<u8>) {
    varint(list.len() as u64, out);
    let mut last = 0;
    for &number in list {
        varint(u64::from(number - last), out);
        last = number;
    }
}

fn read_ascending(rest: &mut &[u8]) -> Option<Vec<u32>> {
    let count = read_varint(rest)?;
    let mut list = Vec::with_capacity(usize::try_from(count).ok()?.min(rest.len()));
    let mut last = 0u32;
    for _ in 0..count {
        last = last.checked_add(u32::try_from(read_varint(rest)?).ok()?)?;
        list.push(last);
    }
    Some(list)
}

fn read_plain(rest: &mut &[u8]) -> Option<Vec<u32>> {
    let count = read_varint(rest)?;
    (0..count)
        .map(|_| Some(u32::from_le_bytes(array(rest)?)))
        .collect()
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, after) = rest.split_first_chunk::<N>()?;
    *rest = after;
    Some(*taken)
}
