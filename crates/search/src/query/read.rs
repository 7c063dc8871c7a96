//! The reader of questions. Every mistake is told with its place.

use super::{Field, Node};
use crate::QueryError;

/// Brackets in brackets, and words in all: more is no person's question.
const DEPTH_MAX: usize = 20;
const WORDS_MAX: usize = 200;

pub(super) fn read(text: &str) -> Result<Node, QueryError> {
    let mut reader = Reader {
        text,
        chars: text.chars().collect(),
        at: 0,
        words: 0,
    };
    let root = reader.any(0)?;
    if reader.peek().is_some() {
        return Err(QueryError::StrayBracket {
            at: reader.at + 1,
            text: text.to_owned(),
        });
    }
    let root = root.ok_or(QueryError::Empty)?;
    if !is_positive(&root) {
        return Err(QueryError::OnlyNot(text.to_owned()));
    }
    Ok(root)
}

/// Whether there is something to be found, and not only something to be left out.
fn is_positive(node: &Node) -> bool {
    match node {
        Node::All(nodes) => nodes.iter().any(is_positive),
        Node::Any(nodes) => nodes.iter().all(is_positive),
        Node::Not(_) => false,
        _ => true,
    }
}

struct Reader<'a> {
    text: &'a str,
    chars: Vec<char>,
    at: usize,
    words: usize,
}

