//! What all our pages of HTML share: one file that needs nothing else, light and dark, and no text that could be markup
//! (HC085). The policy in the head allows our own style and our own script, known by its digest, and nothing more: should a
//! text ever slip through unescaped, a browser still does not run it.

use gleaner_judge::diff::html::STYLE as DIFF_STYLE;
use gleaner_model::Timestamp;

pub(crate) use gleaner_judge::diff::html::escaped;

/// Colours, type and boxes.
const STYLE: &str = include_str!("html/page.css");

/// Filters the changes by state and words. Without it everything is shown.
pub(crate) const SCRIPT: &str = include_str!("html/filter.js");
/// `sha256-…` of the script, as a Content-Security-Policy wants it; a test computes it.
const SCRIPT_DIGEST: &str = include_str!("html/filter.js.sha256");

/// The page's beginning, up to and with its `<body>`.
pub(crate) fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         script-src '{}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{STYLE}{DIFF_STYLE}</style>\n</head>\n<body>\n",
        SCRIPT_DIGEST.trim(),
        escaped(title),
    )
}

/// The page's end.
pub(crate) fn foot(with_script: bool) -> String {
    if with_script {
        format!("<script>{SCRIPT}</script>\n</body>\n</html>\n")
    } else {
        "</body>\n</html>\n".to_owned()
    }
}

/// A link for people to follow; what is no web address is only text.
pub(crate) fn link(url: &str) -> String {
    let text = escaped(url);
    if url.starts_with("http://") || url.starts_with("https://") {
        format!("<a href=\"{text}\" rel=\"noreferrer noopener\">{text}</a>")
    } else {
        text
    }
}

/// A moment, in words that a person reads and a form that a machine does.
pub(crate) fn moment(at: Timestamp) -> String {
    let iso = crate::time::iso(at);
    let plain = iso.replace('T', " ").replace('Z', " UTC");
    format!("<time datetime=\"{iso}\">{plain}</time>")
}

/// From one moment to another; a day is named once.
pub(crate) fn moments(from: Timestamp, to: Option<Timestamp>) -> String {
    let Some(to) = to else { return moment(from) };
    let (start, end) = (crate::time::iso(from), crate::time::iso(to));
    let (Some((day, clock)), Some((end_day, end_clock))) = (start.split_once('T'), end.split_once('T'))
    else {
        return moment(from);
    };
    if day != end_day {
        return format!("{} to {}", moment(from), moment(to));
    }
    format!(
        "<time datetime=\"{start}\">{day} {}</time> to <time datetime=\"{end}\">{} UTC</time>",
        clock.trim_end_matches('Z'),
        end_clock.trim_end_matches('Z')
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_our_script() {
        const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digest = gleaner_store::Digest::of(SCRIPT.as_bytes()).0;
        let mut base64 = String::new();
        for three in digest.chunks(3) {
            let number = three
                .iter()
                .chain([0, 0].iter())
                .take(3)
                .fold(0u32, |n, byte| (n << 8) | u32::from(*byte));
            for place in 0..4 {
                base64.push(if place > three.len() {
                    '='
                } else {
                    char::from(SIGNS[((number >> (18 - 6 * place)) & 63) as usize])
                });
            }
        }
        assert_eq!(SCRIPT_DIGEST.trim(), format!("sha256-{base64}"));
    }

    #[test]
    fn a_day_is_named_once() {
        let plain = |from, to| {
            let told = moments(Timestamp(from), Some(Timestamp(to)));
            let parts: Vec<&str> = told.split('>').collect();
            parts
                .iter()
                .map(|part| part.split('<').next().unwrap_or(""))
                .collect::<String>()
        };
        assert_eq!(plain(0, 5_000), "1970-01-01 00:00:00 to 00:00:05 UTC");
        assert_eq!(
            plain(0, 86_400_000),
            "1970-01-01 00:00:00 UTC to 1970-01-02 00:00:00 UTC"
        );
    }

    #[test]
    fn hc085_nothing_becomes_markup() {
        let title = "</title><script>alert(1)</script>";
        assert!(!head(title).contains("<script>"));
        assert!(!link("javascript:alert('x')").contains("href"));
        assert!(link("http://a.test/\"onclick=\"x").contains("&quot;onclick"));
    }
}
