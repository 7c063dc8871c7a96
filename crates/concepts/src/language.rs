//! The language of a text: how its words are stemmed, and which of them say nothing by themselves.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use foldhash::{HashSet, HashSetExt};
use frostem::{Algorithm, Stemmer};

/// How much of a text is looked at to find its language, in bytes. More does not change the answer.
const LOOK_BYTES: usize = 8_192;

/// A language with what is known about it. Where there is no stemmer or no list, words stay as they are.
pub struct Analyser {
    /// The two letters of ISO 639-1, or three where there are none.
    pub code: &'static str,
    stemmer: Option<Stemmer>,
    stop_words: HashSet<&'static str>,
}

impl Analyser {
    /// The language of this code; one that knows nothing where the code is not known.
    pub fn of(code: &str) -> &'static Analyser {
        static KNOWN: OnceLock<Mutex<HashMap<&'static str, &'static Analyser>>> = OnceLock::new();
        let listed = CODES.iter().map(|row| row.1).find(|known| *known == code);
        let code = listed
            .or_else(|| whatlang::Lang::from_code(code).map(|found| found.code()))
            .unwrap_or(UNKNOWN);
        let mut known = KNOWN
            .get_or_init(Mutex::default)
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        known
            .entry(code)
            .or_insert_with(|| Box::leak(Box::new(Analyser::new(code))))
    }

    fn new(code: &'static str) -> Self {
        let stemmer = CODES
            .iter()
            .find(|row| row.1 == code)
            .and_then(|row| row.2)
            .map(Stemmer::new);
        let mut stop_words = HashSet::new();
        stop_words.extend(stop_words::lookup(code).unwrap_or_default());
        if code == "en" {
            stop_words.extend(MORE_ENGLISH);
        }
        Self {
            code,
            stemmer,
            stop_words,
        }
    }

    /// The stem of a word in lower case.
    pub fn stem(&self, word: &str) -> String {
        match &self.stemmer {
            Some(stemmer) => stemmer.stem(word).into_owned(),
            None => word.to_owned(),
        }
    }

    /// Whether a word in lower case says nothing by itself.
    pub fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }
}

/// A text whose language cannot be told.
const UNKNOWN: &str = "und";

/// The code of the language that a text is written in. What the text shows counts before what its author declared, unless there
/// is too little of it to be sure; `und` where nobody can tell.
pub fn language_of(text: &str, declared: Option<&str>) -> &'static str {
    let mut end = text.len().min(LOOK_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let declared = declared
        .and_then(|declared| declared.get(..2))
        .map(str::to_ascii_lowercase);
    let declared = declared
        .and_then(|declared| CODES.iter().find(|row| row.1 == declared))
        .map(|row| row.1);
    let found = whatlang::detect(&text[..end]);
    let seen = found.as_ref().map(|found| {
        CODES
            .iter()
            .find(|row| row.0 == found.lang())
            .map_or(found.lang().code(), |row| row.1)
    });
    let is_sure = found.is_some_and(|found| found.is_reliable());
    if is_sure { seen } else { declared.or(seen) }.unwrap_or(UNKNOWN)
}

/// The library's short English list knows articles and pronouns; its long one takes "computer", "system" and "web" for words that
/// say nothing. These go with the short one.
#[rustfmt::skip]
static MORE_ENGLISH: &[&str] = &[
    "able", "about", "above", "according", "accordingly", "across", "actually", "after", "afterwards", "again", "against", "allow", "allows",
    "almost", "alone", "along", "already", "also", "although", "always", "among", "amongst", "another", "any", "anyone", "anything", "anyway",
    "apart", "around", "aside", "available", "away", "became", "because", "become", "becomes", "becoming", "before", "behind", "believe",
    "beside", "besides", "best", "better", "beyond", "both", "brief", "came", "can", "cannot", "certain", "certainly", "come", "comes",
    "consequently", "consider", "considering", "contain", "containing", "contains", "corresponding", "could", "currently", "despite",
    "different", "done", "due", "each", "either", "else", "elsewhere", "enough", "especially", "et", "etc", "even", "ever", "every", "everyone",
    "everything", "everywhere", "exactly", "example", "except", "far", "first", "followed", "following", "follows", "former", "furthermore",
    "gets", "getting", "given", "gives", "goes", "gone", "got", "hardly", "hence", "hereby", "however", "i.e", "e.g", "eg", "ie", "indeed",
    "instead", "inward", "just", "keep", "keeps", "kept", "know", "known", "knows", "last", "lately", "later", "latter", "least", "less", "let",
    "like", "likely", "little", "made", "mainly", "make", "makes", "many", "may", "maybe", "meanwhile", "merely", "might", "moreover", "mostly",
    "much", "must", "namely", "near", "nearly", "necessary", "need", "needs", "neither", "nevertheless", "new", "next", "none", "normally",
    "nothing", "obviously", "often", "one", "onto", "otherwise", "particularly", "perhaps", "possible", "probably", "quite", "rather",
    "really", "regarding", "respectively", "seem", "seems", "several", "shall", "since", "still", "thus",
    "shown", "show", "shows", "someone", "something", "sometimes", "somewhat", "soon", "specifically", "such", "take", "taken", "takes",
    "therefore", "thereby", "therein", "third", "though", "three", "throughout", "thru", "together", "too", "toward", "towards", "tried",
    "tries", "truly", "try", "two", "unless", "unlikely", "until", "upon", "use", "used", "useful", "uses", "using", "usually", "various", "via",
    "want", "wants", "way", "well", "went", "whatever", "whenever", "whereas", "wherever", "whether", "whole", "whose", "will", "within",
    "without", "would", "yes", "yet", "zero", "based",
];

