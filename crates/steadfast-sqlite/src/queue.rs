//! The line in which jobs wait for a thread.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Jobs that may wait at once. The engine gathers, so that many mean a caller who does not wait for answers.
pub(crate) const QUEUE_JOBS_MAX: usize = 100_000;

/// Many put in, some take out.
pub(crate) struct Queue<T> {
    line: Mutex<Line<T>>,
    news: Condvar,
}

struct Line<T> {
    /// Signs of life, which must not wait behind a backlog.
    urgent: VecDeque<T>,
    plain: VecDeque<T>,
    nudged: bool,
    closed: bool,
}

/// What a thread that takes may hear.
pub(crate) enum Taken<T> {
    /// These.
    Jobs(VecDeque<T>),
    /// Nothing for so long, or somebody wants the thread to look around.
    Nothing,
    /// Nothing is left and nothing will come.
    Closed,
}

/// Why a job was not put in.
pub(crate) enum Full {
    /// Too many wait.
    Full,
    /// The threads are gone.
    Closed,
}

impl<T> Queue<T> {
    pub(crate) fn new() -> Self {
        let line = Line { urgent: VecDeque::new(), plain: VecDeque::new(), nudged: false, closed: false };
        Self { line: Mutex::new(line), news: Condvar::new() }
    }

    /// Puts a job in line, in front of all plain ones if it is urgent.
    pub(crate) fn push(&self, job: T, urgent: bool) -> Result<(), Full> {
        let mut line = self.lock();
        if line.closed {
            return Err(Full::Closed);
        }
        if line.plain.len() >= QUEUE_JOBS_MAX {
            return Err(Full::Full);
        }
        let side = if urgent { &mut line.urgent } else { &mut line.plain };
        side.push_back(job);
        drop(line);
        self.news.notify_one();
        Ok(())
    }

    /// Wakes a thread that waits, without a job.
    pub(crate) fn nudge(&self) {
        self.lock().nudged = true;
        self.news.notify_one();
    }

    /// What is in line is still worked off, nothing comes after it.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.news.notify_all();
    }

    /// Takes jobs from the front while they fit, at least one; waits for the first.
    pub(crate) fn take(&self, wait: Option<Duration>, mut fits: impl FnMut(&T) -> bool) -> Taken<T> {
        let mut line = self.lock();
        if line.is_empty() && !line.closed && !line.nudged {
            line = self.wait(line, wait);
        }
        line.nudged = false;
        let mut jobs = VecDeque::new();
        while let Some(job) = line.front() {
            if !fits(job) && !jobs.is_empty() {
                break;
            }
            jobs.extend(line.pop());
        }
        match (jobs.is_empty(), line.closed) {
            (false, _) => Taken::Jobs(jobs),
            (true, false) => Taken::Nothing,
            (true, true) => Taken::Closed,
        }
    }

    fn wait<'a>(&self, line: MutexGuard<'a, Line<T>>, wait: Option<Duration>) -> MutexGuard<'a, Line<T>> {
        match wait {
            Some(wait) => self.news.wait_timeout(line, wait).unwrap_or_else(PoisonError::into_inner).0,
            None => self.news.wait(line).unwrap_or_else(PoisonError::into_inner),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line<T>> {
        // Nothing that can panic runs under the lock, so that what is in line is always whole.
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Line<T> {
    fn is_empty(&self) -> bool {
        self.urgent.is_empty() && self.plain.is_empty()
    }

    fn front(&self) -> Option<&T> {
        self.urgent.front().or_else(|| self.plain.front())
    }

    fn pop(&mut self) -> Option<T> {
        self.urgent.pop_front().or_else(|| self.plain.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(queue: &Queue<u32>, n_max: usize) -> Vec<u32> {
        let mut n = 0;
        let fits = |_: &u32| {
            n += 1;
            n <= n_max
        };
        match queue.take(Some(Duration::ZERO), fits) {
            Taken::Jobs(jobs) => jobs.into(),
            Taken::Nothing | Taken::Closed => Vec::new(),
        }
    }

    #[test]
    fn urgent_jobs_go_first_and_a_bound_is_kept() {
        let queue = Queue::new();
        for (job, urgent) in [(1, false), (2, false), (3, true), (4, false)] {
            assert!(queue.push(job, urgent).is_ok());
        }
        assert_eq!(taken(&queue, 2), [3, 1]);
        assert_eq!(taken(&queue, 0), [2], "one always fits");
        queue.close();
        assert_eq!(taken(&queue, 9), [4]);
        assert!(matches!(queue.take(None, |_| true), Taken::Closed));
        assert!(matches!(queue.push(5, false), Err(Full::Closed)));
    }

    #[test]
    fn a_line_that_is_too_long_takes_no_more() {
        let queue = Queue::new();
        for job in 0..QUEUE_JOBS_MAX {
            assert!(queue.push(job, false).is_ok());
        }
        assert!(matches!(queue.push(0, false), Err(Full::Full)));
    }
}
