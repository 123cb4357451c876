//! Rounds of floor and engine in turn, each half in a process of its own.

use crate::Result;
use crate::place::Scratch;
use crate::record::Record;
use crate::sample::Sample;
use crate::shape::{Half, Shape};
use crate::shapes;
use std::process::{Command, Stdio};

/// Measures all shapes, or the one of that name.
pub(crate) fn run(only: Option<&str>, rounds: usize) -> Result<()> {
    let chosen: Vec<&Shape> = match only {
        Some(name) => vec![find(name)?],
        None => shapes::ALL.iter().collect(),
    };
    for shape in chosen {
        measure(shape, rounds)?;
    }
    Ok(())
}

/// One half of one round, here; its figures go to the standard output.
pub(crate) fn sample_here(name: &str, half: Half) -> Result<()> {
    let shape = find(name)?;
    let scratch = Scratch::new(&format!("{name}-{}", half.name()))?;
    let work = match half {
        Half::Floor => shape.floor,
        Half::Engine => shape.engine.ok_or_else(|| format!("`{name}` has no engine half"))?,
    };
    println!("{}", serde_json::to_string(&work(&scratch)?)?);
    Ok(())
}

fn find(name: &str) -> Result<&'static Shape> {
    shapes::ALL.iter().find(|shape| shape.name == name).ok_or_else(|| {
        let known: Vec<_> = shapes::ALL.iter().map(|shape| shape.name).collect();
        format!("unknown shape `{name}` (known: {})", known.join(", ")).into()
    })
}

/// Floor, engine, floor, engine: whoever disturbs the machine disturbs both.
fn measure(shape: &Shape, rounds: usize) -> Result<()> {
    let (mut floors, mut engines) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        floors.push(sample_apart(shape, Half::Floor, round)?);
        if shape.engine.is_some() {
            engines.push(sample_apart(shape, Half::Engine, round)?);
        }
    }
    let floor = Sample::median(&floors).ok_or("no round was run")?;
    Record::new("floor", shape, floor, None).append()?;
    if let Some(engine) = Sample::median(&engines) {
        let record = Record::new("engine", shape, engine, Some(&floor));
        println!("{}: {:.3} of the floor", shape.name, record.ratio.unwrap_or_default());
        record.append()?;
    }
    Ok(())
}

fn sample_apart(shape: &Shape, half: Half, round: usize) -> Result<Sample> {
    let mut child = Command::new(std::env::current_exe()?);
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
