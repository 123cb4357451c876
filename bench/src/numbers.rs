//! The numbers of tasks that many callers add.

use std::sync::atomic::{AtomicU32, Ordering};

/// Hands out the numbers below an end, each once, to any thread.
pub(crate) struct Numbers {
    next: AtomicU32,
    end: u32,
}

impl Numbers {
    pub(crate) const fn below(end: u32) -> Self {
        Self { next: AtomicU32::new(0), end }
    }

    pub(crate) fn next(&self) -> Option<u32> {
        Some(self.next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_handed_out_once() {
        let numbers = Numbers::below(3);
        let all: Vec<u32> = std::iter::from_fn(|| numbers.next()).collect();
        assert_eq!((all, numbers.next()), (vec![0, 1, 2], None));
    }
}
