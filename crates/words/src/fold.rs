//! Accents off, where people leave them out when they type: Latin and Greek letters, and points of Arabic and Hebrew. Marks
//! that make another letter stay: Japanese voicing, the vowel signs of India, the Cyrillic й.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// A word in lower case without its accents.
pub fn folded(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return Cow::Borrowed(word);
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        match c {
            'a'..='z' | '0'..='9' => out.push(c),
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ħ' => out.push('h'),
            'ı' => out.push('i'),
            'þ' => out.push_str("th"),
            'ё' => out.push('е'),
            'ς' => out.push('σ'),
            // Signs that say how to speak, and the stroke that only fills a line.
            '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' => {
            }
            'أ' | 'إ' | 'آ' => out.push('ا'),
            '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => {
                out.extend(
                    std::iter::once(c)
                        .nfd()
                        .filter(|c| !matches!(c, '\u{300}'..='\u{36f}')),
                );
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn accents_go_and_letters_stay() {
        for (word, wanted) in [
            ("naïve", "naive"),
            ("größe", "grosse"),
            ("łódź", "lodz"),
            ("ἀρχή", "αρχη"),
            ("λόγος", "λογοσ"),
            ("ёлка", "елка"),
            ("йод", "йод"),
            ("がく", "がく"),
            ("हिन्दी", "हिन्दी"),
            ("tiếng", "tieng"),
        ] {
            assert_eq!(folded(word), wanted, "{word}");
        }
    }
}
