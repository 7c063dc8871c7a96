//! The text form of a chain: `main,learned:trigger="sold out",ignore:regex="[0-9]+ views"`.
//!
//! Equalities are parted by commas; one may carry options after a colon, `key=value` parted by semicolons. A value that
//! holds a comma, a semicolon or a quote stands in double quotes, with `\"` and `\\` inside.

use super::chain::ChainError;

/// The options of one equality.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EqualityOptions {
    pub pairs: Vec<(String, String)>,
}

impl EqualityOptions {
    pub fn first(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|pair| pair.0 == key)
            .map(|pair| pair.1.as_str())
    }

    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.pairs
            .iter()
            .filter(move |pair| pair.0 == key)
            .map(|pair| pair.1.as_str())
    }
}

impl std::fmt::Display for EqualityOptions {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (key, value)) in self.pairs.iter().enumerate() {
            let sign = if at == 0 { ':' } else { ';' };
            let plain = !value.is_empty() && !value.contains(['"', ',', ';', '\\']) && value.trim() == value;
            if plain {
                write!(out, "{sign}{key}={value}")?;
            } else {
                write!(
                    out,
                    "{sign}{key}=\"{}\"",
                    value.replace('\\', "\\\\").replace('"', "\\\"")
                )?;
            }
        }
        Ok(())
    }
}

/// Names with their options, in order.
pub(super) fn read(text: &str) -> Result<Vec<(String, EqualityOptions)>, ChainError> {
    let mut found = Vec::new();
    let mut left = text.trim();
    while !left.is_empty() {
        let end = left.find([':', ',']).unwrap_or(left.len());
        let name = left[..end].trim().to_owned();
        if name.is_empty() {
            return Err(ChainError::NoName {
                near: left.to_owned(),
            });
        }
        let mut options = EqualityOptions::default();
        let mut more = left[end..].starts_with(':');
        left = &left[(end + 1).min(left.len())..];
        while more {
            let equals = left.find('=').filter(|at| !left[..*at].contains(','));
            let Some(equals) = equals else {
                return Err(ChainError::NoValue {
                    name,
                    option: left.to_owned(),
                });
            };
            let key = left[..equals].trim().to_owned();
            let (value, rest) = value(left[equals + 1..].trim_start(), &name)?;
            options.pairs.push((key, value));
            let rest = rest.trim_start();
            more = rest.starts_with(';');
            if !rest.is_empty() && !rest.starts_with([',', ';']) {
                return Err(ChainError::AfterQuote {
                    name,
                    near: rest.to_owned(),
                });
            }
            left = rest.get(1..).unwrap_or_default();
        }
        left = left.trim_start();
        found.push((name, options));
    }
    Ok(found)
}

/// A value, quoted or plain, and what follows it.
fn value<'a>(text: &'a str, name: &str) -> Result<(String, &'a str), ChainError> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ';']).unwrap_or(text.len());
        return Ok((text[..end].trim().to_owned(), &text[end..]));
    };
    let mut out = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((out, &quoted[at + 1..])),
            // Only the quote and the backslash need a backslash; a regex keeps its `\d`.
            '\\' => match characters.next() {
                Some((_, next @ ('"' | '\\'))) => out.push(next),
                Some((_, next)) => out.extend(['\\', next]),
                None => break,
            },
            other => out.push(other),
        }
    }
    Err(ChainError::OpenQuote {
        name: name.to_owned(),
    })
}
