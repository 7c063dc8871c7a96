//! TeX and LaTeX as text, without running it: comments off, the author's own commands put in, known commands by their
//! meaning, unknown ones left out with their text kept.
//!
//! Commands are known by tables ([`commands`]); formulas are kept as their letters and signs ([`signs`]). Expansion is
//! counted: a command that calls itself ends.

#![expect(clippy::match_same_arms, reason = "tables of commands are read row by row")]

mod commands;
mod expand;
mod signs;

use super::page::decoded;
use super::pen::Pen;
use crate::kind::Kind;
use commands::{Meaning, meaning};
use expand::{Macros, Source};
use gleaner_model::BlockKind;

pub(super) fn read(bytes: &[u8], pen: &mut Pen) {
    let text = decoded(Kind::Text, bytes, "");
    let text = uncommented(&text);
    let is_whole = has_preamble(&text);
    let mut reader = Reader {
        macros: Macros::default(),
        pen,
        lists: 0,
        tables: 0,
        groups: Vec::new(),
        in_body: !is_whole,
        is_whole,
        is_done: false,
    };
    let mut source = Source::new(&text);
    reader.run(&mut source);
    reader.end_block();
}

/// A whole document has a preamble, which is not shown; a chapter by itself has none, though it may show one as example.
fn has_preamble(text: &str) -> bool {
    let class = text.lines().map(str::trim_start).find(|line| {
        [
            "\\documentclass",
            "\\documentstyle",
            "\\begin{document}",
            "\\chapter",
            "\\section",
        ]
        .iter()
        .any(|command| line.starts_with(command))
    });
    class.is_some_and(|line| !line.starts_with("\\chapter") && !line.starts_with("\\section"))
        && text.contains("\\begin{document}")
}

/// Comments off: from `%` to the end of the line, with the line's end and the blanks of the next.
fn uncommented(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut swallow = false;
    let mut in_verbatim = false;
    for line in text.lines() {
        let line = if swallow { line.trim_start() } else { line };
        let was_swallowed = std::mem::take(&mut swallow);
        if line.contains("\\begin{verbatim") || line.contains("\\begin{lstlisting") {
            in_verbatim = true;
        }
        if line.contains("\\end{verbatim") || line.contains("\\end{lstlisting") {
            in_verbatim = false;
        }
        let cut = if in_verbatim { None } else { comment(line) };
        if let Some(at) = cut {
            out.push_str(&line[..at]);
            // A line that is a comment only ends no paragraph.
            swallow = true;
        } else {
            out.push_str(line);
            out.push('\n');
            if was_swallowed && line.is_empty() {
                out.push('\n');
            }
        }
    }
    out
}

fn comment(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'%' => return Some(at),
            _ => at += 1,
        }
    }
    None
}

struct Reader<'a> {
    pen: &'a mut Pen,
    macros: Macros,
    lists: u8,
    tables: u32,
    /// Open braces, with what happens where they close.
    groups: Vec<Close>,
    in_body: bool,
    /// It has a preamble, so it has an end too.
    is_whole: bool,
    is_done: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Close {
    Nothing,
    Heading(u8),
    Link,
    /// A block of its own, such as a caption.
    Block,
    Blank,
}

