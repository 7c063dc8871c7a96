//! Concepts as people and other programs read them.

/// Characters shown on either side of a passage.
const AROUND: usize = 40;

/// The part of a text from one character to another, with a little on either side, on one line.
pub fn cut_passage(text: &str, start: u32, end: u32) -> String {
    let (start, end) = (start as usize, end as usize);
    let from = start.saturating_sub(AROUND);
    let mut shown: String = text
        .chars()
        .skip(from)
        .take(end.saturating_sub(from) + AROUND)
        .collect();
    // Words that are cut through say nothing.
    if from > 0
        && let Some(blank) = shown.find(char::is_whitespace).filter(|blank| *blank < AROUND)
    {
        shown = format!("…{}", &shown[blank..]);
    }
    if end + AROUND < text.chars().count()
        && let Some(blank) = shown.rfind(char::is_whitespace)
    {
        shown = format!("{} …", &shown[..blank]);
    }
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of an SQL statement.
pub fn sql_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passage_is_shown_with_whole_words_around_it() {
        let text = "Nobody knew how long the neural network had been learning before the engineers of the town looked at it again.";
        let start = text.find("neural").expect("there") as u32;
        let shown = cut_passage(text, start, start + 14);
        assert_eq!(
            shown,
            "Nobody knew how long the neural network had been learning before the engineers …"
        );
        assert_eq!(cut_passage("Kurz: Straße", 6, 12), "Kurz: Straße");
    }

    #[test]
    fn texts_of_statements_are_quoted() {
        assert_eq!(sql_text("d'Arc"), "'d''Arc'");
    }
}
