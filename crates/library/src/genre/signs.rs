//! Which signs is a text made of? Blanks to fill in, boxes to tick, brackets, formulas, addresses.

use super::features::{Row, rate, share, slow};
use super::sample::Sample;

#[derive(Default)]
pub(super) struct Signs {
    letters: usize,
    all: usize,
    digits: usize,
    capitals: usize,
    foreign: usize,
    marks: usize,
    braces: usize,
    quotes: usize,
    angles: usize,
    commas: usize,
    bars: usize,
    formulas: usize,
    boxes: usize,
    backslashes: usize,
    round: usize,
    money: usize,
    percents: usize,
    questions: usize,
    exclamations: usize,
    blanks: usize,
    leaders: usize,
    mails: usize,
    first_mails: usize,
    addresses: usize,
    times: usize,
    switches: usize,
    loud_words: usize,
    great_words: usize,
    ended: usize,
}

/// The beginning of a document, in bytes.
const BEGINNING: usize = 2500;

impl Signs {
    pub(super) fn of(sample: &Sample<'_>) -> Signs {
        let mut signs = Signs::default();
        let mut seen = 0;
        for part in &sample.parts {
            let before = signs.mails;
            signs.read(part.text);
            if seen < BEGINNING {
                signs.first_mails += signs.mails - before;
            }
            seen += part.text.len();
        }
        signs
    }

    fn read(&mut self, text: &str) {
        let mut last = ' ';
        let mut run = 0usize;
        for sign in text.chars() {
            self.all += 1;
            run = if sign == last { run + 1 } else { 1 };
            match sign {
                'a'..='z' => self.letters += 1,
                'A'..='Z' => {
                    self.letters += 1;
                    self.capitals += 1;
                }
                '0'..='9' => self.digits += 1,
                ' ' | '\n' => {}
                '_' => self.blanks += usize::from(run == 4),
                '.' => {
                    self.leaders += usize::from(run == 4);
                    self.ended += usize::from(run == 1);
                }
                '…' => self.leaders += 1,
                '{' | '}' | '[' | ']' => self.braces += 1,
                '"' => self.quotes += 1,
                '<' | '>' => self.angles += 1,
                ',' => self.commas += 1,
                ';' | '|' | '=' | '\t' => self.bars += 1,
                '\\' => self.backslashes += 1,
                '(' => self.round += 1,
                '$' | '€' | '£' | '¥' => self.money += 1,
                '%' => self.percents += 1,
                '?' | '？' => self.questions += 1,
                '!' | '！' => self.exclamations += 1,
                '。' => self.ended += 1,
                '☐' | '□' | '❑' | '❏' | '☑' | '☒' | '◻' | '⬜' | '▢' | '\u{f06f}' | '\u{f0a8}' =>
                {
                    self.boxes += 1;
                }
                '\u{2200}'..='\u{22ff}'
                | '\u{370}'..='\u{3ff}'
                | '×'
                | '→'
                | '⇒'
                | '⟨'
                | '⟩'
                | '\u{1d400}'..='\u{1d7ff}' => {
                    self.formulas += 1;
                }
                sign if sign.is_alphabetic() => {
                    self.letters += 1;
                    self.foreign += 1;
                    self.capitals += usize::from(sign.is_uppercase());
                }
                _ => self.marks += 1,
            }
            last = sign;
        }
        self.boxes += text.matches("[ ]").count();
        for word in text.split([' ', '\n']) {
            self.word(word);
        }
    }

