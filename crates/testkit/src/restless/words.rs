//! Texts that read like texts: common words in no order.

use crate::mutate::Dice;

const WORDS: &str = "the of and a to in is was for on with as at by from harbour river council bridge winter market \
    engine letter garden school teacher village station evening morning paper water stone glass window road field \
    report number question answer history music picture summer autumn island valley forest mountain office worker \
    ship captain doctor artist farmer bread flour copper silver iron cotton wool timber early late small large old new \
    quiet bright narrow heavy gentle public local common several many few most every another opened closed built \
    found lost carried painted wrote sold bought visited measured planted crossed returned remembered described \
    changed kept reached followed became remained between under over through across against during before after";

pub(super) fn word(dice: &mut Dice) -> &'static str {
    let all: Vec<&'static str> = WORDS.split_whitespace().collect();
    all[dice.below(all.len())]
}

pub(super) fn phrase(dice: &mut Dice, words: usize) -> String {
    let mut text: Vec<String> = (0..words).map(|_| word(dice).to_owned()).collect();
    if let Some(first) = text.first_mut() {
        first[..1].make_ascii_uppercase();
    }
    text.join(" ")
}

pub(super) fn sentence(dice: &mut Dice) -> String {
    let words = 7 + dice.below(9);
    phrase(dice, words) + "."
}

/// Two to five sentences, one of them with a number.
pub(super) fn paragraph(dice: &mut Dice) -> String {
    let count = 2 + dice.below(4);
    let mut sentences: Vec<String> = (0..count).map(|_| sentence(dice)).collect();
    sentences.push(format!(
        "In {} there were {} of them.",
        1900 + dice.below(120),
        10 + dice.below(900)
    ));
    sentences.join(" ")
}
