//! Which elements of an XML file are open, and whether what is in them is read.

/// The elements that are open, the innermost last. One may be left out with all that is in it.
#[derive(Debug, Default)]
pub(super) struct Elements {
    names: Vec<Box<str>>,
    /// From this depth on nothing is read.
    skip_from: Option<usize>,
}

impl Elements {
    /// An element begins; whether it is read.
    pub(super) fn begin(&mut self, name: &str) -> bool {
        self.names.push(name.into());
        self.skip_from.is_none()
    }

    /// Leaves out the innermost element.
    pub(super) fn skip(&mut self) {
        self.skip_from.get_or_insert(self.names.len());
    }

    pub(super) fn is_skipped(&self) -> bool {
        self.skip_from.is_some()
    }

    /// The innermost element ends; its name where it was read.
    pub(super) fn end(&mut self) -> Option<Box<str>> {
        let depth = self.names.len();
        let name = self.names.pop()?;
        match self.skip_from {
            None => Some(name),
            Some(from) => {
                if depth <= from {
                    self.skip_from = None;
                }
                None
            }
        }
    }

    pub(super) fn innermost(&self) -> Option<&str> {
        self.names.last().map(AsRef::as_ref)
    }

    /// The element around the innermost.
    pub(super) fn parent(&self) -> Option<&str> {
        self.names.iter().rev().nth(1).map(AsRef::as_ref)
    }

    /// Whether one of these is open.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.names.iter().any(|name| names.contains(&name.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::Elements;

    #[test]
    fn what_is_left_out_ends_with_its_own_element() {
        let mut open = Elements::default();
        assert!(open.begin("body"));
        assert!(open.begin("del"));
        open.skip();
        assert!(!open.begin("del"), "what is in it is not read");
        open.skip();
        assert_eq!(open.end(), None);
        assert!(open.is_skipped(), "the outer one is still open");
        assert_eq!(open.end(), None);
        assert!(open.begin("p"));
        assert_eq!(
            (open.innermost(), open.parent(), open.has(&["del"])),
            (Some("p"), Some("body"), false)
        );
        assert_eq!(open.end().as_deref(), Some("p"));
        assert_eq!(open.end().as_deref(), Some("body"));
        assert_eq!(open.end(), None, "there may be more ends than beginnings");
    }
}
