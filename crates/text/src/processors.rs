//! Work on all processors.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

/// Does `work` for every item and gives the results in the order of the items. Each thread first makes what it works with.
pub(crate) fn on_all<I: Sync, S: Default, R: Send, E: Send>(
    items: &[I],
    work: impl Fn(&mut S, &I) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(items.len());
    let next = AtomicUsize::new(0);
    let run = || {
        let (mut own, mut done) = (S::default(), Vec::new());
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else {
                return Ok(done);
            };
            done.push((at, work(&mut own, item)?));
        }
    };
    let results: Vec<Result<Vec<(usize, R)>, E>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        let joined = workers.into_iter().map(ScopedJoinHandle::join);
        joined
            .map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    let mut done = Vec::with_capacity(items.len());
    for result in results {
        done.extend(result?);
    }
    done.sort_unstable_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

#[cfg(test)]
mod tests {
    use super::on_all;

    #[test]
    fn results_come_in_the_order_of_what_was_given() {
        let numbers: Vec<u64> = (0..1000).collect();
        let doubled = on_all(&numbers, |(): &mut (), number| Ok::<_, ()>(number * 2));
        assert_eq!(doubled, Ok(numbers.iter().map(|number| number * 2).collect()));
        let failed = on_all(
            &numbers,
            |(): &mut (), number| if *number == 500 { Err("so") } else { Ok(()) },
        );
        assert_eq!(failed, Err("so"));
        assert_eq!(on_all(&[0; 0], |(): &mut (), _| Ok::<_, ()>(())), Ok(vec![]));
    }
}
