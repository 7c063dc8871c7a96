//! The addresses of a `srcset`: separated by commas, which may also stand inside an address.

/// Calls `found` with each candidate's address, as the standard splits them.
pub(crate) fn srcset<'t>(value: &'t str, mut found: impl FnMut(&'t str)) {
    let is_space = |c: char| c.is_ascii_whitespace();
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(|c| is_space(c) || c == ',');
        if rest.is_empty() {
            return;
        }
        let end = rest.find(is_space).unwrap_or(rest.len());
        let (address, after) = rest.split_at(end);
        rest = after;
        let without_commas = address.trim_end_matches(',');
        if !without_commas.is_empty() {
            found(without_commas);
        }
        if without_commas.len() < address.len() {
            continue;
        }
        // Descriptors, up to the next comma outside brackets.
        let mut is_bracket = false;
        let end = rest.bytes().position(|b| {
            match b {
                b'(' => is_bracket = true,
                b')' => is_bracket = false,
                _ => {}
            }
            b == b',' && !is_bracket
        });
        rest = end.map_or("", |end| &rest[end + 1..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_srcset_is_split_as_the_standard_says() {
        let cases: [(&str, &[&str]); 9] = [
            ("a.png", &["a.png"]),
            ("a.png 1x, b.png 2x", &["a.png", "b.png"]),
            ("a.png, b.png 2x", &["a.png", "b.png"]),
            ("a,b.png 1x,c.png", &["a,b.png", "c.png"]),
            (" , a.png 100w,,b.png 200w ,", &["a.png", "b.png"]),
            ("a.png (x,y), b.png", &["a.png", "b.png"]),
            ("", &[]),
            (",,,", &[]),
            (
                "data:image/png;base64,xx 1x, b.png 2x",
                &["data:image/png;base64,xx", "b.png"],
            ),
        ];
        for (value, want) in cases {
            let mut got = Vec::new();
            srcset(value, |address| got.push(address));
            assert_eq!(got, want, "{value}");
        }
    }
}
