//! What a page asks of robots: `<meta name=robots>` and `X-Robots-Tag` (A7, HC054).
//!
//! Directives add up: everything said to all robots and everything said to us by name holds, so the strictest wins.
//! What is said to others does not concern us.

/// The requests of a page that apply to us.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a directive of its own, set or not"
)]
pub struct RobotsMeta {
    pub noindex: bool,
    pub nofollow: bool,
    pub noarchive: bool,
    pub nosnippet: bool,
    pub noimageindex: bool,
    /// A date as written.
    pub unavailable_after: Option<String>,
}

/// Longer values say nothing more.
const VALUE_BYTES_MAX: usize = 8 * 1024;

impl RobotsMeta {
    /// Adds a `<meta name=… content=…>` if its name is `robots` or ours.
    pub(crate) fn add_meta(&mut self, name: &str, content: &str, agent: &str) {
        let name = name.trim();
        if name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(agent) {
            self.add(content, agent, true);
        }
    }

    /// Adds one `X-Robots-Tag` field: `noindex, otherbot: nofollow, noarchive`.
    pub(crate) fn add_header(&mut self, value: &str, agent: &str) {
        self.add(value, agent, false);
    }

    /// Adds what was said elsewhere.
    pub(crate) fn merge(&mut self, other: RobotsMeta) {
        self.noindex |= other.noindex;
        self.nofollow |= other.nofollow;
        self.noarchive |= other.noarchive;
        self.nosnippet |= other.nosnippet;
        self.noimageindex |= other.noimageindex;
        self.unavailable_after = self.unavailable_after.take().or(other.unavailable_after);
    }

    fn add(&mut self, value: &str, agent: &str, is_meta: bool) {
        let value = bounded(value);
        let mut applies = true;
        let mut parts = value.split([',', ';']).peekable();
        while let Some(part) = parts.next() {
            let mut directive = part.trim();
            if let Some((before, after)) = directive.split_once(':') {
                let before = before.trim();
                if before.eq_ignore_ascii_case("unavailable_after") {
                    // The date may hold a comma itself (`Friday, 25 Jun 2027 …`).
                    let mut date = after.trim().to_owned();
                    if date.chars().all(char::is_alphabetic)
                        && let Some(rest) = parts.next()
                    {
                        date = format!("{date},{rest}");
                    }
                    if applies && self.unavailable_after.is_none() {
                        self.unavailable_after = Some(date.chars().take(100).collect());
                    }
                    continue;
                }
                if before.len() > 4 && before[..4].eq_ignore_ascii_case("max-") {
                    continue;
                }
                if !is_meta {
                    applies = before.eq_ignore_ascii_case(agent) || before == "*";
                }
                directive = after.trim();
            }
            if applies {
                for word in directive.split_ascii_whitespace() {
                    self.add_word(word);
                }
            }
        }
    }

    fn add_word(&mut self, word: &str) {
        match word.to_ascii_lowercase().as_str() {
            "noindex" => self.noindex = true,
            "nofollow" => self.nofollow = true,
            "none" => {
                self.noindex = true;
                self.nofollow = true;
            }
            "noarchive" | "nocache" => self.noarchive = true,
            "nosnippet" => self.nosnippet = true,
            "noimageindex" => self.noimageindex = true,
            _ => {}
        }
    }
}

fn bounded(value: &str) -> &str {
    let mut end = value.len().min(VALUE_BYTES_MAX);
    while !value.is_char_boundary(end) {
        end -= 1;
    }
    &value[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(robots: &RobotsMeta) -> String {
        let mut out = Vec::new();
        for (is_set, word) in [
            (robots.noindex, "noindex"),
            (robots.nofollow, "nofollow"),
            (robots.noarchive, "noarchive"),
            (robots.nosnippet, "nosnippet"),
            (robots.noimageindex, "noimageindex"),
        ] {
            if is_set {
                out.push(word);
            }
        }
        out.join(" ")
    }

    #[test]
    fn hc054_the_strictest_that_names_us_wins() {
        let headers = [
            ("noindex", "noindex"),
            ("index, follow", ""),
            ("NONE", "noindex nofollow"),
            ("otherbot: noindex", ""),
            ("otherbot: noindex, nofollow", ""),
            ("Gleaner: noindex", "noindex"),
            (
                "noarchive, otherbot: noindex, gleaner: nofollow",
                "nofollow noarchive",
            ),
            ("unavailable_after: 25 Jun 2010 15:00:00 PST, noindex", "noindex"),
            (
                "unavailable_after: Friday, 25-Jun-10 15:00:00 UTC, nofollow",
                "nofollow",
            ),
            ("max-snippet:-1, max-image-preview: large, noindex", "noindex"),
            ("otherbot: max-snippet:-1, noindex", ""),
            ("all, noindex, index", "noindex"),
            ("", ""),
            (":::,,,", ""),
        ];
        for (value, want) in headers {
            let mut robots = RobotsMeta::default();
            robots.add_header(value, "gleaner");
            assert_eq!(words(&robots), want, "{value}");
        }
        let metas: [(&[(&str, &str)], &str); 6] = [
            (&[("robots", "noindex")], "noindex"),
            (&[("ROBOTS", "NoIndex,NoFollow")], "noindex nofollow"),
            (&[("googlebot", "noindex")], ""),
            (
                &[("gleaner", "nofollow"), ("robots", "index, follow")],
                "nofollow",
            ),
            (&[("robots", "noindex"), ("gleaner", "all")], "noindex"),
            (
                &[("robots", "noindex nofollow noarchive")],
                "noindex nofollow noarchive",
            ),
        ];
        for (tags, want) in metas {
            let mut robots = RobotsMeta::default();
            for (name, content) in tags {
                robots.add_meta(name, content, "gleaner");
            }
            assert_eq!(words(&robots), want, "{tags:?}");
        }
    }

    #[test]
    fn a_date_is_kept_as_written() {
        let mut robots = RobotsMeta::default();
        robots.add_header("unavailable_after: Friday, 25-Jun-10 15:00:00 UTC", "gleaner");
        assert_eq!(
            robots.unavailable_after.as_deref(),
            Some("Friday, 25-Jun-10 15:00:00 UTC")
        );
    }
}
