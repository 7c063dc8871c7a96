//! Accents and formulas as characters.

use super::expand::Source;
use unicode_normalization::UnicodeNormalization;

/// A letter with a mark over it, in one character where there is one.
pub(super) fn accented(mark: char, letter: &str) -> String {
    let mut chars = letter.chars();
    let Some(first) = chars.next() else {
        return String::new();
    };
    let rest: String = chars.collect();
    let both: String = [first, mark].into_iter().nfc().collect();
    both + &rest
}

/// The letters and signs of a formula. Commands that only lay out leave no trace.
pub(super) fn formula(text: &str) -> String {
    let mut out = String::new();
    let mut source = Source::new(text);
    while let Some(c) = source.next() {
        match c {
            '\\' => {
                let name = source.name();
                match name.as_str() {
                    "begin" | "end" => {
                        source.argument();
                        out.push(' ');
                    }
                    "label" | "tag" | "vspace" | "hspace" | "color" => {
                        source.argument();
                    }
                    "frac" | "dfrac" | "tfrac" => {
                        let (above, below) = (source.argument(), source.argument());
                        let (above, below) = (above.unwrap_or_default(), below.unwrap_or_default());
                        source.put_back(&format!("{{{above}}}/{{{below}}}"));
                    }
                    "\\" | "," | ";" | ":" | "!" | " " | "quad" | "qquad" => out.push(' '),
                    name if is_layout(name) => {}
                    name => {
                        if let Some(sign) = sign(name) {
                            out.push_str(sign);
                        } else {
                            // Functions are called by their names.
                            let is_letter = name.chars().all(char::is_alphanumeric);
                            if name.len() > 1 || !is_letter {
                                out.push_str(name);
                            }
                        }
                    }
                }
            }
            '{' | '}' | '$' => {}
            '&' | '~' | '\n' => out.push(' '),
            '^' | '_' => {
                // Small letters and digits stand as such where Unicode has them.
                let inner = source.argument().unwrap_or_default();
                let inner = formula_shallow(&inner);
                if let Some(small) = raised(c, &inner) {
                    out.push_str(&small);
                } else {
                    out.push(c);
                    let is_long = inner.chars().count() > 1;
                    out.push_str(if is_long { "(" } else { "" });
                    out.push_str(&inner);
                    out.push_str(if is_long { ")" } else { "" });
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// As [`formula`] without going into raised text again: what nests deeper is taken as it is.
fn formula_shallow(text: &str) -> String {
    let mut out = String::new();
    let mut source = Source::new(text);
    while let Some(c) = source.next() {
        match c {
            '\\' => {
                let name = source.name();
                match sign(&name) {
                    Some(sign) => out.push_str(sign),
                    None if is_layout(&name) || name.len() < 2 => {}
                    None => out.push_str(&name),
                }
            }
            '{' | '}' => {}
            c => out.push(c),
        }
    }
    out
}

/// Commands that only say how what follows looks.
fn is_layout(name: &str) -> bool {
    let styles = [
        "text",
        "mbox",
        "hbox",
        "left",
        "right",
        "displaystyle",
        "textstyle",
        "limits",
        "nolimits",
        "rm",
        "bf",
        "it",
        "cal",
        "hat",
        "bar",
        "tilde",
        "vec",
        "overline",
        "underline",
        "big",
        "Big",
        "bigl",
        "bigr",
        "nonumber",
        "operatorname",
        "ensuremath",
        "boldsymbol",
        "smallskip",
        "medskip",
        "bigskip",
        "noindent",
        "hfill",
        "strut",
        "widehat",
        "widetilde",
        "dot",
        "ddot",
    ];
    styles.contains(&name) || name.starts_with("math") || name.starts_with("text")
}

fn raised(mark: char, text: &str) -> Option<String> {
    let above = "\u{2070}\u{b9}\u{b2}\u{b3}\u{2074}\u{2075}\u{2076}\u{2077}\u{2078}\u{2079}";
    let below = "\u{2080}\u{2081}\u{2082}\u{2083}\u{2084}\u{2085}\u{2086}\u{2087}\u{2088}\u{2089}";
    let digits = if mark == '^' { above } else { below };
    text.chars()
        .map(|c| match c {
            '0'..='9' => digits.chars().nth(c as usize - '0' as usize),
            '+' if mark == '^' => Some('\u{207a}'),
            '-' if mark == '^' => Some('\u{207b}'),
            '+' => Some('\u{208a}'),
            '-' => Some('\u{208b}'),
            'n' if mark == '^' => Some('\u{207f}'),
            _ => None,
        })
        .collect()
}

fn sign(name: &str) -> Option<&'static str> {
    Some(match name {
        "alpha" => "\u{3b1}",
        "beta" => "\u{3b2}",
        "gamma" => "\u{3b3}",
        "delta" => "\u{3b4}",
        "epsilon" | "varepsilon" => "\u{3b5}",
        "zeta" => "\u{3b6}",
        "eta" => "\u{3b7}",
        "theta" | "vartheta" => "\u{3b8}",
        "iota" => "\u{3b9}",
        "kappa" => "\u{3ba}",
        "lambda" => "\u{3bb}",
        "mu" => "\u{3bc}",
        "nu" => "\u{3bd}",
        "xi" => "\u{3be}",
        "pi" => "\u{3c0}",
        "rho" => "\u{3c1}",
        "sigma" => "\u{3c3}",
        "tau" => "\u{3c4}",
        "upsilon" => "\u{3c5}",
        "phi" => "\u{3d5}",
        "varphi" => "\u{3c6}",
        "chi" => "\u{3c7}",
        "psi" => "\u{3c8}",
        "omega" => "\u{3c9}",
        "Gamma" => "\u{393}",
        "Delta" => "\u{394}",
        "Theta" => "\u{398}",
        "Lambda" => "\u{39b}",
        "Xi" => "\u{39e}",
        "Pi" => "\u{3a0}",
        "Sigma" => "\u{3a3}",
        "Phi" => "\u{3a6}",
        "Psi" => "\u{3a8}",
        "Omega" => "\u{3a9}",
        "infty" => "\u{221e}",
        "sum" => "\u{2211}",
        "prod" => "\u{220f}",
        "int" => "\u{222b}",
        "partial" => "\u{2202}",
        "nabla" => "\u{2207}",
        "times" => " \u{d7} ",
        "cdot" => " \u{22c5} ",
        "pm" => " \u{b1} ",
        "le" | "leq" => " \u{2264} ",
        "ge" | "geq" => " \u{2265} ",
        "ne" | "neq" => " \u{2260} ",
        "approx" => " \u{2248} ",
        "equiv" => " \u{2261} ",
        "sim" => " \u{223c} ",
        "in" => " \u{2208} ",
        "notin" => " \u{2209} ",
        "subset" => " \u{2282} ",
        "subseteq" => " \u{2286} ",
        "cup" => " \u{222a} ",
        "cap" => " \u{2229} ",
        "forall" => "\u{2200}",
        "exists" => "\u{2203}",
        "to" | "rightarrow" => " \u{2192} ",
        "leftarrow" => " \u{2190} ",
        "Rightarrow" => " \u{21d2} ",
        "Leftrightarrow" => " \u{21d4} ",
        "mapsto" => " \u{21a6} ",
        "ldots" | "dots" | "cdots" => "\u{2026}",
        "langle" => "\u{27e8}",
        "rangle" => "\u{27e9}",
        "sqrt" => "\u{221a}",
        "circ" => "\u{2218}",
        "prime" => "\u{2032}",
        "ell" => "\u{2113}",
        "emptyset" => "\u{2205}",
        _ => return None,
    })
}
