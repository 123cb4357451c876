//! One run of a round: somebody goes through a race.

use super::answer::Answer;
use super::database::{self, Database};
use super::peer::Peer;
use super::program::{Cost, Program};
use super::race::{self, Load, Race};
use crate::Result;
use crate::place::{self, Place};
use crate::sample::Sample;
use crate::server::Server;
use std::fs::File;
use std::process::Stdio;

/// Who goes through a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Runner {
    Floor,
    Steadfast,
    Peer(&'static Peer),
}

pub(super) struct Heat<'a> {
    pub(super) runner: Runner,
    pub(super) race: &'a Race,
    pub(super) round: usize,
}

/// What was measured, and how many tasks were not seen exactly once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) sample: Sample,
    pub(super) missing: u32,
    pub(super) doubled: u32,
}

impl Runner {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Steadfast => "Steadfast",
            Self::Peer(peer) => peer.name,
        }
    }
}

impl Heat<'_> {
    pub(super) fn run(&self) -> Result<Outcome> {
        database::settle()?;
        match self.runner {
            Runner::Floor => sample_own(self.race, "floor"),
            Runner::Steadfast => sample_own(self.race, "engine"),
            Runner::Peer(peer) => Turn::new(peer)?.run(self.race.load),
        }
    }
}

/// Our own halves take part through the shapes, as they are.
fn sample_own(race: &Race, half: &str) -> Result<Outcome> {
    let output = place::own_program()?
        .args(["sample", "postgres", race.shape, half])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("the sample ended with {}", output.status).into());
    }
    let sample: Sample = serde_json::from_slice(&output.stdout)?;
    if sample.once == Some(false) {
        return Err("not every task ran exactly once".into());
    }
    Ok(Outcome { sample, missing: 0, doubled: 0 })
}

/// A peer with a database and a log of its own.
struct Turn {
    peer: &'static Peer,
    database: Database,
    server: Option<Server>,
    log: File,
}

impl Turn {
    fn new(peer: &'static Peer) -> Result<Self> {
        let path = place::root().join("target/peers").join(format!("{}.log", peer.name));
        Ok(Self {
            peer,
            database: Database::new()?,
            server: Server::of(&Place::Schema("public".into()))?,
            log: File::options().append(true).create(true).open(path)?,
        })
    }

    fn run(&self, load: Load) -> Result<Outcome> {
        let tasks = load.tasks(self.peer);
        match load {
            Load::Drain => {
                self.measure("fill", tasks, &[])?;
                self.measure("drain", tasks, &[])
            }
            Load::Add => self.measure("add", tasks, &[("--callers", race::ADDERS)]),
            Load::Cycle => self.measure("cycle", tasks, &[("--callers", race::CYCLERS)]),
            Load::Latency => self.measure("latency", tasks, &[("--rate", race::RATE)]),
            Load::LatencyApart => self.measure_apart(tasks),
        }
    }

    fn measure(&self, load: &str, tasks: u32, options: &[(&str, u32)]) -> Result<Outcome> {
        let program = self.start(load, tasks, options)?;
        program.wait_until_began()?;
        let (answer, cost) = program.finish(self.server)?;
        Ok(outcome(answer.checked(tasks)?, cost))
    }

    fn measure_apart(&self, tasks: u32) -> Result<Outcome> {
        let serving = self.start("serve", tasks, &[])?;
        serving.wait_until_began()?;
        let calling = self.start("call", tasks, &[("--rate", race::RATE)])?;
        let (answer, cost) = serving.finish(self.server)?;
        calling.wait_until_began()?;
        calling.finish(None)?;
        Ok(outcome(answer.checked(tasks)?, cost))
    }

    fn start(&self, load: &str, tasks: u32, options: &[(&str, u32)]) -> Result<Program> {
        let mut command = self.peer.command();
        command.args([load, "--url", self.database.url(), "--tasks", &tasks.to_string()]);
        for (option, value) in options {
            command.args([*option, &value.to_string()]);
        }
        Program::start(command, &self.log)
    }
}

fn outcome(answer: Answer, cost: Cost) -> Outcome {
    let n = f64::from(answer.tasks);
    let each = |spent_ms: f64| spent_ms * 1000.0 / n;
    let sample = Sample {
        n: answer.tasks,
        seconds: answer.seconds,
        rate: n / answer.seconds,
        p50_us: answer.p50_us,
        p99_us: answer.p99_us,
        cpu_ms_1k: Some(each(cost.cpu_ms)),
        server_cpu_ms_1k: cost.server_cpu_ms.map(each),
        rss_mb: Some(cost.rss_mb),
        once: Some(answer.is_once()),
        ..Sample::default()
    };
    Outcome { sample, missing: answer.missing, doubled: answer.doubled }
}
