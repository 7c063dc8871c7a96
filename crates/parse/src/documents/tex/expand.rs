//! The text as it is read, and the author's own commands put into it.

use std::collections::HashMap;

const CALLS_MAX: usize = 50_000;
const DEPTH_MAX: usize = 8;
const MACRO_BYTES_MAX: usize = 64 * 1024;
const ADDED_BYTES_MAX: usize = 8 << 20;

/// Characters to come. What a command stands for is put in front of them.
pub(super) struct Source {
    /// Reversed: the next character is the last.
    left: Vec<char>,
}

impl Source {
    pub(super) fn new(text: &str) -> Source {
        Source {
            left: text.chars().rev().collect(),
        }
    }

    pub(super) fn next(&mut self) -> Option<char> {
        self.left.pop()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.left.last().copied()
    }

    pub(super) fn put_back(&mut self, text: &str) {
        self.left.extend(text.chars().rev());
    }

    pub(super) fn eat(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.left.pop();
        }
        is_next
    }

    /// After a line's end: whether empty lines follow; they are taken.
    pub(super) fn skip_blank_line(&mut self) -> bool {
        let mut at = self.left.len();
        let mut found = None;
        while at > 0 {
            match self.left[at - 1] {
                '\n' => {
                    at -= 1;
                    found = Some(at);
                }
                ' ' | '\t' | '\r' => at -= 1,
                _ => break,
            }
        }
        match found {
            Some(at) => {
                self.left.truncate(at);
                true
            }
            None => false,
        }
    }

    fn skip_blanks(&mut self) {
        let mut ends = 0;
        while let Some(c) = self.peek() {
            if !c.is_whitespace() {
                return;
            }
            if c == '\n' {
                ends += 1;
                if ends > 1 {
                    return;
                }
            }
            self.left.pop();
        }
    }

    /// The name behind a backslash: letters, or one sign. Blanks behind letters belong to it.
    pub(super) fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphabetic() || *c == '@') {
            name.push(c);
            self.left.pop();
        }
        if name.is_empty() {
            return self.next().map(String::from).unwrap_or_default();
        }
        while let Some(' ' | '\t') = self.peek() {
            self.left.pop();
        }
        name
    }

    /// `[…]`, where one follows at once.
    pub(super) fn optional(&mut self) -> Option<String> {
        if self.peek() != Some('[') {
            return None;
        }
        self.left.pop();
        let mut out = String::new();
        let mut depth = 0i32;
        while let Some(c) = self.next() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ']' if depth <= 0 => return Some(out),
                _ => {}
            }
            out.push(c);
            if out.len() > MACRO_BYTES_MAX {
                break;
            }
        }
        Some(out)
    }

    /// `{…}`, a command or one character.
    pub(super) fn argument(&mut self) -> Option<String> {
        self.skip_blanks();
        match self.peek()? {
            '{' => {
                self.left.pop();
                Some(self.group())
            }
            '\\' => {
                self.left.pop();
                let name = self.name();
                Some(format!("\\{name}"))
            }
            '}' => None,
            _ => self.next().map(String::from),
        }
    }

    /// To the brace that closes; escaped ones do not count.
    fn group(&mut self) -> String {
        let mut out = String::new();
        let mut depth = 0usize;
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    out.push(c);
                    if let Some(next) = self.next() {
                        out.push(next);
                    }
                    continue;
                }
                '{' => depth += 1,
                '}' if depth == 0 => return out,
                '}' => depth -= 1,
                _ => {}
            }
            out.push(c);
            if out.len() > ADDED_BYTES_MAX {
                break;
            }
        }
        out
    }

    /// Goes over to what stands in braces; where none follow, nothing is taken.
    pub(super) fn skip_to_brace(&mut self) -> bool {
        let before = self.left.len();
        let mut at = before;
        while at > 0 && self.left[at - 1].is_whitespace() {
            at -= 1;
        }
        if at > 0 && self.left[at - 1] == '{' {
            self.left.truncate(at - 1);
            return true;
        }
        false
    }

    /// `{…}` where one follows at once; it is taken.
    pub(super) fn group_follows(&mut self) -> bool {
        let follows = self.eat('{');
        if follows {
            self.group();
        }
        follows
    }

    /// What an accent stands over.
    pub(super) fn accented(&mut self) -> String {
        while let Some(' ') = self.peek() {
            self.left.pop();
        }
        match self.peek() {
            Some('\\') => {
                self.left.pop();
                // Dotless letters get their accent anyway.
                let name = self.name();
                match name.as_str() {
                    "i" | "j" => name,
                    _ => String::new(),
                }
            }
            Some('{') => {
                self.left.pop();
                let inner = self.group();
                inner.replace("\\i", "i").replace("\\j", "j").trim().to_owned()
            }
            _ => self.next().map(String::from).unwrap_or_default(),
        }
    }

    /// All before a mark, which is taken too; everything where there is none.
    pub(super) fn until(&mut self, mark: &str) -> String {
        let mark: Vec<char> = mark.chars().rev().collect();
        let mut out = String::new();
        while !self.left.is_empty() {
            if self.left.ends_with(&mark) {
                self.left.truncate(self.left.len() - mark.len());
                break;
            }
            let c = self.left.pop().unwrap_or(' ');
            out.push(c);
            // An escaped sign is no mark.
            if c == '\\'
                && mark.len() == 1
                && let Some(next) = self.left.pop()
            {
                out.push(next);
            }
        }
        out
    }
}

