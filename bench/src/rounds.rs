//! Rounds of all shapes and their halves in turn, each half in a process of its own.

use crate::ground::{Base, Ground};
use crate::place;
use crate::record::Record;
use crate::sample::Sample;
use crate::shape::{Half, Shape};
use crate::{Result, shapes, table, trials};
use std::collections::BTreeSet;
use std::process::Stdio;

/// A shape with what its halves measured so far, in the order of [`Half::ALL`].
struct Measured {
    shape: &'static Shape,
    rounds: [Vec<Sample>; Half::ALL.len()],
    /// What went wrong: the shape is left alone from then on, and the others keep their figures.
    fault: Option<String>,
}

/// Which shapes are measured: all, those of a store, those of a name, or one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) base: Option<Base>,
    pub(crate) name: Option<String>,
}

/// Measures the chosen shapes and those that they are compared with; shows how they stand.
///
/// Every round goes through all of them: whoever disturbs the machine disturbs all. What a shape has come to is
/// written down with each of its rounds, so that a run that is broken off leaves what it saw.
pub(crate) fn run(choice: &Choice, rounds: usize) -> Result<()> {
    let commit = trials::commit()?;
    let mut all: Vec<Measured> = choice
        .shapes()?
        .into_iter()
        .map(|shape| Measured { shape, rounds: Default::default(), fault: None })
        .collect();
    for round in 1..=rounds {
        for measured in all.iter_mut().filter(|measured| measured.wants(round)) {
            match measured.measure(round) {
                Ok(()) => measured.records(&commit).iter().try_for_each(Record::append)?,
                Err(fault) => measured.fault = Some(fault.to_string()),
            }
        }
    }
    let whole = all.iter().filter(|measured| measured.fault.is_none());
    let records: Vec<Record> = whole.flat_map(|measured| measured.records(&commit)).collect();
    print!("{}", table::render(&records));
    let faults: Vec<String> = all.into_iter().filter_map(|measured| measured.fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// One half of one round, here; its figures go to the standard output.
pub(crate) fn sample_here(base: Base, name: &str, half: Half) -> Result<()> {
    let shape = find(base, name)?;
    let work = half.of(shape).ok_or_else(|| format!("`{name}` has no {} half", half.name()))?;
    let ground = Ground::new(base, &format!("{name}-{}", half.name()))?;
    println!("{}", serde_json::to_string(&work(&ground)?)?);
    Ok(())
}

impl Choice {
    /// In the order of the report, each before those that are compared with it.
    fn shapes(&self) -> Result<Vec<&'static Shape>> {
        let is_chosen = |shape: &&Shape| {
            self.base.is_none_or(|base| base == shape.base)
                && self.name.as_ref().is_none_or(|name| name == shape.name)
        };
        let mut chosen: Vec<&'static Shape> = Vec::new();
        for shape in shapes::ALL.iter().filter(is_chosen) {
            for peer in shape.bars.iter().filter_map(|bar| bar.peer()) {
                chosen.push(find(shape.base, peer)?);
            }
            chosen.push(shape);
        }
        let mut seen = BTreeSet::new();
        chosen.retain(|shape| seen.insert((shape.base, shape.name)));
        if chosen.is_empty() { Err(unknown(self.name.as_deref().unwrap_or_default())) } else { Ok(chosen) }
    }
}

fn find(base: Base, name: &str) -> Result<&'static Shape> {
    let found = shapes::ALL.iter().find(|shape| shape.base == base && shape.name == name);
    found.ok_or_else(|| unknown(name))
}

fn unknown(name: &str) -> Box<dyn std::error::Error> {
    let known: BTreeSet<_> = shapes::ALL.iter().map(|shape| shape.name).collect();
    let known: Vec<_> = known.into_iter().collect();
    format!("unknown shape `{name}` (known: {})", known.join(", ")).into()
}

impl Measured {
    const fn wants(&self, round: usize) -> bool {
        self.fault.is_none() && round <= self.shape.rounds_max
    }

    fn measure(&mut self, round: usize) -> Result<()> {
        for (half, samples) in Half::ALL.into_iter().zip(&mut self.rounds) {
            if round <= half.rounds_max() && half.of(self.shape).is_some() {
                samples.push(sample_apart(self.shape, half, round)?);
            }
        }
        Ok(())
    }

    /// The medians: the floor's, and the others beside it.
    fn records(&self, commit: &str) -> Vec<Record> {
        let [floor, raw, engine] = self.rounds.each_ref().map(|samples| Sample::median(samples));
        let beside = floor.as_ref();
        let records = [
            floor.map(|floor| Record::new("floor", self.shape, floor, None, None)),
            raw.map(|raw| Record::new("raw", self.shape, raw, beside, None)),
            engine.map(|engine| Record::new("engine", self.shape, engine, beside, raw.as_ref())),
        ];
        let records = records.into_iter().flatten();
        records.map(|record| Record { commit: commit.into(), ..record }).collect()
    }
}

fn sample_apart(shape: &Shape, half: Half, round: usize) -> Result<Sample> {
    let what = format!("{} {} {}", shape.base.name(), shape.name, half.name());
    let mut child = place::own_program()?;
    let output = child
        .args(["sample", shape.base.name(), shape.name, half.name()])
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err(format!("{what} ended with {}", output.status).into());
    }
    let sample: Sample = serde_json::from_slice(&output.stdout)?;
    let middle = sample.p50_us.map_or(String::new(), |micros| format!(", p50 {micros:.0} µs"));
    println!("{what} round {round}: {:.1} {}{middle}", sample.rate, shape.unit);
    if sample.once == Some(false) {
        return Err(format!("{what}: not every task ran exactly once").into());
    }
    Ok(sample)
}
