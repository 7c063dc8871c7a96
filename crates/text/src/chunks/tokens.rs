//! How many tokens a text has, about. Every model counts differently; this is close to the usual ones and rather more than
//! less: a word of up to six letters is one token and every six letters more are another, a sign is one, and so is every
//! character of a script without blanks.

/// An estimate.
pub fn tokens(text: &str) -> usize {
    const LETTERS_PER_TOKEN: usize = 6;
    let mut count = 0;
    let mut letters = 0;
    for c in text.chars() {
        if c.is_alphanumeric() && (c as u32) < 0x0e00 {
            if letters % LETTERS_PER_TOKEN == 0 {
                count += 1;
            }
            letters += 1;
            continue;
        }
        letters = 0;
        if !c.is_whitespace() {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn tokens_are_about_right() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("The cat sat."), 4);
        assert_eq!(tokens("internationalisation"), 4);
        assert_eq!(tokens("東京都"), 3);
    }
}
