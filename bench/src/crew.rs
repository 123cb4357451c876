//! Workers in processes of their own, which say over their standard output how far they are.
//!
//! A worker prints a line when its store is open, starts at the first line that it reads, prints how many handlers it
//! has called whenever that is more, and when its standard input ends it drains and prints the numbers of all tasks
//! that it ran.

use crate::Result;
use crate::engine::{self, KIND};
use crate::meter;
use crate::place::{self, Place};
use crate::recorder::Recorder;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use steadfast::Retention;

/// How often a worker says how far it is.
const SAY_EVERY: Duration = Duration::from_millis(2);

/// Workers on one store. One that is dropped ends with its standard input.
pub(crate) struct Crew {
    n: u32,
    workers: Vec<Worker>,
}

struct Worker {
    child: Child,
    /// None when it was told to end.
    stdin: Option<ChildStdin>,
    runs: Arc<AtomicU32>,
    /// Hears what it says; answers with what it ran.
    hearing: JoinHandle<std::result::Result<Vec<u32>, String>>,
    cpu_ms_before: f64,
}

impl Crew {
    /// So many workers for `n` numbered tasks, all with their stores open.
    pub(crate) fn open(place: &Place, n: u32, workers: usize) -> Result<Self> {
        let workers = (0..workers).map(|_| Worker::open(place, n)).collect::<Result<_>>()?;
        Ok(Self { n, workers })
    }

    pub(crate) fn start(&mut self) -> Result<()> {
        for worker in &mut self.workers {
            let stdin = worker.stdin.as_mut().ok_or("the worker has ended")?;
            stdin.write_all(b"start\n")?;
            stdin.flush()?;
        }
        Ok(())
    }

    /// Handlers that all of them have called.
    pub(crate) fn runs(&self) -> u32 {
        self.workers.iter().map(|worker| worker.runs.load(Ordering::Relaxed)).sum()
    }

    /// Processor time of all since they were open, and the memory of the largest.
    pub(crate) fn costs(&self) -> Result<(f64, f64)> {
        let (mut cpu_ms, mut rss_mb) = (0.0, 0.0_f64);
        for worker in &self.workers {
            let process = worker.child.id().to_string();
            cpu_ms += meter::cpu_ms(&process)? - worker.cpu_ms_before;
            rss_mb = rss_mb.max(meter::rss_peak_mb(&process)?);
        }
        Ok((cpu_ms, rss_mb))
    }

    /// Lets all of them drain; says who ran.
    pub(crate) fn stop(mut self) -> Result<Recorder> {
        let recorder = Recorder::new(self.n);
        for worker in &mut self.workers {
            worker.stdin = None;
        }
        for worker in self.workers {
            for number in worker.stop()? {
                recorder.hit(number);
            }
        }
        Ok(recorder)
    }
}

impl Worker {
    fn open(place: &Place, n: u32) -> Result<Self> {
        let mut program = place::own_program()?;
        let mut child = program
            .arg("work")
            .args([place.to_string(), n.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take();
        let mut stdout = BufReader::new(child.stdout.take().ok_or("a worker without an output")?);
        stdout.read_line(&mut String::new())?;
        let runs = Arc::new(AtomicU32::new(0));
        let heard = Arc::clone(&runs);
        let hearing = std::thread::spawn(move || hear(stdout, &heard));
        let cpu_ms_before = meter::cpu_ms(&child.id().to_string())?;
        Ok(Self { child, stdin, runs, hearing, cpu_ms_before })
    }

    fn stop(mut self) -> Result<Vec<u32>> {
        let ran = self.hearing.join().map_err(|_| "the thread that hears a worker panicked")??;
        let status = self.child.wait()?;
        if status.success() { Ok(ran) } else { Err(format!("a worker ended with {status}").into()) }
    }
}

fn hear(stdout: BufReader<ChildStdout>, runs: &AtomicU32) -> std::result::Result<Vec<u32>, String> {
    for line in stdout.lines() {
        let line = line.map_err(|error| error.to_string())?;
        match line.parse() {
            Ok(n) => runs.store(n, Ordering::Relaxed),
            Err(_) => return serde_json::from_str(&line).map_err(|error| error.to_string()),
        }
    }
    Err("a worker did not say what it ran".into())
}

/// What one of them does.
pub(crate) fn work_here(place: &Place, n: u32) -> Result<()> {
    engine::block_on(async {
        let recorder = Arc::new(Recorder::new(n));
        let builder = engine::open(place).await?;
        let builder = engine::with_noops(builder, &[KIND], &recorder, Retention::Delete);
        println!("0");
        std::io::stdin().read_line(&mut String::new())?;
        let engine = builder.start().await?;
        let told = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let mut said = 0;
        while !told.is_finished() {
            tokio::time::sleep(SAY_EVERY).await;
            let runs = recorder.hits();
            if runs > said {
                println!("{runs}");
                said = runs;
            }
        }
        let _ = engine.drain().await?;
        println!("{}", serde_json::to_string(&recorder.all())?);
        Ok(())
    })
}
