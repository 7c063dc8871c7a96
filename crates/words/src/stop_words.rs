//! Words that say nothing by themselves, beyond the library's own lists.

/// The library's short English list knows articles and pronouns; its long one takes "computer", "system" and "web" for words that
/// say nothing. These go with the short one.
#[rustfmt::skip]
pub(crate) static MORE_ENGLISH: &[&str] = &[
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

/// Those of them that begin names.
pub(crate) static BEGIN_NAMES: &[&str] = &["new"];
