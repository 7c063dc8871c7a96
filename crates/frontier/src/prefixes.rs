//! Which of many texts begin this one? Used wherever a list of prefixes may be long: robots rules, rules, subtrees.
//!
//! The texts are sorted, and each remembers its *parent*: the longest other text that begins it. The predecessor of a
//! question in sorted order begins with every listed prefix of that question, so one binary search and a walk up the
//! parents finds them all, longest first, however many texts there are.

/// A set of prefixes, each with a value.
#[derive(Debug, Clone)]
pub(crate) struct Prefixes<T> {
    entries: Vec<Entry<T>>,
}

#[derive(Debug, Clone)]
struct Entry<T> {
    text: Box<[u8]>,
    /// `usize::MAX` for none.
    parent: usize,
    value: T,
}

impl<T> Default for Prefixes<T> {
    fn default() -> Self {
        Prefixes { entries: Vec::new() }
    }
}

impl<T> Prefixes<T> {
    /// Of equal texts, `merge` makes one value: the one kept and the one that comes later.
    pub(crate) fn new(mut list: Vec<(Box<[u8]>, T)>, merge: impl Fn(&mut T, T)) -> Self {
        list.sort_by(|a, b| a.0.cmp(&b.0));
        let mut entries: Vec<Entry<T>> = Vec::with_capacity(list.len());
        let mut open: Vec<usize> = Vec::new();
        for (text, value) in list {
            if let Some(last) = entries.last_mut()
                && last.text == text
            {
                merge(&mut last.value, value);
                continue;
            }
            while open.last().is_some_and(|&i| !text.starts_with(&entries[i].text)) {
                open.pop();
            }
            let parent = open.last().copied().unwrap_or(usize::MAX);
            open.push(entries.len());
            entries.push(Entry { text, parent, value });
        }
        Prefixes { entries }
    }

    /// Adds one text; sorts anew, so for the occasional latecomer only.
    pub(crate) fn insert(&mut self, text: Box<[u8]>, value: T) {
        let mut list: Vec<(Box<[u8]>, T)> = self.entries.drain(..).map(|e| (e.text, e.value)).collect();
        list.push((text, value));
        *self = Prefixes::new(list, |_, _| ());
    }

    /// The listed prefixes of `text`, longest first, as length and value.
    pub(crate) fn of<'a>(&'a self, text: &[u8]) -> impl Iterator<Item = (usize, &'a T)> {
        let after = self.entries.partition_point(|e| &*e.text <= text);
        let mut at = after.wrapping_sub(1);
        let shared = self
            .entries
            .get(at)
            .map_or(0, |e| e.text.iter().zip(text).take_while(|(a, b)| a == b).count());
        std::iter::from_fn(move || {
            loop {
                let entry = self.entries.get(at)?;
                at = entry.parent;
                if entry.text.len() <= shared {
                    return Some((entry.text.len(), &entry.value));
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(
            list in prop::collection::vec("[ab]{0,5}", 0..30),
            text in "[ab]{0,8}",
        ) {
            let entries = list.iter().map(|t| (t.as_bytes().into(), ())).collect();
            let index = Prefixes::new(entries, |(), ()| ());
            let found: Vec<usize> = index.of(text.as_bytes()).map(|(length, ())| length).collect();
            let mut wanted: Vec<usize> =
                list.iter().filter(|t| text.starts_with(t.as_str())).map(String::len).collect();
            wanted.sort_unstable_by(|a, b| b.cmp(a));
            wanted.dedup();
            prop_assert_eq!(found, wanted);
        }
    }
}
