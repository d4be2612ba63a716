//! Work that shares nothing, done by several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does the work for every item, and returns what came of it in the order of the items.
pub fn in_threads<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((place, item)) =
                    Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|place| Some((place, items.get(place)?)))
                {
                    let result = work(item);
                    done.lock().unwrap_or_else(|broken| broken.into_inner()).push((place, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|broken| broken.into_inner());
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}
