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

/// Waits on this thread until the answer is there. Where the thread runs tasks too, they all wait.
pub fn wait<T>(answer: impl Future<Output = T>) -> T {
    // On a thread that runs tasks tokio would put a wake-up off until the task is left, which is never while it waits here.
    let mut answer = pin!(tokio::task::unconstrained(answer));
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
    fn answers_are_waited_for_inside_a_task_however_many_they_are() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            for number in 0..1000 {
                let (tell, told) = oneshot::channel();
                tell.send(number).unwrap();
                assert_eq!(wait(told), Ok(number));
            }
        });
    }

    #[test]
    fn an_answer_of_another_thread_is_waited_for() {
        let (tell, told) = oneshot::channel();
        let other = std::thread::spawn(move || tell.send(7));
        assert_eq!(wait(told), Ok(7));
        assert_eq!(other.join().unwrap(), Ok(()));
    }
}
