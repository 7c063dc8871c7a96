//! Which language is a text in? By its letters and trigrams; unknown where that is a guess.

use frostem::Algorithm;
use whatlang::Lang;

/// A language by its ISO 639-1 code (three letters where it has none), or unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(&'static str);

/// Bytes that are looked at: more of them do not change the answer.
const SAMPLE_BYTES: usize = 1500;
/// Letters below which a text says too little of its language.
const LETTERS_MIN: usize = 24;
/// Letters from which on a guess is good enough.
const LETTERS_ENOUGH: usize = 50;

/// What is known of a language: how it is called here, and whose rules make its stems.
const KNOWN: [(Lang, &str, Option<Algorithm>); 70] = {
    use Algorithm as A;
    use Lang as L;
    [
        (L::Afr, "af", None),
        (L::Aka, "ak", None),
        (L::Amh, "am", None),
        (L::Ara, "ar", Some(A::Arabic)),
        (L::Aze, "az", None),
        (L::Bel, "be", None),
        (L::Ben, "bn", None),
        (L::Bul, "bg", None),
        (L::Cat, "ca", Some(A::Catalan)),
        (L::Ces, "cs", Some(A::Czech)),
        (L::Cmn, "zh", None),
        (L::Cym, "cy", None),
        (L::Dan, "da", Some(A::Danish)),
        (L::Deu, "de", Some(A::German)),
        (L::Ell, "el", Some(A::Greek)),
        (L::Eng, "en", Some(A::English)),
        (L::Epo, "eo", Some(A::Esperanto)),
        (L::Est, "et", Some(A::Estonian)),
        (L::Fin, "fi", Some(A::Finnish)),
        (L::Fra, "fr", Some(A::French)),
        (L::Guj, "gu", None),
        (L::Heb, "he", None),
        (L::Hin, "hi", Some(A::Hindi)),
        (L::Hrv, "hr", Some(A::Serbian)),
        (L::Hun, "hu", Some(A::Hungarian)),
        (L::Hye, "hy", Some(A::Armenian)),
        (L::Ind, "id", Some(A::Indonesian)),
        (L::Ita, "it", Some(A::Italian)),
        (L::Jav, "jv", None),
        (L::Jpn, "ja", None),
        (L::Kan, "kn", None),
        (L::Kat, "ka", None),
        (L::Khm, "km", None),
        (L::Kor, "ko", None),
        (L::Lat, "la", None),
        (L::Lav, "lv", None),
        (L::Lit, "lt", Some(A::Lithuanian)),
        (L::Mal, "ml", None),
        (L::Mar, "mr", None),
        (L::Mkd, "mk", None),
        (L::Mya, "my", None),
        (L::Nep, "ne", Some(A::Nepali)),
        (L::Nld, "nl", Some(A::Dutch)),
        (L::Nob, "no", Some(A::Norwegian)),
        (L::Ori, "or", None),
        (L::Pan, "pa", None),
        (L::Pes, "fa", Some(A::Persian)),
        (L::Pol, "pl", Some(A::Polish)),
        (L::Por, "pt", Some(A::Portuguese)),
        (L::Ron, "ro", Some(A::Romanian)),
        (L::Rus, "ru", Some(A::Russian)),
        (L::Sin, "si", None),
        (L::Slk, "sk", None),
        (L::Slv, "sl", None),
        (L::Sna, "sn", None),
        (L::Spa, "es", Some(A::Spanish)),
        (L::Srp, "sr", Some(A::Serbian)),
        (L::Swe, "sv", Some(A::Swedish)),
        (L::Tam, "ta", Some(A::Tamil)),
        (L::Tel, "te", None),
        (L::Tgl, "tl", None),
        (L::Tha, "th", None),
        (L::Tuk, "tk", None),
        (L::Tur, "tr", Some(A::Turkish)),
        (L::Ukr, "uk", None),
        (L::Urd, "ur", None),
        (L::Uzb, "uz", None),
        (L::Vie, "vi", None),
        (L::Yid, "yi", Some(A::Yiddish)),
        (L::Zul, "zu", None),
    ]
};

