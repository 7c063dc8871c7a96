//! Same if the tree is the same once comments, scripts, styles, nonces, attribute order and blanks are left out (E2).

use super::Entry;
use crate::equality::{Equality, Side, Verdict};

pub(super) const ENTRY: Entry = Entry {
    name: "normalised",
    options: &[],
    make: |_| Ok(Box::new(Normalised)),
};

#[derive(Debug)]
struct Normalised;

impl Equality for Normalised {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn same(&self, before: &Side, now: &Side) -> Verdict {
        if before.bytes() == now.bytes() || before.content().normal_digest == now.content().normal_digest {
            return Verdict::same();
        }
        Verdict::different("normalised: other mark-up")
    }
}