impl Reader<'_> {
    fn run(&mut self, source: &mut Source) {
        while let Some(c) = source.next() {
            if self.is_done || self.pen.is_full() {
                return;
            }
            match c {
                '\\' => self.command(source),
                '{' => self.groups.push(Close::Nothing),
                '}' => self.close_group(),
                '$' => self.formula(source),
                '~' => self.say(" "),
                '&' if self.tables > 0 => self.pen.next_cell(),
                '&' => self.say(" "),
                '\n' => {
                    if source.skip_blank_line() {
                        self.end_block();
                    } else {
                        self.say(" ");
                    }
                }
                '`' if source.eat('`') => self.say("\u{201c}"),
                '\'' if source.eat('\'') => self.say("\u{201d}"),
                '-' if source.eat('-') => {
                    let dash = if source.eat('-') { "\u{2014}" } else { "\u{2013}" };
                    self.say(dash);
                }
                c => self.say(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    fn say(&mut self, text: &str) {
        if self.in_body {
            self.pen.push(text);
        }
    }

    fn close_group(&mut self) {
        match self.groups.pop() {
            Some(Close::Heading(level)) => {
                self.pen.end(BlockKind::Heading, level);
            }
            Some(Close::Link) => self.pen.close_link(),
            Some(Close::Block) => self.end_block(),
            Some(Close::Blank) => self.say(" "),
            _ => {}
        }
    }

    fn end_block(&mut self) {
        if self.tables > 0 {
            self.say(" ");
        } else if self.lists > 0 {
            self.pen.end(BlockKind::Item, self.lists);
        } else {
            self.pen.paragraph();
        }
    }

    /// Letters and signs between dollars.
    fn formula(&mut self, source: &mut Source) {
        let is_display = source.eat('$');
        let inner = source.until(if is_display { "$$" } else { "$" });
        self.math(&inner, is_display);
    }

    fn math(&mut self, inner: &str, is_display: bool) {
        if is_display {
            self.say(" ");
        }
        let expanded = self.macros.expanded(inner);
        let shown = signs::formula(&expanded);
        self.say(&shown);
        if is_display {
            self.say(" ");
        }
    }

    fn command(&mut self, source: &mut Source) {
        let name = source.name();
        if self.macros.define(&name, source) {
            return;
        }
        if self.macros.call(&name, source) {
            return;
        }
        match meaning(&name) {
            Meaning::Text(text) => self.say(text),
            Meaning::Accent(mark) => {
                let letter = source.accented();
                let shown = signs::accented(mark, &letter);
                self.say(&shown);
            }
            Meaning::Heading(level) => {
                self.end_block();
                source.eat('*');
                source.optional();
                if source.skip_to_brace() {
                    self.groups.push(Close::Heading(level));
                }
            }
            Meaning::Begin => self.begin(source),
            Meaning::End => self.end(source),
            Meaning::Item => {
                self.end_block();
                if let Some(label) = source.optional() {
                    let label = self.macros.expanded(&label);
                    self.inline(&label);
                    self.say(" ");
                }
                if name == "bibitem" {
                    source.argument();
                }
            }
            Meaning::LineEnd => {
                source.eat('*');
                source.optional();
                if self.tables > 0 {
                    self.pen.end(BlockKind::Row, 0);
                } else {
                    self.say(" ");
                }
            }
            Meaning::Paragraph => self.end_block(),
            Meaning::Skip(arguments) => {
                source.eat('*');
                for _ in 0..arguments {
                    while source.optional().is_some() {}
                    source.argument();
                }
                while source.optional().is_some() {}
            }
            Meaning::Reference => {
                source.eat('*');
                while source.optional().is_some() {}
                let key = source.argument().unwrap_or_default();
                self.say("[");
                self.say(&key);
                self.say("]");
            }
            Meaning::Link => {
                let address = source.argument().unwrap_or_default();
                let address = address
                    .replace("\\%", "%")
                    .replace("\\#", "#")
                    .replace("\\_", "_")
                    .replace("\\&", "&");
                if self.in_body {
                    self.pen.open_link(&address);
                }
                if source.skip_to_brace() {
                    self.groups.push(Close::Link);
                }
            }
            Meaning::Address => {
                let address = source.argument().unwrap_or_default();
                let address = address
                    .replace("\\_", "_")
                    .replace("\\%", "%")
                    .replace("\\#", "#");
                self.say(&address);
                if self.in_body {
                    self.pen.link(&address, &address);
                }
            }
            Meaning::Verbatim => {
                if let Some(mark) = source.next() {
                    let inner = source.until(mark.encode_utf8(&mut [0; 4]));
                    self.say(&inner);
                }
            }
            Meaning::Formula(end) => {
                let inner = source.until(end);
                self.math(&inner, end == "\\]");
            }
            Meaning::Note => {
                self.say(" ");
                source.optional();
                if source.skip_to_brace() {
                    self.groups.push(Close::Blank);
                }
            }
            Meaning::Block => {
                self.end_block();
                source.eat('*');
                source.optional();
                if source.skip_to_brace() {
                    self.groups.push(Close::Block);
                }
            }
            Meaning::Title => {
                source.optional();
                let title = source.argument().unwrap_or_default();
                let title = self.macros.expanded(&title);
                self.pen.metadata().title = plain(&title);
            }
            Meaning::Author => {
                source.optional();
                let authors = source.argument().unwrap_or_default();
                let authors = self.macros.expanded(&authors);
                let names = authors.replace("\\\\", "\\and ");
                self.pen.metadata().authors = names
                    .split("\\and")
                    .map(plain)
                    .filter(|name| !name.is_empty())
                    .collect();
            }
            Meaning::Date => {
                let date = source.argument().unwrap_or_default();
                let shown = plain(&date);
                self.pen.metadata().created = Some(shown).filter(|date| !date.is_empty());
            }
            Meaning::Keywords => {
                let written = source.argument().unwrap_or_default();
                let written = self.macros.expanded(&written);
                let words = written.replace("\\and", ";").replace("\\sep", ";");
                let words = plain(&words);
                let words = words.split([',', ';']).map(|word| word.trim().to_owned());
                self.pen
                    .metadata()
                    .keywords
                    .extend(words.filter(|word| !word.is_empty()));
            }
            Meaning::Stress => {
                source.optional();
            }
            Meaning::Unknown if commands::is_setting(&name) => {
                source.eat('*');
                while source.optional().is_some() || source.group_follows() {}
            }
            Meaning::Unknown => while source.optional().is_some() {},
        }
    }

    /// Text inside text.
    fn inline(&mut self, text: &str) {
        let groups = std::mem::take(&mut self.groups);
        let mut source = Source::new(text);
        if self.macros.enter() {
            self.run(&mut source);
            self.macros.leave();
        }
        self.groups = groups;
    }

    fn begin(&mut self, source: &mut Source) {
        let name = source.argument().unwrap_or_default();
        let plain_name = name.trim_end_matches('*');
        match plain_name {
            "document" => {
                self.in_body = true;
            }
            "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" => {
                self.end_block();
                source.optional();
                self.lists = self.lists.saturating_add(1);
            }
            "tabular" | "tabularx" | "longtable" | "array" | "tabulary" | "supertabular" => {
                self.end_block();
                if matches!(plain_name, "tabularx" | "tabulary") || name == "tabular*" {
                    source.argument();
                }
                source.optional();
                source.argument();
                self.tables += 1;
            }
            "equation" | "align" | "eqnarray" | "displaymath" | "math" | "gather" | "multline"
            | "alignat" | "flalign" => {
                let end = format!("\\end{{{name}}}");
                let inner = source.until(&end);
                self.math(&inner, true);
            }
            "verbatim" | "lstlisting" | "Verbatim" | "alltt" | "minted" => {
                self.end_block();
                source.optional();
                if plain_name == "minted" {
                    source.argument();
                }
                let end = format!("\\end{{{name}}}");
                let inner = source.until(&end);
                if self.in_body {
                    self.pen.push(&inner);
                    self.pen.end(BlockKind::Code, 0);
                }
            }
            "comment" | "tikzpicture" | "picture" | "filecontents" | "pspicture" => {
                let end = format!("\\end{{{name}}}");
                source.until(&end);
            }
            // Their headings stand in no source and on every page.
            "abstract" => {
                self.end_block();
                source.optional();
                self.heading_of_environment("Abstract");
            }
            "thebibliography" => {
                self.end_block();
                source.optional();
                source.argument();
                self.heading_of_environment("References");
            }
            "minipage" | "multicols" | "list" | "wrapfigure" => {
                self.end_block();
                source.optional();
                source.argument();
                if matches!(plain_name, "list" | "wrapfigure") {
                    source.argument();
                }
            }
            _ => {
                self.end_block();
                source.optional();
            }
        }
    }

    fn heading_of_environment(&mut self, words: &str) {
        if self.in_body {
            self.pen.push(words);
            self.pen.end(BlockKind::Heading, 2);
        }
    }

    fn end(&mut self, source: &mut Source) {
        let name = source.argument().unwrap_or_default();
        match name.trim_end_matches('*') {
            "document" if self.is_whole => {
                self.end_block();
                self.is_done = true;
            }
            "itemize" | "enumerate" | "description" | "compactitem" | "compactenum" => {
                self.end_block();
                self.lists = self.lists.saturating_sub(1);
            }
            "tabular" | "tabularx" | "longtable" | "array" | "tabulary" | "supertabular" => {
                self.pen.end(BlockKind::Row, 0);
                self.tables = self.tables.saturating_sub(1);
            }
            _ => self.end_block(),
        }
    }
}

/// Words of a short text, commands left out.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut source = Source::new(text);
    while let Some(c) = source.next() {
        match c {
            '\\' => match meaning(&source.name()) {
                Meaning::Text(text) => out.push_str(text),
                Meaning::Accent(mark) => {
                    let letter = source.accented();
                    out.push_str(&signs::accented(mark, &letter));
                }
                Meaning::Note | Meaning::Skip(_) => {
                    source.argument();
                }
                _ => out.push(' '),
            },
            '{' | '}' => {}
            '~' => out.push(' '),
            c => out.push(c),
        }
    }
    crate::text::fold(&out, 500)
}
