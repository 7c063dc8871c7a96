//! Where `<meta http-equiv=refresh>` and the `Refresh` header lead, in all their odd spellings.

/// The address of a refresh value, per the standard's "shared declarative refresh steps"; `None` where the page only
/// reloads itself or the value means nothing.
pub(crate) fn refresh(value: &str) -> Option<&str> {
    let rest = value.trim_start_matches(|c: char| c.is_ascii_whitespace());
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with([';', ',']) && !rest.starts_with(|c: char| c.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_ascii_start();
    let url = after_url_equals(rest).unwrap_or(rest);
    let url = match url.as_bytes().first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let inner = &url[1..];
            inner.split(char::from(quote)).next().unwrap_or(inner)
        }
        _ => url,
    };
    (!url.is_empty()).then_some(url)
}

fn after_url_equals(text: &str) -> Option<&str> {
    let head = text.get(..3).filter(|head| head.eq_ignore_ascii_case("url"))?;
    let rest = text[head.len()..].trim_ascii_start();
    Some(rest.strip_prefix('=')?.trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_refreshes_are_read_in_all_spellings() {
        let cases = [
            ("0;url=/x", Some("/x")),
            ("0; URL = /x", Some("/x")),
            ("5,url=/x", Some("/x")),
            ("5 url=/x", Some("/x")),
            ("5;/x", Some("/x")),
            ("5 /x", Some("/x")),
            ("  0.5 ; url='/x'y", Some("/x")),
            ("0;url=\"/x", Some("/x")),
            ("0;url='a b'", Some("a b")),
            (".5;url=/x", Some("/x")),
            ("0;urly", Some("urly")),
            ("0;url", Some("url")),
            ("5", None),
            ("5;", None),
            ("5;url=", None),
            ("", None),
            ("url=/x", None),
            ("x;url=/x", None),
            ("5x;url=/x", None),
            ("0;ürl=x", Some("ürl=x")),
        ];
        for (value, want) in cases {
            assert_eq!(refresh(value), want, "{value}");
        }
    }
}
