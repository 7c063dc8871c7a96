//! What became of a document that no listing of its server named? (B2)
//!
//! In: how its folder was listed. Out: gone, gone by its age, or not to be told. A folder that the project begins with and
//! that holds nothing where there were documents may be a disk that is not mounted: a person has to say that it is so.

use gleaner_model::{Reason, State};

/// How a folder was listed in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderListing {
    /// What it did not name is gone.
    Whole,
    /// Whole from this number on: what is missing below it went by its age (HC107).
    WholeFrom(u64),
    /// It could not be listed, or not whole.
    Failed(Reason),
}

impl FolderListing {
    /// From how the visit of a folder ended. `detail`: the oldest number that is left, where older ones expired.
    pub fn of_visit(was_asked: bool, reason: Option<Reason>, detail: Option<&str>) -> FolderListing {
        match reason {
            None if was_asked => FolderListing::Whole,
            None => FolderListing::Failed(Reason::CutShort),
            Some(Reason::Expired) => match detail.and_then(|oldest| oldest.parse().ok()) {
                Some(oldest) => FolderListing::WholeFrom(oldest),
                None => FolderListing::Failed(Reason::ListingCut),
            },
            Some(reason) => FolderListing::Failed(reason),
        }
    }
}

/// What is said of a document that its folder did not name.
pub fn judge_unlisted(url: &str, folder: FolderListing) -> (State, Reason) {
    match folder {
        FolderListing::WholeFrom(oldest) if number_of(url).is_some_and(|number| number < oldest) => {
            (State::Sam, Reason::Expired)
        }
        FolderListing::Whole | FolderListing::WholeFrom(_) => (State::Mis, Reason::NotListed),
        FolderListing::Failed(reason) => (State::Err, reason),
    }
}

/// The listing that speaks for a document: that of its own folder, or of the nearest folder above it that was listed.
/// `listing_of` is asked for addresses of folders, the nearest first.
pub fn listing_above<E>(
    url: &str,
    mut listing_of: impl FnMut(&str) -> Result<Option<FolderListing>, E>,
) -> Result<FolderListing, E> {
    let mut rest = url.trim_end_matches('/');
    while let Some(end) = rest.rfind('/').filter(|end| !rest[..*end].ends_with('/')) {
        if let Some(listing) = listing_of(&rest[..=end])? {
            return Ok(listing);
        }
        rest = &rest[..end];
    }
    // Nobody looked.
    Ok(FolderListing::Failed(Reason::CutShort))
}

/// Whether a folder that the project begins with is not believed to be empty. `names_files`: whether it or a folder in it
/// named a file.
pub fn is_empty_root(listing: Option<FolderListing>, names_files: bool, is_confirmed: bool) -> bool {
    listing == Some(FolderListing::Whole) && !names_files && !is_confirmed
}

/// The number that names a document in its folder.
fn number_of(url: &str) -> Option<u64> {
    let (_, name) = url.rsplit_once('/')?;
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| name.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn hc107_what_went_by_its_age_is_told_from_what_was_taken_back() {
        let expired = (State::Sam, Reason::Expired);
        let gone = (State::Mis, Reason::NotListed);
        let group = FolderListing::WholeFrom(900);
        for (name, expected) in [
            ("1", expired),
            ("899", expired),
            ("900", gone),
            ("18446744073709551616", gone),
            ("x", gone),
            ("", gone),
        ] {
            let url = format!("nntp://news.test/a.b/{name}");
            assert_eq!(judge_unlisted(&url, group), expected, "{url}");
        }
        let url = "nntp://news.test/a.b/1";
        assert_eq!(judge_unlisted(url, FolderListing::Whole), gone);
        let cut = FolderListing::Failed(Reason::ListingCut);
        assert_eq!(judge_unlisted(url, cut), (State::Err, Reason::ListingCut));
    }

    #[test]
    fn case11_an_empty_root_waits_for_a_person() {
        let whole = Some(FolderListing::Whole);
        assert!(is_empty_root(whole, false, false));
        assert!(!is_empty_root(whole, false, true), "confirmed");
        assert!(!is_empty_root(whole, true, false), "not empty");
        for listing in [
            None,
            Some(FolderListing::WholeFrom(3)),
            Some(FolderListing::Failed(Reason::NoSuchFile)),
        ] {
            assert!(!is_empty_root(listing, false, false), "{listing:?}");
        }
    }

    #[test]
    fn b2_the_nearest_folder_that_was_listed_speaks_for_a_file() {
        let listings = |known: &'static [(&'static str, FolderListing)]| {
            move |folder: &str| {
                let found = known.iter().find(|(name, _)| *name == folder);
                Ok::<_, Infallible>(found.map(|(_, listing)| *listing))
            }
        };
        let failed = FolderListing::Failed(Reason::ListingCut);
        let both = [
            ("ftp://a.test/x/", FolderListing::Whole),
            ("ftp://a.test/x/y/", FolderListing::Failed(Reason::ListingCut)),
        ];
        let both: &'static [(&str, FolderListing)] = Box::leak(Box::new(both));
        assert_eq!(listing_above("ftp://a.test/x/y/f", listings(both)), Ok(failed));
        assert_eq!(
            listing_above("ftp://a.test/x/z/f", listings(both)),
            Ok(FolderListing::Whole)
        );
        let nobody = FolderListing::Failed(Reason::CutShort);
        assert_eq!(listing_above("ftp://a.test/q/f", listings(both)), Ok(nobody));
    }

    #[test]
    fn b2_the_end_of_a_visit_says_how_a_folder_was_listed() {
        let of = FolderListing::of_visit;
        assert_eq!(of(true, None, None), FolderListing::Whole);
        assert_eq!(of(false, None, None), FolderListing::Failed(Reason::CutShort));
        assert_eq!(
            of(true, Some(Reason::Expired), Some("12")),
            FolderListing::WholeFrom(12)
        );
        assert_eq!(
            of(true, Some(Reason::Expired), Some("x")),
            FolderListing::Failed(Reason::ListingCut)
        );
        let denied = Some(Reason::NoSuchFile);
        assert_eq!(of(true, denied, None), FolderListing::Failed(Reason::NoSuchFile));
    }
}
