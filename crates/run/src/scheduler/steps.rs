//! Steps come one after the other: the rows of a step are taken up when everything of the one before is done (A2).

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepBarrier {
    step: u32,
    last: u32,
}

impl StepBarrier {
    /// `last`: the number of the last step; 0 where there is one only, or none.
    pub(crate) fn new(last: u32) -> StepBarrier {
        StepBarrier { step: 0, last }
    }

    /// Everything of a step is done: the next one's turn. None where there is no further.
    pub(crate) fn next(&mut self) -> Option<u32> {
        let is_next = self.step < self.last;
        is_next.then(|| {
            self.step += 1;
            self.step
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a2_each_step_has_its_turn() {
        let mut steps = StepBarrier::new(2);
        assert_eq!(
            [steps.next(), steps.next(), steps.next()],
            [Some(1), Some(2), None]
        );
        assert_eq!(StepBarrier::new(0).next(), None);
    }
}
