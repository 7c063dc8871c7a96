//! The rules of S1 (its 4.2.2 and 4.3), as printed: the measure for what is better.
//!
//! A paper has the words abstract, keywords, introduction and references. A thesis or report has any of chapter, bibliography,
//! acknowledgements and appendix. Frequent questions say so, or have more than three pairs of question and answer. Names with
//! cv or resume are left out, and so is a PDF of less than 8 kB.

use super::Genre;

const PDF_BYTES_MIN: u64 = 8 * 1024;
const PAIRS_MAX: usize = 3;

/// What the rules make of a text; none where they reject it.
pub fn judge(text: &str, name: Option<&str>, size_bytes: Option<u64>) -> Option<Genre> {
    let name = name.unwrap_or("").to_lowercase();
    let ending = name.rsplit('.').next().unwrap_or("");
    let is_small_pdf = ending == "pdf" && size_bytes.is_some_and(|bytes| bytes < PDF_BYTES_MIN);
    let base = name.rsplit('/').next().unwrap_or("");
    let mut parts = base.split(|sign: char| !sign.is_alphanumeric());
    if is_small_pdf || parts.any(|part| matches!(part, "cv" | "resume")) {
        return None;
    }
    let text = text.to_lowercase();
    let has = |word: &str| text.contains(word);
    if ["abstract", "keywords", "introduction", "references"]
        .into_iter()
        .all(has)
    {
        return Some(Genre::Paper);
    }
    if ["chapter", "bibliography", "acknowledgements", "appendix"]
        .into_iter()
        .any(has)
    {
        return Some(Genre::Thesis);
    }
    let pairs = text
        .matches("question")
        .count()
        .min(text.matches("answer").count());
    let says_so = text.contains("frequently asked questions")
        || text
            .split(|sign: char| !sign.is_alphanumeric())
            .any(|word| word == "faq");
    (says_so || pairs > PAIRS_MAX).then_some(Genre::FaqOrManual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_as_printed() {
        let paper = "Abstract … Keywords: x. Introduction … References";
        assert_eq!(judge(paper, None, None), Some(Genre::Paper));
        assert_eq!(
            judge("A price list with an appendix", None, None),
            Some(Genre::Thesis)
        );
        assert_eq!(judge("The FAQ", None, None), Some(Genre::FaqOrManual));
        assert_eq!(judge("Nothing of it", None, None), None);
        assert_eq!(judge(paper, Some("my-cv.pdf"), Some(100_000)), None);
        assert_eq!(judge(paper, Some("paper.pdf"), Some(8_000)), None);
    }
}