/// What a piece may begin with besides a word.
enum Joint {
    Or,
    And,
    Not,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    /// A word in capitals that joins others, if it stands here by itself.
    fn joint(&mut self) -> Option<(Joint, usize)> {
        self.peek()?;
        let rest: String = self.chars[self.at..].iter().take(4).collect();
        let alone = |word: &str| {
            rest.strip_prefix(word).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '(')
            })
        };
        if alone("OR") {
            return Some((Joint::Or, 2));
        }
        if alone("AND") {
            return Some((Joint::And, 3));
        }
        if alone("NOT") {
            return Some((Joint::Not, 3));
        }
        None
    }

    fn dangling(&self, word: &'static str, at: usize) -> QueryError {
        QueryError::Dangling {
            word,
            at: at + 1,
            text: self.text.to_owned(),
        }
    }

    fn any(&mut self, depth: usize) -> Result<Option<Node>, QueryError> {
        let mut found = Vec::new();
        let Some(first) = self.all(depth)? else {
            if let Some((Joint::Or, _)) = self.joint() {
                return Err(self.dangling("OR", self.at));
            }
            return Ok(None);
        };
        found.push(first);
        while let Some((Joint::Or, length)) = self.joint() {
            let at = self.at;
            self.at += length;
            found.push(self.all(depth)?.ok_or_else(|| self.dangling("OR", at))?);
        }
        Ok(Some(joined(found, Node::Any)))
    }

    fn all(&mut self, depth: usize) -> Result<Option<Node>, QueryError> {
        let mut found = Vec::new();
        loop {
            match self.joint() {
                Some((Joint::Or, _)) => break,
                Some((Joint::And, length)) => {
                    let at = self.at;
                    self.at += length;
                    if found.is_empty() || matches!(self.peek(), None | Some(')')) {
                        return Err(self.dangling("AND", at));
                    }
                    continue;
                }
                Some((Joint::Not, length)) => {
                    let at = self.at;
                    self.at += length;
                    let piece = self.piece(Field::Anywhere, depth)?;
                    found.push(Node::Not(Box::new(
                        piece.ok_or_else(|| self.dangling("NOT", at))?,
                    )));
                    continue;
                }
                None => {}
            }
            let is_left_out = self.peek() == Some('-')
                && self
                    .chars
                    .get(self.at + 1)
                    .is_some_and(|c| !c.is_whitespace() && *c != '-');
            if is_left_out {
                self.at += 1;
            }
            let Some(piece) = self.piece(Field::Anywhere, depth)? else {
                break;
            };
            found.push(if is_left_out {
                Node::Not(Box::new(piece))
            } else {
                piece
            });
        }
        found.retain(|node| !matches!(node, Node::All(nodes) | Node::Any(nodes) if nodes.is_empty()));
        Ok((!found.is_empty()).then(|| joined(found, Node::All)))
    }

    fn piece(&mut self, field: Field, depth: usize) -> Result<Option<Node>, QueryError> {
        self.words += 1;
        if self.words > WORDS_MAX {
            return Err(QueryError::TooMany { max: WORDS_MAX });
        }
        match self.peek() {
            None | Some(')') => Ok(None),
            Some('(') => self.bracket(field, depth).map(Some),
            Some('"' | '“' | '”' | '„' | '«') => self.phrase(field).map(Some),
            Some(_) => self.word(field, depth).map(Some),
        }
    }

    fn bracket(&mut self, field: Field, depth: usize) -> Result<Node, QueryError> {
        if depth >= DEPTH_MAX {
            return Err(QueryError::TooDeep { max: DEPTH_MAX });
        }
        let from = self.at;
        self.at += 1;
        let inner = self.any(depth + 1)?;
        if self.peek() != Some(')') {
            return Err(QueryError::OpenBracket {
                at: from + 1,
                text: self.text.to_owned(),
            });
        }
        self.at += 1;
        let mut inner = inner.unwrap_or(Node::All(Vec::new()));
        if field != Field::Anywhere {
            narrow(&mut inner, field);
        }
        Ok(inner)
    }

    fn phrase(&mut self, field: Field) -> Result<Node, QueryError> {
        let from = self.at;
        let closing: &[char] = match self.chars[from] {
            '«' => &['»'],
            '"' => &['"'],
            _ => &['“', '”', '"'],
        };
        let length = self.chars[from + 1..].iter().position(|c| closing.contains(c));
        let length = length.ok_or_else(|| QueryError::OpenQuote {
            at: from + 1,
            text: self.text.to_owned(),
        })?;
        let text: String = self.chars[from + 1..from + 1 + length].iter().collect();
        self.at = from + length + 2;
        let slop = self
            .tilde()
            .map_or(0, |digits| digits.parse().unwrap_or(1).min(50));
        Ok(if text.chars().any(char::is_alphanumeric) {
            Node::Phrase { field, text, slop }
        } else {
            Node::All(Vec::new())
        })
    }

    /// What follows a `~`, if there is one right here.
    fn tilde(&mut self) -> Option<String> {
        if self.chars.get(self.at) != Some(&'~') {
            return None;
        }
        self.at += 1;
        let digits: String = self.chars[self.at..]
            .iter()
            .take_while(|c| c.is_ascii_digit())
            .collect();
        self.at += digits.len();
        Some(digits)
    }

    fn word(&mut self, field: Field, depth: usize) -> Result<Node, QueryError> {
        let from = self.at;
        let is_end = |c: &char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '“' | '”' | '„' | '«');
        let length = self.chars[from..]
            .iter()
            .position(is_end)
            .unwrap_or(self.chars.len() - from);
        let text: String = self.chars[from..from + length].iter().collect();
        if field == Field::Anywhere
            && let Some((name, _)) = text.split_once(':')
            && let Some(named) = field_of(name)
        {
            self.at = from + name.chars().count() + 1;
            let follows = self.chars.get(self.at).is_some_and(|c| !c.is_whitespace());
            let piece = if follows { self.piece(named, depth)? } else { None };
            return piece.ok_or_else(|| QueryError::EmptyField {
                field: name.to_owned(),
                at: from + 1,
                text: self.text.to_owned(),
            });
        }
        self.at = from + length;
        if let Some(start) = text.strip_suffix('*')
            && start.ends_with(char::is_alphanumeric)
        {
            if start.chars().count() < 2 && start.is_ascii() {
                return Err(QueryError::ShortPrefix { text });
            }
            let text = start.to_owned();
            return Ok(Node::Prefix { field, text });
        }
        if let Some((word, distance)) = text.rsplit_once('~')
            && word.ends_with(char::is_alphanumeric)
            && distance.chars().all(|c| c.is_ascii_digit())
        {
            let distance = if distance.is_empty() { "1" } else { distance };
            return match distance.parse() {
                Ok(distance @ 1..=2) => Ok(Node::Fuzzy {
                    field,
                    text: word.to_owned(),
                    distance,
                }),
                _ => Err(QueryError::Distance { text }),
            };
        }
        Ok(if text.chars().any(char::is_alphanumeric) {
            Node::Word { field, text }
        } else {
            Node::All(Vec::new()) // A dash between words, say.
        })
    }
}