    fn word(&mut self, word: &str) {
        let bytes = word.as_bytes();
        let Some(first) = bytes.first() else { return };
        if word.contains('@') && word.rsplit('@').next().is_some_and(|host| host.contains('.')) {
            self.mails += 1;
        }
        if word.contains("://") || word.starts_with("www.") {
            self.addresses += 1;
        }
        if let Some((hour, minute)) = word.split_once(':')
            && matches!(hour.len(), 1 | 2)
            && hour.bytes().all(|byte| byte.is_ascii_digit())
            && minute.bytes().take(2).filter(u8::is_ascii_digit).count() == 2
        {
            self.times += 1;
        }
        self.switches +=
            usize::from(bytes.len() > 2 && bytes.starts_with(b"--") && bytes[2].is_ascii_alphabetic());
        if first.is_ascii_uppercase() {
            let is_loud = bytes.len() > 1 && bytes.iter().all(|byte| !byte.is_ascii_lowercase());
            self.loud_words += usize::from(is_loud);
            self.great_words += usize::from(!is_loud);
        }
    }

    pub(super) fn add(&self, words: usize, row: &mut Row) {
        let all = self.all;
        row.text("digits", "many digits", "few digits", share(self.digits, all));
        row.text(
            "capitals",
            "many capital letters",
            "few capital letters",
            share(self.capitals, self.letters),
        );
        row.text(
            "foreign",
            "letters beyond those of English",
            "only letters of English",
            share(self.foreign, self.letters),
        );
        row.text(
            "marks",
            "unusual signs",
            "no unusual signs",
            share(self.marks, all),
        );
        row.text("braces", "many brackets", "few brackets", share(self.braces, all));
        row.text(
            "quotes",
            "many straight quotation marks",
            "few quotation marks",
            share(self.quotes, all),
        );
        row.text(
            "angles",
            "many angle brackets",
            "few angle brackets",
            share(self.angles, all),
        );
        row.text("commas", "many commas", "few commas", share(self.commas, all));
        row.text(
            "bars",
            "many bars, semicolons and signs of equality",
            "few bars and signs of equality",
            share(self.bars, all),
        );
        row.text("formulas", "formulas", "no formulas", rate(self.formulas, words));
        row.text(
            "boxes",
            "boxes to tick",
            "no boxes to tick",
            rate(self.boxes, words),
        );
        row.text(
            "blanks",
            "blanks to fill in",
            "no blanks to fill in",
            rate(self.blanks, words),
        );
        row.text(
            "leaders",
            "lines of dots, as in forms and tables of contents",
            "no lines of dots",
            rate(self.leaders, words),
        );
        row.text(
            "backslashes",
            "many backslashes",
            "no backslashes",
            rate(self.backslashes, words),
        );
        row.text(
            "round",
            "many round brackets",
            "few round brackets",
            rate(self.round, words),
        );
        row.text(
            "money-signs",
            "sums of money",
            "no sums of money",
            rate(self.money, words),
        );
        row.text(
            "percents",
            "percentages",
            "no percentages",
            rate(self.percents, words),
        );
        row.text(
            "questions",
            "many questions",
            "few questions",
            rate(self.questions, words),
        );
        row.text(
            "exclamations",
            "many exclamation marks",
            "no exclamation marks",
            rate(self.exclamations, words),
        );
        row.text(
            "mails",
            "many mail addresses",
            "few mail addresses",
            rate(self.mails, words),
        );
        row.text(
            "first-mails",
            "mail addresses at its beginning",
            "no mail address at its beginning",
            slow(self.first_mails as f32),
        );
        row.text(
            "addresses",
            "many web addresses in the text",
            "few web addresses in the text",
            rate(self.addresses, words),
        );
        row.text(
            "times",
            "times of day",
            "no times of day",
            rate(self.times, words),
        );
        row.text(
            "switches",
            "switches of commands",
            "no switches of commands",
            rate(self.switches, words),
        );
        row.text(
            "loud-words",
            "many words in capital letters",
            "few words in capital letters",
            share(self.loud_words, words),
        );
        row.text(
            "great-words",
            "many words with a capital",
            "few words with a capital",
            share(self.great_words, words),
        );
        row.text(
            "sentence",
            "long sentences",
            "short sentences",
            slow(words as f32 / self.ended.max(1) as f32),
        );
        row.text(
            "word-share",
            "plain prose",
            "little of it is words",
            share(self.letters, all),
        );
    }
}
