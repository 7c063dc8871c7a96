//! The `cookies.txt` that browsers' extensions, curl and wget write: a line a cookie, seven fields with tabs between them.

use super::{Cookie, Jar, LIFE_MAX_MS, is_public_suffix, site_of};
use crate::UnitError;
use gleaner_model::{Timestamp, Url, defaults};

/// Marks a cookie that scripts of pages do not see; a comment to those who do not know it.
const HTTP_ONLY: &str = "#HttpOnly_";

/// What came of a file of cookies.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CookiesTaken {
    pub count: usize,
    /// The numbers of lines that are no cookies.
    pub skipped: Vec<usize>,
}

impl Jar {
    /// Takes the cookies that are for the sites of `homes`: the file often holds those of every site somebody is logged in
    /// at. A line that is none is skipped; a file that holds nothing else is refused.
    pub(crate) fn take_file(
        &mut self,
        text: &str,
        homes: &[Url],
        now: Timestamp,
    ) -> Result<CookiesTaken, UnitError> {
        let mut taken = CookiesTaken::default();
        let mut is_any = false;
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let line = line.strip_prefix(HTTP_ONLY).unwrap_or(line);
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let Some(cookie) = read(line) else {
                taken.skipped.push(number);
                continue;
            };
            is_any = true;
            let site = site_of(&cookie.domain).to_owned();
            let is_ours = homes
                .iter()
                .any(|home| home.is_web() && site_of(home.host()) == site);
            let is_for_all = !cookie.host_only && is_public_suffix(&cookie.domain);
            if !is_ours || is_for_all || cookie.is_expired(now) {
                continue;
            }
            let among = self.sites.entry(site).or_default();
            let before = among.len();
            among.retain(|old| {
                (&old.name, &old.domain, &old.path) != (&cookie.name, &cookie.domain, &cookie.path)
            });
            if among.len() < defaults::COOKIES_PER_SITE_MAX {
                self.made += 1;
                let longest = now.0.saturating_add(LIFE_MAX_MS);
                among.push(Cookie {
                    made: self.made,
                    expires_ms: cookie.expires_ms.map(|end| end.min(longest)),
                    ..cookie
                });
                taken.count += 1;
            }
            self.count = self.count + among.len() - before;
        }
        match taken.skipped.first() {
            Some(&line) if !is_any => Err(UnitError::CookiesFile { line }),
            _ => Ok(taken),
        }
    }
}

/// Domain, "also below it", path, "only by TLS", end in seconds since 1970, name, value.
fn read(line: &str) -> Option<Cookie> {
    let fields: Vec<&str> = line.trim_end_matches(['\r', '\n']).split('\t').collect();
    let [domain, below, path, secure, end, name, rest @ ..] = fields.as_slice() else {
        return None;
    };
    // curl leaves the last tab away where the value is empty.
    let value = match rest {
        [] => "",
        [value] => value,
        _ => return None,
    };
    let flag = |text: &str| match text.to_ascii_uppercase().as_str() {
        "TRUE" => Some(true),
        "FALSE" => Some(false),
        _ => None,
    };
    // Some write fractions of a second. Zero is the end of the session, which is now the run's.
    let end: f64 = end.parse().ok()?;
    let is_clean = |text: &str| {
        text.bytes()
            .all(|byte| byte >= b' ' && byte != 0x7f && byte != b';')
    };
    let domain = domain.trim_start_matches('.').to_ascii_lowercase();
    let is_whole = !domain.is_empty() && path.starts_with('/') && is_clean(name) && is_clean(value);
    is_whole.then_some(Cookie {
        name: (*name).to_owned(),
        value: value.to_owned(),
        domain,
        host_only: !flag(below)?,
        path: (*path).to_owned(),
        secure: flag(secure)?,
        expires_ms: (end > 0.0).then_some((end * 1000.0) as i64),
        made: 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    const FILE: &str = "# Netscape HTTP Cookie File\n\n\
        #HttpOnly_board.example.org\tFALSE\t/\tFALSE\t0\tsid\tabc=1\n\
        .example.org\tTRUE\t/\tTRUE\t4102444800.5\tlang\ten\r\n\
        .example.org\tTRUE\t/old\tFALSE\t1000\tgone\tx\n\
        bank.test\tFALSE\t/\tTRUE\t0\tmoney\tall\n\
        .org\tTRUE\t/\tFALSE\t0\teverywhere\tx\n\
        board.example.org\tFALSE\t/\tFALSE\t0\tempty\n";

    #[test]
    fn a4_cookies_of_the_projects_sites_are_taken_and_no_others() {
        let mut jar = Jar::default();
        let now = Timestamp(1_800_000_000_000);
        let homes = [url("http://board.example.org/x")];
        assert_eq!(jar.take_file(FILE, &homes, now).unwrap().count, 3);
        assert_eq!(
            jar.take_file(FILE, &homes, now).unwrap().count,
            3,
            "the same again"
        );
        assert_eq!(jar.len(), 3);
        let sent = |to: &str| jar.field_for(&url(to), now);
        assert_eq!(
            sent("http://board.example.org/").as_deref(),
            Some("sid=abc=1; empty=")
        );
        assert_eq!(
            sent("https://board.example.org/").as_deref(),
            Some("sid=abc=1; lang=en; empty=")
        );
        assert_eq!(sent("https://www.example.org/").as_deref(), Some("lang=en"));
        assert_eq!(sent("https://bank.test/"), None);
    }

    #[test]
    fn what_is_no_cookies_file_is_refused_by_its_line() {
        for text in [
            "a line",
            "# fine\n{\"cookies\": []}",
            "a\tTRUE\t/\tFALSE\tsoon\tn\tv",
            "a\tTRUE\tx\tFALSE\t0\tn\tv",
        ] {
            let refused = Jar::default().take_file(text, &[], Timestamp(0));
            assert!(refused.is_err(), "{text}");
        }
        let one_bad = format!("nonsense\n{FILE}a.test\tmaybe\t/\tFALSE\t0\tn\tv\n");
        let homes = [url("http://board.example.org/x")];
        let taken = Jar::default().take_file(&one_bad, &homes, Timestamp(1_800_000_000_000));
        let lines = one_bad.lines().count();
        assert_eq!(
            taken.unwrap(),
            CookiesTaken {
                count: 3,
                skipped: vec![1, lines],
            }
        );
        let refused = Jar::default().take_file("# ok\n\nnonsense", &[], Timestamp(0));
        assert!(refused.unwrap_err().to_string().starts_with("line 3 "));
    }
}
