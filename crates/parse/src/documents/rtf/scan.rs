//! The tokens of RTF.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// A control word and its number.
    Word(&'a [u8], Option<i32>),
    /// A control symbol, such as `\~`.
    Symbol(u8),
    Byte(u8),
}

pub(super) struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Scan<'a> {
        Scan { bytes, at: 0 }
    }

    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            return Some(match byte {
                b'{' => Token::Open,
                b'}' => Token::Close,
                b'\\' => match self.control() {
                    Some(token) => token,
                    None => continue,
                },
                b'\r' | b'\n' | 0 => continue,
                byte => Token::Byte(byte),
            });
        }
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.bytes.get(self.at)?;
        if first == b'\'' {
            let hex = self.bytes.get(self.at + 1..self.at + 3)?;
            self.at += 3;
            let text = std::str::from_utf8(hex).ok()?;
            return u8::from_str_radix(text, 16).ok().map(Token::Byte);
        }
        if !first.is_ascii_alphabetic() {
            self.at += 1;
            return Some(Token::Symbol(first));
        }
        let from = self.at;
        let word = self.bytes[from..]
            .iter()
            .take(64)
            .take_while(|b| b.is_ascii_alphabetic())
            .count();
        let name = &self.bytes[from..from + word];
        self.at += word;
        let number_from = self.at;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        let digits = self.bytes[self.at..]
            .iter()
            .take(10)
            .take_while(|b| b.is_ascii_digit())
            .count();
        self.at += digits;
        let text = std::str::from_utf8(&self.bytes[number_from..self.at]).unwrap_or("");
        let value = text
            .parse::<i64>()
            .ok()
            .map(|value| value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32);
        if digits == 0 {
            self.at = number_from;
        }
        if self.bytes.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        // Raw bytes follow, which are no tokens.
        if name == b"bin" {
            let count = usize::try_from(value.unwrap_or(0)).unwrap_or(0);
            self.at = self.at.saturating_add(count).min(self.bytes.len());
        }
        Some(Token::Word(name, value))
    }
}
