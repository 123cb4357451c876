//! Figures of a load, for each of its tasks, beside their bounds.

/// What was counted so far, a sum for each figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count<const N: usize>(pub [u64; N]);

/// The most that each figure may be for a task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds<const N: usize>(pub [f64; N]);

impl<const N: usize> Count<N> {
    /// What was counted since then.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self(std::array::from_fn(|at| self.0[at] - before.0[at]))
    }

    /// The same for each of so many tasks.
    pub fn each(self, n: usize) -> [f64; N] {
        let float = |sum: u64| f64::from(u32::try_from(sum).expect("a load is small"));
        self.0.map(|sum| float(sum) / float(u64::try_from(n).expect("a load is small")))
    }
}

impl<const N: usize> Bounds<N> {
    /// Prints all figures; says what is wrong with which, and where to look.
    pub fn faults(&self, what: &str, figures: [&str; N], each: [f64; N]) -> Vec<String> {
        let mut faults = Vec::new();
        for ((figure, seen), bound) in figures.iter().zip(each).zip(self.0) {
            println!("{what}: {seen:.3} {figure} for a task (bound: {bound:.3})");
            if seen > bound {
                let above = (seen / bound - 1.0) * 100.0;
                faults.push(format!(
                    "\n{what}: {seen:.3} {figure} for a task, {above:.1} % above the bound of {bound:.3}; \"Cost\" in \
                     CONTRIBUTING.md says how to find what grew"
                ));
            }
            // A counter that stands still would guard nothing.
            if seen <= 0.0 {
                faults.push(format!("\n{what}: no {figure} were counted"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_above_its_bound_is_named_with_it() {
        let each = Count([30, 71]).since(Count([10, 10])).each(10);
        let faults = Bounds([2.0, 6.0]).faults("a store, a load", ["statements", "pages"], each);
        assert_eq!(faults.len(), 1);
        assert!(
            faults[0].contains("6.100 pages for a task, 1.7 % above the bound of 6.000"),
            "{}",
            faults[0]
        );
    }

    #[test]
    fn a_counter_that_stands_still_is_a_fault() {
        let faults = Bounds([2.0]).faults("a store, a load", ["statements"], [0.0]);
        assert_eq!(faults, ["\na store, a load: no statements were counted"]);
    }
}
