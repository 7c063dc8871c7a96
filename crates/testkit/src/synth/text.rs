//! What are the pages made of? Pools of HTML fragments, made once per site.
//!
//! A page is a concatenation of fragments, so making one costs little more than copying it. Each fragment is also kept as
//! a byte-aligned raw deflate run (full flush), so a valid gzip body can be put together by concatenation as well.

use std::collections::HashSet;
use std::fmt::Write;

use miniz_oxide::DataFormat;
use miniz_oxide::MZFlush;
use miniz_oxide::deflate::core::CompressorOxide;
use miniz_oxide::deflate::stream::deflate;

pub(crate) fn mix(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
pub(super) fn h3(a: u64, b: u64, c: u64) -> u64 {
    mix(mix(mix(a) ^ b) ^ c)
}

pub(super) struct Rng(u64);
impl Rng {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((self.next() >> 32) as usize * n) >> 32
    }
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

const FUNCTION_WORDS: &[&str] = &[
    "the", "of", "and", "to", "in", "a", "is", "that", "for", "it", "as", "was", "with", "be", "by", "on",
    "not", "he", "this", "are", "or", "his", "from", "at", "which", "but", "have", "an", "had", "they",
    "you", "were", "their", "one", "all", "we", "can", "her", "has", "there", "been", "if", "more", "when",
    "will", "would", "who", "so", "no", "she", "other", "its", "may", "these", "what", "them", "than",
    "some", "him", "time", "into", "only", "do", "such", "my", "new", "about", "out", "also", "two", "any",
    "up", "first", "could", "our", "then", "most", "see", "me", "should", "after", "said", "your", "very",
    "between", "made", "many", "over", "did", "must", "before", "much", "through", "where", "because",
    "each", "how", "under", "while", "however", "often", "within", "without", "both", "again", "still",
];
const ONSETS: &[&str] = &[
    "b", "br", "c", "ch", "cl", "cr", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "l", "m", "n", "p",
    "pl", "pr", "qu", "r", "s", "sc", "sh", "sl", "st", "str", "t", "th", "tr", "v", "w",
];
const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "ou"];
const CODAS: &[&str] = &[
    "", "", "", "n", "r", "l", "s", "t", "m", "nd", "nt", "rt", "st", "ck", "x",
];
const ENDINGS: &[&str] = &[
    "", "", "", "er", "ing", "ment", "ness", "al", "ic", "ist", "ed", "ity", "ous",
];

pub(super) const TOPICS: usize = 16;
pub(super) const PER_TOPIC: usize = 256;

pub(super) struct Frag {
    pub(super) raw: Vec<u8>,
    pub(super) z: Vec<u8>,
    pub(super) plain: String,
}

pub(super) struct Pools {
    pub(super) words: Vec<String>,
    /// Topic t's paragraphs are `paras[t*PER_TOPIC .. (t+1)*PER_TOPIC]`.
    pub(super) paras: Vec<Frag>,
    pub(super) head: Frag,
    pub(super) aside: Frag,
    pub(super) footer: Frag,
}

/// Deflates one fragment on its own. miniz is called by itself and not through flate2, whose backend is chosen for the whole
/// workspace: the bytes served must not change when that choice does.
fn deflate_run(raw: &[u8]) -> Vec<u8> {
    let mut compressor: Box<CompressorOxide> = Box::default();
    compressor.set_format_and_level(DataFormat::Raw, 6);
    let mut out = Vec::with_capacity(raw.len() + 64);
    let mut chunk = vec![0; raw.len() + 256];
    let mut rest = raw;
    loop {
        let done = deflate(&mut compressor, rest, &mut chunk, MZFlush::Full);
        rest = &rest[done.bytes_consumed..];
        out.extend_from_slice(&chunk[..done.bytes_written]);
        if rest.is_empty() && done.bytes_written < chunk.len() {
            return out;
        }
    }
}

pub(super) fn frag(raw: Vec<u8>, plain: String, gzip: bool) -> Frag {
    let z = if gzip { deflate_run(&raw) } else { Vec::new() };
    Frag { raw, z, plain }
}

fn make_word(r: &mut Rng) -> String {
    let n = 1 + r.below(3);
    let mut w = String::new();
    for _ in 0..n {
        w.push_str(ONSETS[r.below(ONSETS.len())]);
        w.push_str(VOWELS[r.below(VOWELS.len())]);
        w.push_str(CODAS[r.below(CODAS.len())]);
    }
    w.push_str(ENDINGS[r.below(ENDINGS.len())]);
    w
}

impl Pools {
    pub(super) fn new(seed: u64, gzip: bool) -> Pools {
        let mut r = Rng(mix(seed ^ 0x7e37));
        let mut words = Vec::new();
        let mut seen = HashSet::new();
        while words.len() < 4096 {
            let w = make_word(&mut r);
            if w.len() > 3 && seen.insert(w.clone()) {
                words.push(w);
            }
        }
        let mut paras = Vec::with_capacity(TOPICS * PER_TOPIC);
        for t in 0..TOPICS {
            for i in 0..PER_TOPIC {
                let mut raw = String::new();
                let mut plain = String::new();
                paragraph(&mut r, &words, t, i, &mut raw, &mut plain);
                paras.push(frag(raw.into_bytes(), plain, gzip));
            }
        }
        Pools {
            head: frag(head_block(&mut r, &words).into_bytes(), String::new(), gzip),
            aside: frag(aside_block(&mut r, &words).into_bytes(), String::new(), gzip),
            footer: frag(footer_block(&mut r, &words).into_bytes(), String::new(), gzip),
            words,
            paras,
        }
    }
    pub(super) fn word(&self, h: u64) -> &str {
        &self.words[(h % self.words.len() as u64) as usize]
    }
}

