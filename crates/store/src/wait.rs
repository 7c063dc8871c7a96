//! For callers that have a thread of their own and no runtime: waits for what a store answers.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread until the answer is there. Never on a thread that runs tasks: they would all wait.
pub fn wait<T>(answer: impl Future<Output = T>) -> T {
    let mut answer = pin!(answer);
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    loop {
        match answer.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::wait;
    use tokio::sync::oneshot;

    #[test]
    fn an_answer_of_another_thread_is_waited_for() {
        let (tell, told) = oneshot::channel();
        let other = std::thread::spawn(move || tell.send(7));
        assert_eq!(wait(told), Ok(7));
        assert_eq!(other.join().unwrap(), Ok(()));
    }
}
