//! What does one `Set-Cookie` field say? RFC 6265 §5.2, no more forgiving than browsers are.

use super::date;
use gleaner_model::defaults;

pub(super) struct SetCookie {
    pub(super) name: String,
    pub(super) value: String,
    /// Lower case, without a leading dot; an empty attribute counts as none.
    pub(super) domain: Option<String>,
    /// `None` also for a path that does not begin with a slash.
    pub(super) path: Option<String>,
    pub(super) secure: bool,
    pub(super) max_age_s: Option<i64>,
    pub(super) expires_s: Option<i64>,
}

impl SetCookie {
    pub(super) fn parse(text: &str) -> Option<SetCookie> {
        // Attributes are short; a field far beyond a cookie's size is not worth reading.
        if text.len() > defaults::COOKIE_BYTES_MAX * 2 || text.bytes().any(is_control) {
            return None;
        }
        let mut parts = text.split(';');
        let (name, value) = parts.next()?.split_once('=')?;
        let (name, value) = (name.trim_matches(BLANKS), value.trim_matches(BLANKS));
        if name.is_empty() || name.len() + value.len() > defaults::COOKIE_BYTES_MAX {
            return None;
        }
        let mut cookie = SetCookie {
            name: name.to_owned(),
            value: value.to_owned(),
            domain: None,
            path: None,
            secure: false,
            max_age_s: None,
            expires_s: None,
        };
        for part in parts {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            cookie.attribute(name.trim_matches(BLANKS), value.trim_matches(BLANKS));
        }
        Some(cookie)
    }

    /// Later attributes win over earlier ones of the same name.
    fn attribute(&mut self, name: &str, value: &str) {
        match name.to_ascii_lowercase().as_str() {
            "expires" => self.expires_s = date::parse(value).or(self.expires_s),
            "max-age" => self.max_age_s = max_age(value).or(self.max_age_s),
            "domain" => {
                let domain = value.strip_prefix('.').unwrap_or(value).to_ascii_lowercase();
                self.domain = (!domain.is_empty()).then_some(domain);
            }
            "path" => self.path = value.starts_with('/').then(|| value.to_owned()),
            "secure" => self.secure = true,
            _ => {}
        }
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

/// Digits with an optional minus; more digits than fit mean "for ever" or "long gone".
fn max_age(value: &str) -> Option<i64> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(value.parse().unwrap_or(if value.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    }))
}
