//! Same if the bytes are the same (E1).

use super::Entry;
use crate::equality::{Equality, Side, Verdict};

pub(super) const ENTRY: Entry = Entry {
    name: "exact",
    options: &[],
    make: |_| Ok(Box::new(Exact)),
};

#[derive(Debug)]
struct Exact;

impl Equality for Exact {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn same(&self, before: &Side, now: &Side) -> Verdict {
        if before.bytes() == now.bytes() {
            return Verdict::same();
        }
        Verdict::different("exact: other bytes")
    }
}
