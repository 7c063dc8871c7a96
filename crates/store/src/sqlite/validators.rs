//! Whose word are validators? Those of a file are its time and size, which nobody makes up; a program may say anything.

use gleaner_model::Timestamp;
use gleaner_model::date::http_date;

/// Whether the entity tag is that of a file: its last modification and its length in hexadecimal digits, as nginx writes
/// them (`time-length`, seconds) and Apache (`length-time`, microseconds).
pub(crate) fn are_of_a_file(etag: Option<&str>, last_modified: Option<&str>, size: u64) -> bool {
    let (Some(etag), Some(last_modified)) = (etag, last_modified) else {
        return false;
    };
    let Some((first, second)) = etag.trim_matches('"').split_once('-') else {
        return false;
    };
    let (Ok(first), Ok(second)) = (i64::from_str_radix(first, 16), i64::from_str_radix(second, 16)) else {
        return false;
    };
    let is_time = |at: Option<i64>| at.is_some_and(|at| http_date(Timestamp(at)) == last_modified);
    let is_size = |length: i64| u64::try_from(length) == Ok(size);
    is_size(second) && is_time(first.checked_mul(1000)) || is_size(first) && is_time(Some(second / 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc015_a_tag_that_is_time_and_length_is_a_files() {
        let date = Some("Fri, 01 Mar 2019 10:00:00 GMT");
        assert!(are_of_a_file(Some("\"5c7902a0-5\""), date, 5)); // nginx
        assert!(are_of_a_file(Some("\"5-58305784de800\""), date, 5)); // Apache
        assert!(!are_of_a_file(Some("\"5c7902a0-5\""), date, 6), "another length");
        assert!(!are_of_a_file(Some("\"5c7902a1-5\""), date, 5), "another time");
        assert!(!are_of_a_file(Some("W/\"5c7902a0-5\""), date, 5), "weak");
        assert!(!are_of_a_file(Some("\"5c7902a0-5\""), None, 5));
        assert!(!are_of_a_file(Some("\"abcdef\""), date, 5));
        assert!(
            !are_of_a_file(Some("\"7fffffffffffffff-5\""), date, 5),
            "no overflow"
        );
        assert!(!are_of_a_file(None, date, 5));
    }
}