#[derive(Debug, Default)]
pub(super) struct Macros {
    all: HashMap<String, Macro>,
    calls: usize,
    added: usize,
    depth: usize,
}

#[derive(Debug, Clone, Default)]
struct Macro {
    arguments: usize,
    default: Option<String>,
    body: String,
    /// What stands between the arguments of `\def`; only plain ones are put in.
    is_plain: bool,
}

impl Macros {
    /// Text may be read inside text only so deep.
    pub(super) fn enter(&mut self) -> bool {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            self.depth -= 1;
            return false;
        }
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Takes a definition; false where the command is none.
    pub(super) fn define(&mut self, name: &str, source: &mut Source) -> bool {
        match name {
            "newcommand" | "renewcommand" | "providecommand" | "DeclareRobustCommand" => {
                source.eat('*');
                let called = source.argument().unwrap_or_default();
                source.skip_blanks();
                let count = source.optional().and_then(|count| count.trim().parse().ok());
                let default = source.optional();
                let body = source.argument().unwrap_or_default();
                self.add(&called, count.unwrap_or(0), default, body, true);
            }
            "def" | "gdef" | "edef" | "xdef" => {
                let called = source.argument().unwrap_or_default();
                let mut pattern = String::new();
                while let Some(c) = source.peek().filter(|c| *c != '{') {
                    pattern.push(c);
                    source.next();
                    if pattern.len() > 200 {
                        break;
                    }
                }
                let body = source.argument().unwrap_or_default();
                let count = pattern.matches('#').count();
                let is_plain = pattern.trim().chars().all(|c| c == '#' || c.is_ascii_digit());
                self.add(&called, count, None, body, is_plain);
            }
            "newenvironment" | "renewenvironment" => {
                source.eat('*');
                source.argument();
                while source.optional().is_some() {}
                source.argument();
                source.argument();
            }
            "DeclareMathOperator" => {
                source.eat('*');
                let called = source.argument().unwrap_or_default();
                let body = source.argument().unwrap_or_default();
                self.add(&called, 0, None, body, true);
            }
            "let" => {
                source.argument();
                source.eat('=');
                source.argument();
            }
            _ => return false,
        }
        true
    }

    fn add(&mut self, called: &str, arguments: usize, default: Option<String>, body: String, is_plain: bool) {
        let called = called.trim().trim_start_matches('\\').to_owned();
        if body.len() > MACRO_BYTES_MAX || self.all.len() > 10_000 || called.is_empty() {
            return;
        }
        self.all.insert(
            called,
            Macro {
                arguments: arguments.min(9),
                default,
                body,
                is_plain,
            },
        );
    }

    /// Puts the body of one of the author's commands into the source; false where it is not one.
    pub(super) fn call(&mut self, name: &str, source: &mut Source) -> bool {
        let Some(found) = self.all.get(name) else {
            return false;
        };
        if !found.is_plain {
            return true;
        }
        self.calls += 1;
        let mut values = Vec::new();
        let found = found.clone();
        let mut wanted = found.arguments;
        if let Some(default) = &found.default
            && wanted > 0
        {
            values.push(source.optional().unwrap_or_else(|| default.clone()));
            wanted -= 1;
        }
        for _ in 0..wanted {
            values.push(source.argument().unwrap_or_default());
        }
        let mut body = found.body;
        for (index, value) in values.iter().enumerate() {
            body = body.replace(&format!("#{}", index + 1), value);
            if body.len() > MACRO_BYTES_MAX {
                return true;
            }
        }
        self.added += body.len();
        if self.calls > CALLS_MAX || self.added > ADDED_BYTES_MAX {
            return true;
        }
        source.put_back(&body);
        true
    }

    /// A formula with the author's commands put in.
    pub(super) fn expanded(&mut self, text: &str) -> String {
        if self.all.is_empty() {
            return text.to_owned();
        }
        let mut source = Source::new(text);
        let mut out = String::new();
        while let Some(c) = source.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            let name = source.name();
            let is_letters = name.starts_with(|c: char| c.is_ascii_alphabetic());
            if is_letters && self.call(&name, &mut source) {
                continue;
            }
            out.push('\\');
            out.push_str(&name);
            if is_letters {
                out.push(' ');
            }
            if out.len() > ADDED_BYTES_MAX {
                break;
            }
        }
        out
    }
}
