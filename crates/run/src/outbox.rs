//! What the scheduler has for another stage. It never waits for a full channel, so that it can always be told something: what
//! finds no place waits here, and goes in its order as soon as there is one.

use std::collections::VecDeque;
use tokio::sync::mpsc::Sender;
use tokio::sync::mpsc::error::TrySendError;

pub(crate) struct Outbox<T> {
    sender: Sender<T>,
    waiting: VecDeque<T>,
}

impl<T> Outbox<T> {
    pub(crate) fn new(sender: Sender<T>) -> Outbox<T> {
        Outbox {
            sender,
            waiting: VecDeque::new(),
        }
    }

    /// The channel itself, for tasks that may wait.
    pub(crate) fn sender(&self) -> &Sender<T> {
        &self.sender
    }

    /// A stage that has ended has sent the reason as news, so what is sent to it is dropped.
    pub(crate) fn push(&mut self, value: T) {
        if !self.waiting.is_empty() {
            self.waiting.push_back(value);
        } else if let Err(TrySendError::Full(value)) = self.sender.try_send(value) {
            self.waiting.push_back(value);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Waits until everything is on its way. It may be broken off: what has not gone goes the next time.
    pub(crate) async fn flush(&mut self) {
        while !self.waiting.is_empty() {
            let Ok(place) = self.sender.reserve().await else {
                return self.waiting.clear();
            };
            if let Some(value) = self.waiting.pop_front() {
                place.send(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::mpsc::channel;

    #[test]
    fn what_finds_no_place_goes_later_and_in_its_order() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime").block_on(async {
            let (sender, mut taken) = channel(2);
            let mut outbox = Outbox::new(sender);
            (0..6).for_each(|number| outbox.push(number));
            assert!(!outbox.is_empty());
            let mut all = Vec::new();
            while all.len() < 6 {
                tokio::select! {
                    biased;
                    () = outbox.flush(), if !outbox.is_empty() => {}
                    number = taken.recv() => all.extend(number),
                }
            }
            assert_eq!(all, [0, 1, 2, 3, 4, 5]);
            drop(taken);
            outbox.push(7);
            assert!(outbox.is_empty(), "nobody is there to take it");
        });
    }
}
