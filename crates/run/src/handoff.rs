//! A bounded channel from tasks to threads: a task waits for a place without holding its thread up.

use crossbeam_channel::{Receiver, Sender, bounded};
use std::sync::Arc;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// The end for tasks.
pub(crate) struct ToThreads<T> {
    sender: Option<Sender<Item<T>>>,
    places: Arc<Semaphore>,
    came: Arc<Notify>,
}

/// The end for threads, or for one task that does their work.
pub(crate) struct FromTasks<T> {
    receiver: Receiver<Item<T>>,
    came: Arc<Notify>,
}

struct Item<T> {
    value: T,
    /// Free for the next one when somebody took this.
    _place: OwnedSemaphorePermit,
}

/// A place in the channel, for one value.
pub(crate) struct Place<'a, T> {
    to: &'a ToThreads<T>,
    place: OwnedSemaphorePermit,
}

pub(crate) fn handoff<T>(size: usize) -> (ToThreads<T>, FromTasks<T>) {
    let (sender, receiver) = bounded(size);
    let came = Arc::new(Notify::new());
    let to = ToThreads {
        sender: Some(sender),
        places: Arc::new(Semaphore::new(size)),
        came: Arc::clone(&came),
    };
    (to, FromTasks { receiver, came })
}

impl<T> Clone for ToThreads<T> {
    fn clone(&self) -> ToThreads<T> {
        ToThreads {
            sender: self.sender.clone(),
            places: Arc::clone(&self.places),
            came: Arc::clone(&self.came),
        }
    }
}

impl<T> Clone for FromTasks<T> {
    fn clone(&self) -> FromTasks<T> {
        FromTasks {
            receiver: self.receiver.clone(),
            came: Arc::clone(&self.came),
        }
    }
}

impl<T> Drop for ToThreads<T> {
    fn drop(&mut self) {
        drop(self.sender.take());
        self.came.notify_one(); // It may have been the last one.
    }
}

impl<T> ToThreads<T> {
    /// Waits for a place. None: nobody takes anything any more.
    pub(crate) async fn place(&self) -> Option<Place<'_, T>> {
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        Some(Place { to: self, place })
    }

    /// False if nobody takes anything any more.
    pub(crate) async fn send(&self, value: T) -> bool {
        match self.place().await {
            Some(place) => place.fill(value),
            None => false,
        }
    }
}

impl<T> Place<'_, T> {
    pub(crate) fn fill(self, value: T) -> bool {
        let item = Item {
            value,
            _place: self.place,
        };
        // There is room: as many places were given as the channel has.
        let is_sent = (self.to.sender.as_ref()).is_some_and(|sender| sender.try_send(item).is_ok());
        self.to.came.notify_one();
        is_sent
    }
}

impl<T> FromTasks<T> {
    /// Waits on this thread. None: nobody sends any more.
    pub(crate) fn recv(&self) -> Option<T> {
        self.receiver.recv().ok().map(|item| item.value)
    }

    /// The same for a task; there must be no other end of this kind.
    pub(crate) async fn next(&self) -> Option<T> {
        loop {
            match self.receiver.try_recv() {
                Ok(item) => return Some(item.value),
                Err(crossbeam_channel::TryRecvError::Disconnected) => return None,
                Err(crossbeam_channel::TryRecvError::Empty) => self.came.notified().await,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T>(task: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(task)
    }

    #[test]
    fn a_task_waits_for_a_place_and_a_thread_for_a_value() {
        let (to, from) = handoff(2);
        let thread = std::thread::spawn(move || {
            let mut sum = 0;
            while let Some(number) = from.recv() {
                sum += number;
            }
            sum
        });
        run(async move {
            for number in 0..1000 {
                assert!(to.send(number).await);
            }
        });
        assert_eq!(thread.join().expect("a sum"), 499_500);
    }

    #[test]
    fn no_more_wait_than_have_a_place() {
        let (to, from) = handoff(1);
        run(async {
            assert!(to.send(1).await);
            let second = tokio::time::timeout(std::time::Duration::from_millis(5), to.send(2));
            assert!(second.await.is_err(), "it is full");
            assert_eq!(from.recv(), Some(1));
            assert!(to.send(3).await);
            assert_eq!(from.next().await, Some(3));
            drop(to);
            assert_eq!(from.next().await, None);
        });
    }

    #[test]
    fn who_sends_to_nobody_is_told() {
        let (to, from) = handoff(1);
        drop(from);
        assert!(!run(to.send(1)));
    }
}
