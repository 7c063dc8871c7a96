//! Whose word are validators? A host that answered "not modified" and lied once is asked for everything; of the others a sample
//! is asked for whole, so that a lie comes to light. Those of a file are its time and size, which nobody makes up.

use gleaner_model::date::http_date;
use gleaner_model::{DocumentId, RunId, Timestamp};

/// One document in so many is asked for whole, though its validators match: of a host that has proven itself, and of one
/// that has not yet. Files are not among them: their validators are their metadata.
const SAMPLE_OF_TRUSTED: i64 = 128;
const SAMPLE_OF_NEW: i64 = 16;
/// How often a host must have told the truth to have proven itself.
const PROOFS: u64 = 8;

/// One document in how many is asked for whole: all of them where validators lied. `is_later`: others of the host were asked
/// before these, and are proof enough once they are answered.
fn sample_of(right: u64, wrong: u64, is_later: bool) -> i64 {
    match (right, wrong) {
        (_, 1..) => 1,
        (PROOFS.., _) => SAMPLE_OF_TRUSTED,
        _ if is_later => SAMPLE_OF_TRUSTED,
        _ => SAMPLE_OF_NEW,
    }
}

/// What a host's validators were found to be so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostValidators {
    pub right: u64,
    pub wrong: u64,
    /// Others of the host were asked before.
    pub is_later: bool,
}

impl HostValidators {
    /// Whether a document is asked for whole in a run although the server may say that it is as it was.
    pub fn are_tested_by(
        self,
        document: DocumentId,
        run: RunId,
        of_document: &DocumentValidators<'_>,
    ) -> bool {
        let sample = sample_of(self.right, self.wrong, self.is_later);
        (document.0 + run.0) % sample == 0 && (sample == 1 || !of_document.are_of_a_file())
    }
}

/// What a server said of a document the last time.
#[derive(Debug, Clone, Copy)]
pub struct DocumentValidators<'a> {
    pub etag: Option<&'a str>,
    pub last_modified: Option<&'a str>,
    pub size: u64,
}

impl DocumentValidators<'_> {
    fn are_of_a_file(&self) -> bool {
        are_of_a_file(self.etag, self.last_modified, self.size)
    }
}

/// Whether the entity tag is that of a file: its last modification and its length in hexadecimal digits, as nginx writes
/// them (`time-length`, seconds) and Apache (`length-time`, microseconds).
fn are_of_a_file(etag: Option<&str>, last_modified: Option<&str>, size: u64) -> bool {
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
    fn hc015_a_host_that_lied_is_asked_for_everything_and_a_file_never_for_a_sample() {
        let program = DocumentValidators {
            etag: Some("\"v1\""),
            last_modified: None,
            size: 5,
        };
        let file = DocumentValidators {
            etag: Some("\"5c7902a0-5\""),
            last_modified: Some("Fri, 01 Mar 2019 10:00:00 GMT"),
            size: 5,
        };
        let asked = |right, wrong, is_later, of: &DocumentValidators<'_>| {
            let host = HostValidators {
                right,
                wrong,
                is_later,
            };
            let tested = (1..=1024).filter(|id| host.are_tested_by(DocumentId(*id), RunId(7), of));
            tested.count()
        };
        assert_eq!(asked(0, 0, false, &program), 64);
        assert_eq!(asked(0, 0, true, &program), 8);
        assert_eq!(asked(8, 0, false, &program), 8);
        assert_eq!(asked(8, 1, false, &program), 1024);
        assert_eq!((asked(0, 0, false, &file), asked(0, 1, false, &file)), (0, 1024));
    }

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