use whatlang::Lang as L;
/// Languages that can be told from a text, their codes, and their stemmers.
static CODES: &[(L, &str, Option<Algorithm>)] = &[
    (L::Eng, "en", Some(Algorithm::English)),
    (L::Deu, "de", Some(Algorithm::German)),
    (L::Fra, "fr", Some(Algorithm::French)),
    (L::Spa, "es", Some(Algorithm::Spanish)),
    (L::Por, "pt", Some(Algorithm::Portuguese)),
    (L::Ita, "it", Some(Algorithm::Italian)),
    (L::Nld, "nl", Some(Algorithm::Dutch)),
    (L::Rus, "ru", Some(Algorithm::Russian)),
    (L::Swe, "sv", Some(Algorithm::Swedish)),
    (L::Nob, "no", Some(Algorithm::Norwegian)),
    (L::Dan, "da", Some(Algorithm::Danish)),
    (L::Fin, "fi", Some(Algorithm::Finnish)),
    (L::Hun, "hu", Some(Algorithm::Hungarian)),
    (L::Ron, "ro", Some(Algorithm::Romanian)),
    (L::Tur, "tr", Some(Algorithm::Turkish)),
    (L::Ces, "cs", Some(Algorithm::Czech)),
    (L::Pol, "pl", Some(Algorithm::Polish)),
    (L::Ell, "el", Some(Algorithm::Greek)),
    (L::Ara, "ar", Some(Algorithm::Arabic)),
    (L::Hin, "hi", Some(Algorithm::Hindi)),
    (L::Ind, "id", Some(Algorithm::Indonesian)),
    (L::Lit, "lt", Some(Algorithm::Lithuanian)),
    (L::Nep, "ne", Some(Algorithm::Nepali)),
    (L::Tam, "ta", Some(Algorithm::Tamil)),
    (L::Cat, "ca", Some(Algorithm::Catalan)),
    (L::Est, "et", Some(Algorithm::Estonian)),
    (L::Hye, "hy", Some(Algorithm::Armenian)),
    (L::Srp, "sr", Some(Algorithm::Serbian)),
    (L::Pes, "fa", Some(Algorithm::Persian)),
    (L::Epo, "eo", Some(Algorithm::Esperanto)),
    (L::Yid, "yi", Some(Algorithm::Yiddish)),
    (L::Cmn, "zh", None),
    (L::Jpn, "ja", None),
    (L::Kor, "ko", None),
    (L::Ukr, "uk", None),
    (L::Bul, "bg", None),
    (L::Heb, "he", None),
    (L::Hrv, "hr", None),
    (L::Slk, "sk", None),
    (L::Slv, "sl", None),
    (L::Lav, "lv", None),
    (L::Ben, "bn", None),
    (L::Tha, "th", None),
    (L::Vie, "vi", None),
    (L::Urd, "ur", None),
    (L::Afr, "af", None),
    (L::Lat, "la", None),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        let of = |text| language_of(text, None);
        assert_eq!(
            of(
                "The cat sat on the mat and looked at the dog that was barking in the garden of our neighbours."
            ),
            "en"
        );
        assert_eq!(
            of("Die Katze saß auf der Matte und sah den Hund an, der im Garten unserer Nachbarn bellte."),
            "de"
        );
        assert_eq!(
            of("Москва является столицей России и крупнейшим по численности населения городом страны."),
            "ru"
        );
        assert_eq!(of("12345"), UNKNOWN);
    }

    #[test]
    fn where_there_is_little_text_its_author_is_believed() {
        assert_eq!(language_of("Winter", Some("de-AT")), "de");
        assert_eq!(
            language_of(
                &"The cat sat on the mat and looked at the dog that was barking in the garden. ".repeat(3),
                Some("de")
            ),
            "en"
        );
        assert_eq!(language_of("42", Some("é")), UNKNOWN);
    }

    #[test]
    fn every_language_that_is_listed_once_stems_or_leaves_words_as_they_are() {
        for (_, code, _) in CODES {
            assert_eq!(CODES.iter().filter(|row| row.1 == *code).count(), 1);
            assert_eq!(Analyser::of(code).code, *code);
        }
        assert_eq!(Analyser::of("en").stem("running"), "run");
        assert_eq!(Analyser::of("zh").stem("词"), "词");
        assert_eq!(Analyser::of("xx").code, UNKNOWN);
        assert!(Analyser::of("de").is_stop_word("und"));
    }
}
