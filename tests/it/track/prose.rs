//! Texts that differ: every page of these tests has its own, long enough to be the main thing on it.

/// Words that no error page, login form or captcha has.
const WORDS: [&str; 64] = [
    "harbour",
    "lantern",
    "orchard",
    "willow",
    "granite",
    "meadow",
    "copper",
    "violin",
    "thistle",
    "pebble",
    "saddle",
    "marble",
    "heron",
    "cedar",
    "anchor",
    "barley",
    "cobalt",
    "dagger",
    "ember",
    "falcon",
    "garnet",
    "hazel",
    "island",
    "jasper",
    "kettle",
    "linen",
    "mantle",
    "nettle",
    "otter",
    "parchment",
    "quarry",
    "ribbon",
    "sparrow",
    "timber",
    "umber",
    "velvet",
    "walnut",
    "yarrow",
    "zephyr",
    "bramble",
    "canyon",
    "drizzle",
    "easel",
    "furnace",
    "glacier",
    "hammock",
    "ivory",
    "juniper",
    "kiln",
    "lagoon",
    "mosaic",
    "nutmeg",
    "oasis",
    "pewter",
    "quill",
    "rafter",
    "satchel",
    "tundra",
    "urchin",
    "vessel",
    "wharf",
    "yonder",
    "zinc",
    "alder",
];

/// Paragraphs of about forty words, the same for the same number.
pub(crate) fn paragraphs(number: u64, count: usize) -> Vec<String> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut word = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        WORDS[(state >> 33) as usize % WORDS.len()]
    };
    let mut sentence = || {
        let words = [(); 12].map(|()| word());
        format!("The {}.", words.join(" "))
    };
    let paragraphs = (0..count).map(|_| [(); 3].map(|()| sentence()).join(" "));
    paragraphs.collect()
}

/// The same as HTML, each paragraph with `tail` at its end.
pub(crate) fn html(number: u64, count: usize, tail: &str) -> String {
    let paragraphs = paragraphs(number, count);
    let marked: Vec<String> = paragraphs
        .iter()
        .map(|paragraph| format!("<p>{paragraph}{tail}</p>\n"))
        .collect();
    marked.concat()
}

/// A title of three words.
pub(crate) fn title(number: u64) -> String {
    let text = paragraphs(number.wrapping_add(7_000_003), 1).remove(0);
    let words: Vec<&str> = text.split(' ').skip(1).take(3).collect();
    format!("On {}", words.join(" "))
}
