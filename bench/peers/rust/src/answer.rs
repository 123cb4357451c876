//! What the program says on its standard output, a line each.

use crate::{Recorder, Result};
use std::io::Read;
use std::time::Instant;

/// Says that what is measured begins now.
pub fn began() -> Instant {
    println!("{}", serde_json::json!({ "began": true }));
    Instant::now()
}

/// Tasks that were added and not run: as many as are left should be there.
pub fn added(tasks: u32, seconds: f64, left: u64) {
    let tasks = u64::from(tasks);
    let (missing, doubled) = (tasks.saturating_sub(left), left.saturating_sub(tasks));
    println!(
        "{}",
        serde_json::json!({ "tasks": tasks, "seconds": seconds, "missing": missing, "doubled": doubled })
    );
}

/// Tasks that ran.
pub fn ran(tasks: u32, seconds: f64, recorder: &Recorder) {
    println!(
        "{}",
        serde_json::json!({
            "tasks": tasks,
            "seconds": seconds,
            "missing": recorder.missing(),
            "doubled": recorder.doubled(),
            "p50_us": recorder.waited_us(50),
            "p99_us": recorder.waited_us(99),
        })
    );
}

/// Stays until whoever asked has looked at the process and closes its standard input.
pub fn stay() -> Result<()> {
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