impl Language {
    pub const UNKNOWN: Language = Language("und");
    pub const ENGLISH: Language = Language("en");

    /// The language of a text, as far as its beginning tells.
    pub fn of(text: &str) -> Language {
        Language::of_declared(text, None)
    }

    /// The same where its author may have declared one: what the text shows counts first, unless there is too little of it to
    /// be sure. Unknown where nobody can tell.
    pub fn of_declared(text: &str, declared: Option<&str>) -> Language {
        let declared = declared.and_then(Language::parse);
        let mut end = text.len().min(SAMPLE_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let sample = &text[..end];
        let letters = sample
            .chars()
            .filter(|c| c.is_alphabetic())
            .take(LETTERS_ENOUGH)
            .count();
        let found = whatlang::detect(sample).filter(|_| letters >= LETTERS_MIN);
        let Some(found) = found else {
            return declared.unwrap_or(Language::UNKNOWN);
        };
        let seen = KNOWN
            .iter()
            .find(|(lang, _, _)| *lang == found.lang())
            .map_or(Language::UNKNOWN, |(_, code, _)| Language(code));
        // Longer texts are told apart also where two languages are near; a few words are not.
        let is_long = letters >= LETTERS_ENOUGH;
        match declared {
            _ if found.is_reliable() => seen,
            Some(declared) => declared,
            None if is_long => seen,
            None => Language::UNKNOWN,
        }
    }

    /// A code as people write it: `en`, `EN`, `eng`, `en-GB`.
    pub fn parse(code: &str) -> Option<Language> {
        let code = code.split(['-', '_']).next().unwrap_or(code).to_ascii_lowercase();
        if code == Language::UNKNOWN.0 {
            return Some(Language::UNKNOWN);
        }
        KNOWN
            .iter()
            .find(|(lang, short, _)| *short == code || lang.code() == code)
            .map(|(_, short, _)| Language(short))
    }

    pub fn code(self) -> &'static str {
        self.0
    }

    /// All that can be found.
    pub fn all() -> impl Iterator<Item = Language> {
        KNOWN.iter().map(|(_, code, _)| Language(code))
    }

    pub(crate) fn algorithm(self) -> Option<Algorithm> {
        KNOWN.iter().find(|(_, code, _)| *code == self.0)?.2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let cases = [
            (
                "The committee has decided that the library will be open on Sundays from now on.",
                "en",
            ),
            (
                "Die Kommission hat beschlossen, dass die Bibliothek ab sofort auch sonntags geöffnet ist.",
                "de",
            ),
            (
                "La commission a décidé que la bibliothèque serait désormais ouverte le dimanche.",
                "fr",
            ),
            (
                "La comisión ha decidido que la biblioteca abrirá también los domingos a partir de ahora.",
                "es",
            ),
            (
                "Комиссия решила, что библиотека теперь будет открыта и по воскресеньям.",
                "ru",
            ),
            (
                "委員会は、図書館を日曜日にも開館することを決定しました。これは試験的な措置です。",
                "ja",
            ),
            (
                "委员会决定图书馆从现在起星期日也开放，这是一项试行的措施，为期一年。",
                "zh",
            ),
            (
                "위원회는 앞으로 도서관을 일요일에도 개관하기로 결정했습니다. 이는 시범 조치입니다.",
                "ko",
            ),
        ];
        for (text, code) in cases {
            assert_eq!(Language::of(text).code(), code, "{text}");
        }
    }

    #[test]
    fn a_few_words_are_in_no_language() {
        for text in ["", "Home", "404", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"] {
            assert_eq!(Language::of(text), Language::UNKNOWN, "{text}");
        }
    }

    #[test]
    fn codes_are_read_as_people_write_them() {
        for code in ["en", "EN", "eng", "en-GB", "en_US"] {
            assert_eq!(Language::parse(code), Some(Language::ENGLISH), "{code}");
        }
        assert_eq!(Language::parse("xx"), None);
    }
}