fn joined(mut nodes: Vec<Node>, join: fn(Vec<Node>) -> Node) -> Node {
    if nodes.len() == 1 {
        nodes.remove(0)
    } else {
        join(nodes)
    }
}

/// Everything in brackets behind a field's name is looked for there.
fn narrow(node: &mut Node, to: Field) {
    match node {
        Node::All(nodes) | Node::Any(nodes) => nodes.iter_mut().for_each(|node| narrow(node, to)),
        Node::Not(node) => narrow(node, to),
        Node::Word { field, .. }
        | Node::Phrase { field, .. }
        | Node::Prefix { field, .. }
        | Node::Fuzzy { field, .. } => {
            if *field == Field::Anywhere {
                *field = to;
            }
        }
    }
}

fn field_of(name: &str) -> Option<Field> {
    Some(match name.to_ascii_lowercase().as_str() {
        "title" => Field::Title,
        "heading" | "headings" => Field::Heading,
        "text" => Field::Text,
        "url" => Field::Url,
        "host" | "site" => Field::Host,
        "type" => Field::Type,
        "lang" | "language" => Field::Language,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str) -> Node {
        Node::Word {
            field: Field::Anywhere,
            text: text.to_owned(),
        }
    }

    #[test]
    fn words_are_joined_as_people_mean_them() {
        assert_eq!(read("a").unwrap(), word("a"));
        assert_eq!(read("a b").unwrap(), Node::All(vec![word("a"), word("b")]));
        assert_eq!(read("a AND b").unwrap(), read("a b").unwrap());
        assert_eq!(
            read("a b OR c").unwrap(),
            Node::Any(vec![Node::All(vec![word("a"), word("b")]), word("c")])
        );
        assert_eq!(
            read("a -b NOT c").unwrap(),
            Node::All(vec![
                word("a"),
                Node::Not(Box::new(word("b"))),
                Node::Not(Box::new(word("c")))
            ])
        );
        assert_eq!(
            read("a (b OR c)").unwrap(),
            Node::All(vec![word("a"), Node::Any(vec![word("b"), word("c")])])
        );
        assert_eq!(read("ORDER NOTE - a").unwrap(), read("ORDER NOTE a").unwrap());
    }

    #[test]
    fn fields_phrases_beginnings_and_misspelt_words() {
        assert_eq!(
            read("title:(a \"b c\"~2)").unwrap(),
            Node::All(vec![
                Node::Word {
                    field: Field::Title,
                    text: "a".to_owned()
                },
                Node::Phrase {
                    field: Field::Title,
                    text: "b c".to_owned(),
                    slop: 2
                }
            ])
        );
        assert_eq!(
            read("connec*").unwrap(),
            Node::Prefix {
                field: Field::Anywhere,
                text: "connec".to_owned()
            }
        );
        assert_eq!(
            read("speling~ 2").unwrap(),
            Node::All(vec![
                Node::Fuzzy {
                    field: Field::Anywhere,
                    text: "speling".to_owned(),
                    distance: 1
                },
                word("2")
            ])
        );
        assert_eq!(read("std::vec").unwrap(), word("std::vec"));
        assert_eq!(read("12:30").unwrap(), word("12:30"));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        for (text, wanted) in [
            ("", "nothing to search for"),
            ("-a", "only words to leave out"),
            ("a OR -b", "only words to leave out"),
            ("a \"b", "quotation mark at character 3"),
            ("(a", "bracket at character 1"),
            ("a)", "bracket at character 2"),
            ("a OR", "`OR` at character 3"),
            ("OR a", "`OR` at character 1"),
            ("a AND", "`AND` at character 3"),
            ("title: a", "nothing follows `title:`"),
            ("a~7", "1 or 2 letters"),
            ("a*", "at least two letters"),
        ] {
            let told = read(text).expect_err(text).to_string();
            assert!(told.contains(wanted), "{text}: {told}");
        }
        assert!(read(&"(".repeat(100_000)).is_err());
        assert!(read(&"a ".repeat(1000)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn nothing_breaks_the_reader(text in "[ab \"()*~:\\-ORNDTanytile«»]{0,40}") {
            let _either = read(&text);
        }
    }
}