fn content_word<'a>(r: &mut Rng, words: &'a [String], topic: usize) -> &'a str {
    // Zipf-like choice; half the content words come from the topic's own slice.
    let u = r.unit();
    let z = u * u * u;
    if r.below(2) == 0 {
        let per = words.len() / 2 / TOPICS;
        &words[words.len() / 2 + topic * per + (z * per as f64) as usize]
    } else {
        &words[(z * (words.len() / 2) as f64) as usize]
    }
}

fn sentence(r: &mut Rng, words: &[String], topic: usize) -> String {
    let n = 7 + r.below(18);
    let mut s = String::new();
    for i in 0..n {
        let w = if r.below(100) < 45 {
            let u = r.unit();
            FUNCTION_WORDS[(u * u * FUNCTION_WORDS.len() as f64) as usize]
        } else {
            content_word(r, words, topic)
        };
        if i == 0 {
            let mut c = w.chars();
            s.extend(c.next().map(|x| x.to_ascii_uppercase()));
            s.push_str(c.as_str());
        } else {
            s.push(' ');
            s.push_str(w);
        }
        if i > 2 && i + 3 < n && r.below(12) == 0 {
            s.push(',');
        }
    }
    s.push('.');
    s
}

fn paragraph(r: &mut Rng, words: &[String], topic: usize, i: usize, raw: &mut String, plain: &mut String) {
    match i % 12 {
        9 => {
            raw.push_str("<ul class=\"points\">\n");
            for _ in 0..4 + r.below(4) {
                let s = sentence(r, words, topic);
                raw.push_str("  <li>");
                raw.push_str(&s);
                raw.push_str("</li>\n");
                plain.push_str(&s);
                plain.push('\n');
            }
            raw.push_str("</ul>\n");
        }
        10 => {
            raw.push_str("<table class=\"data\" summary=\"figures\"><tbody>\n");
            for _ in 0..4 + r.below(4) {
                raw.push_str("<tr>");
                for c in 0..4 {
                    let v = if c == 0 {
                        content_word(r, words, topic).to_string()
                    } else {
                        format!("{}.{:02}", r.below(900), r.below(100))
                    };
                    raw.push_str("<td>");
                    raw.push_str(&v);
                    raw.push_str("</td>");
                    plain.push_str(&v);
                    plain.push(' ');
                }
                raw.push_str("</tr>\n");
                plain.push('\n');
            }
            raw.push_str("</tbody></table>\n");
        }
        11 => {
            let h = sentence(r, words, topic);
            let s = sentence(r, words, topic);
            let _ = write!(
                raw,
                "<h2 id=\"sec{i}\">{}</h2>\n<blockquote><p>{s}</p></blockquote>\n",
                h.trim_end_matches('.')
            );
            plain.push_str(&h);
            plain.push('\n');
            plain.push_str(&s);
            plain.push('\n');
        }
        _ => {
            raw.push_str("<p>");
            for k in 0..4 + r.below(5) {
                let s = sentence(r, words, topic);
                if k > 0 {
                    raw.push(' ');
                    plain.push(' ');
                }
                if r.below(5) == 0 {
                    raw.push_str("<em class=\"k\">");
                    raw.push_str(&s);
                    raw.push_str("</em>");
                } else if r.below(9) == 0 {
                    raw.push_str(&s.replace(" and ", " &amp; "));
                } else {
                    raw.push_str(&s);
                }
                plain.push_str(&s);
            }
            raw.push_str("</p>\n");
            plain.push('\n');
        }
    }
}

fn head_block(r: &mut Rng, words: &[String]) -> String {
    let mut s =
        String::from("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>\n");
    for i in 0..40 {
        let _ = writeln!(
            s,
            ".{}-{} {{ margin: {}px {}px; padding: {}em; color: #{:06x}; display: block; }}",
            words[r.below(200)],
            i,
            r.below(40),
            r.below(40),
            r.below(4),
            r.next() & 0x00ff_ffff
        );
    }
    s.push_str("</style>\n<script>\n(function(){var q=[];\n");
    for i in 0..30 {
        let _ = writeln!(
            s,
            "  q.push(function(x){{ if (x < {i}) {{ return \"{}\"; }} return x * {}; }});",
            words[r.below(500)],
            r.below(99)
        );
    }
    s.push_str("  window.__q = q; /* <a href=\"/not/a/link.html\"> inside script must be ignored */\n})();\n</script>\n<!-- <a href=\"/not/a/link-either.html\">commented out</a> -->\n");
    s
}

fn aside_block(r: &mut Rng, words: &[String]) -> String {
    let mut s = String::from(
        "<div class=\"promo\"><form action=\"/search\" method=\"post\"><input name=\"q\" type=\"text\"><select name=\"region\">\n",
    );
    for _ in 0..24 {
        let w = &words[r.below(1000)];
        let _ = writeln!(s, "<option value=\"{w}\">{w}</option>");
    }
    s.push_str("</select><button>Go</button></form>\n<p>Subscribe to our newsletter. Unsubscribe at any time.</p></div>\n");
    s
}

fn footer_block(r: &mut Rng, words: &[String]) -> String {
    let mut s = String::from("<footer><div class=\"cols\">\n");
    for _ in 0..3 {
        s.push_str("<div><h4>About</h4><ul>");
        for _ in 0..5 {
            let _ = write!(s, "<li>{} {}</li>", words[r.below(900)], words[r.below(900)]);
        }
        s.push_str("</ul></div>\n");
    }
    s.push_str("</div><p><a href=\"mailto:info@site.test\">Write to us</a> <a href=\"tel:+10000000\">Call</a> <a href=\"javascript:void(0)\">Top</a> Copyright. All rights reserved. Terms of use. Privacy notice.</p></footer>\n</body>\n</html>\n");
    s
}
