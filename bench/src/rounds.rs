//! Rounds of all shapes and their halves in turn, each half in a process of its own.

use crate::place::{self, Scratch};
use crate::record::Record;
use crate::sample::Sample;
use crate::shape::{Half, Shape};
use crate::{Result, shapes, table};
use std::process::Stdio;

/// A shape with what its halves measured so far, in the order of [`Half::ALL`].
struct Measured {
    shape: &'static Shape,
    rounds: [Vec<Sample>; Half::ALL.len()],
    /// What went wrong: the shape is left alone from then on, and the others keep their figures.
    fault: Option<String>,
}

/// Measures all shapes, or the one of that name and those that it is compared with; shows how they stand.
///
/// Every round goes through all of them: whoever disturbs the machine disturbs all.
pub(crate) fn run(only: Option<&str>, rounds: usize) -> Result<()> {
    let mut all: Vec<Measured> = chosen(only)?
        .into_iter()
        .map(|shape| Measured { shape, rounds: Default::default(), fault: None })
        .collect();
    for round in 1..=rounds {
        for measured in all.iter_mut().filter(|measured| measured.wants(round)) {
            measured.fault = measured.measure(round).err().map(|fault| fault.to_string());
        }
    }
    let mut records = Vec::new();
    for measured in all.iter().filter(|measured| measured.fault.is_none()) {
        records.extend(measured.records()?);
    }
    records.iter().try_for_each(Record::append)?;
    print!("{}", table::render(&records));
    let faults: Vec<String> = all.into_iter().filter_map(|measured| measured.fault).collect();
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}

/// One half of one round, here; its figures go to the standard output.
pub(crate) fn sample_here(name: &str, half: Half) -> Result<()> {
    let shape = find(name)?;
    let work = half.of(shape).ok_or_else(|| format!("`{name}` has no {} half", half.name()))?;
    let scratch = Scratch::new(&format!("{name}-{}", half.name()))?;
    println!("{}", serde_json::to_string(&work(&scratch)?)?);
    Ok(())
}

fn chosen(only: Option<&str>) -> Result<Vec<&'static Shape>> {
    let Some(name) = only else { return Ok(shapes::ALL.iter().collect()) };
    let shape = find(name)?;
    let peers = shape.bars.iter().filter_map(|bar| bar.peer());
    let mut chosen = peers.map(find).collect::<Result<Vec<_>>>()?;
    chosen.push(shape);
    Ok(chosen)
}

fn find(name: &str) -> Result<&'static Shape> {
    shapes::ALL.iter().find(|shape| shape.name == name).ok_or_else(|| {
        let known: Vec<_> = shapes::ALL.iter().map(|shape| shape.name).collect();
        format!("unknown shape `{name}` (known: {})", known.join(", ")).into()
    })
}

impl Measured {
    const fn wants(&self, round: usize) -> bool {
        self.fault.is_none() && round <= self.shape.rounds_max
    }

    fn measure(&mut self, round: usize) -> Result<()> {
        for (half, samples) in Half::ALL.into_iter().zip(&mut self.rounds) {
            if half.of(self.shape).is_some() {
                samples.push(sample_apart(self.shape, half, round)?);
            }
        }
        Ok(())
    }

    /// The medians: the floor's, and the others beside it.
    fn records(&self) -> Result<Vec<Record>> {
        let [floor, raw, engine] = self.rounds.each_ref().map(|samples| Sample::median(samples));
        let floor = floor.ok_or("no round was run")?;
        let mut records = vec![Record::new("floor", self.shape, floor, None, None)];
        records.extend(raw.map(|raw| Record::new("raw", self.shape, raw, Some(&floor), None)));
        records.extend(
            engine.map(|engine| Record::new("engine", self.shape, engine, Some(&floor), raw.as_ref())),
        );
        Ok(records)
    }
}

fn sample_apart(shape: &Shape, half: Half, round: usize) -> Result<Sample> {
    let mut child = place::own_program()?;
    let output = child.args(["sample", shape.name, half.name()]).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("{} {} ended with {}", shape.name, half.name(), output.status).into());
    }
    let sample: Sample = serde_json::from_slice(&output.stdout)?;
    let middle = sample.p50_us.map_or(String::new(), |micros| format!(", p50 {micros:.0} µs"));
    println!("{} {} round {round}: {:.1} {}{middle}", shape.name, half.name(), sample.rate, shape.unit);
    if sample.once == Some(false) {
        return Err(format!("{} {}: not every task ran exactly once", shape.name, half.name()).into());
    }
    Ok(sample)
}
