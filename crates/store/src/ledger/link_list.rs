//! Reads a page's list of links (decision 0007) straight from its bytes: `[[target,kind,"anchor",count,nofollow,"original"],…]`.
//!
//! A graph is made from millions of links, and a tree of JSON values for each would cost more than all that follows. The list was
//! written by this room, so one that reads differently is damaged: reading stops there and the rest is left out.

use gleaner_model::{LinkKind, ResourceId};

/// A link as its page's list holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedLink<'a> {
    pub target: ResourceId,
    pub kind: LinkKind,
    pub count: u32,
    pub nofollow: bool,
    /// The words as a JSON string with its quotes; empty: none.
    anchor: &'a str,
    /// The same for the address as the page spells it.
    original: &'a str,
}

impl ListedLink<'_> {
    /// As the page spells it, where that was mended.
    pub fn original(&self) -> Option<String> {
        serde_json::from_str(self.original).ok()
    }

    /// The words under which the page links.
    pub fn anchor(&self) -> String {
        serde_json::from_str(self.anchor).unwrap_or_default()
    }
}

pub(crate) struct LinkList<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> LinkList<'a> {
    pub(crate) fn new(text: &'a str) -> LinkList<'a> {
        LinkList { text, at: 1 }
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over `byte`, if it is next.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.byte() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn number(&mut self) -> Option<u64> {
        let start = self.at;
        let mut number = 0u64;
        while let Some(digit) = self.byte().filter(u8::is_ascii_digit) {
            number = number.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        (self.at > start).then_some(number)
    }

    /// A JSON string with its quotes.
    fn string(&mut self) -> Option<&'a str> {
        let start = self.at;
        if !self.takes(b'"') {
            return None;
        }
        loop {
            let found = memchr::memchr2(b'"', b'\\', self.text.as_bytes().get(self.at..)?)?;
            self.at += found + 1;
            if self.text.as_bytes()[self.at - 1] == b'"' {
                return self.text.get(start..self.at);
            }
            self.at += 1; // What is escaped, or the first sign of it, is no end.
        }
    }

    fn link(&mut self) -> Option<ListedLink<'a>> {
        if !self.takes(b'[') {
            return None;
        }
        let target = ResourceId(self.number()? as i64);
        if !self.takes(b',') {
            return None;
        }
        let mut link = ListedLink {
            target,
            kind: LinkKind::of_number(u8::try_from(self.number()?).ok()?)?,
            count: 1,
            nofollow: false,
            anchor: "",
            original: "",
        };
        if self.takes(b',') {
            link.anchor = self.string()?;
            if self.takes(b',') {
                link.count = self.number()?.try_into().unwrap_or(u32::MAX);
                if self.takes(b',') {
                    link.nofollow = self.number()? == 1;
                    if self.takes(b',') {
                        link.original = self.string()?;
                    }
                }
            }
        }
        self.takes(b']').then_some(link)
    }
}

impl<'a> Iterator for LinkList<'a> {
    type Item = ListedLink<'a>;

    fn next(&mut self) -> Option<ListedLink<'a>> {
        let link = self.link()?;
        self.takes(b',');
        Some(link)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(i64, u8, u32, bool, String)> {
        LinkList::new(text)
            .map(|link| {
                (
                    link.target.0,
                    link.kind as u8,
                    link.count,
                    link.nofollow,
                    link.anchor(),
                )
            })
            .collect()
    }

    #[test]
    fn every_form_of_a_link_is_read() {
        let list =
            r#"[[7,1],[8,6,"a \"b\" \\"],[9,1,"",3],[10,1,"Käse",2,1],[11,1,"x",1,0,"http:/y\"z"],[12,19]]"#;
        let wanted = [
            (7, 1, 1, false, String::new()),
            (8, 6, 1, false, "a \"b\" \\".to_owned()),
            (9, 1, 3, false, String::new()),
            (10, 1, 2, true, "Käse".to_owned()),
            (11, 1, 1, false, "x".to_owned()),
            (12, 19, 1, false, String::new()),
        ];
        assert_eq!(read(list), wanted);
        assert!(read("[]").is_empty());
        assert!(read("").is_empty());
    }

    #[test]
    fn a_damaged_list_ends_where_it_is_damaged() {
        let list = r#"[[7,1],[8,1,"ä\"x"],[9,1]]"#;
        for end in (0..list.len()).filter(|end| list.is_char_boundary(*end)) {
            assert!(read(&list[..end]).len() <= 3);
        }
        assert_eq!(read("[[7,1],[8,200],[9,1]]").len(), 1);
    }
}
