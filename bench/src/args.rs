//! What the program was asked to do.

use crate::Result;
use crate::ground::Base;
use crate::load::Load;
use crate::peers;
use crate::place::Place;
use crate::rounds::Choice;
use crate::shape::Half;
use crate::tempo::Tempo;

pub(crate) const HELP: &str = "\
steadfast-bench run [--only SHAPE] [--store STORE] [--rounds N]   measure and append to target/bench/results.jsonl
steadfast-bench peers [--peers A,B] [--only RACE] [--rounds N]    measure beside other engines (bench/peers)
steadfast-bench report                                            write docs/benchmarks.md
steadfast-bench trials                                            write docs/trials.md from what `make trials` saw
steadfast-bench floor-check STORE                                 print what the database alone can do

shapes:
";

/// Nine rounds give a median that four bad neighbours cannot move.
const ROUNDS: usize = 9;
/// More rounds than this are a mistake.
const ROUNDS_MAX: usize = 99;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Run {
        choice: Choice,
        rounds: usize,
    },
    Peers {
        choice: peers::Choice,
        rounds: usize,
    },
    Report,
    Trials,
    FloorCheck(Base),
    /// Fills a store for an engine that must not remember it: a sample calls it.
    Load {
        place: Place,
        loads: Vec<Load>,
    },
    /// Adds tasks at a steady rate: a sample that wants them from another process calls it.
    Call {
        place: Place,
        tempo: Tempo,
    },
    /// Runs some of `n` tasks: a sample that wants several workers calls it.
    Work {
        place: Place,
        n: u32,
    },
    /// One half of one round, in a process of its own: `run` calls it.
    Sample {
        base: Base,
        shape: String,
        half: Half,
    },
    Help,
}

pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Command> {
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["run", options @ ..] => parse_run(options),
        ["peers", options @ ..] => parse_peers(options),
        ["report"] => Ok(Command::Report),
        ["trials"] => Ok(Command::Trials),
        ["floor-check", base] => Ok(Command::FloorCheck(base.parse()?)),
        ["sample", base, shape, half] => {
            Ok(Command::Sample { base: base.parse()?, shape: (*shape).into(), half: half.parse()? })
        }
        ["call", place, tempo] => Ok(Command::Call { place: place.parse()?, tempo: tempo.parse()? }),
        ["work", place, n] => Ok(Command::Work { place: place.parse()?, n: n.parse()? }),
        ["load", place, loads @ ..] => {
            let loads = loads.iter().map(|load| load.parse()).collect::<std::result::Result<_, _>>()?;
            Ok(Command::Load { place: place.parse()?, loads })
        }
        [] | ["help" | "--help" | "-h"] => Ok(Command::Help),
        other => Err(format!("cannot read `{}`; try --help", other.join(" ")).into()),
    }
}

fn parse_run(mut options: &[&str]) -> Result<Command> {
    let (mut choice, mut rounds) = (Choice::default(), ROUNDS);
    loop {
        options = match options {
            [] => return Ok(Command::Run { choice, rounds }),
            ["--only", name, rest @ ..] => {
                choice.name = Some((*name).to_owned());
                rest
            }
            ["--store", base, rest @ ..] => {
                choice.base = Some(base.parse()?);
                rest
            }
            ["--rounds", number, rest @ ..] => {
                rounds = parse_rounds(number)?;
                rest
            }
            [other, ..] => return Err(format!("cannot read `{other}`; try --help").into()),
        };
    }
}

fn parse_peers(mut options: &[&str]) -> Result<Command> {
    let (mut choice, mut rounds) = (peers::Choice::default(), ROUNDS);
    loop {
        options = match options {
            [] => return Ok(Command::Peers { choice, rounds }),
            ["--peers", names, rest @ ..] => {
                choice.peers = Some(names.split(',').map(str::to_owned).collect());
                rest
            }
            ["--only", name, rest @ ..] => {
                choice.race = Some((*name).to_owned());
                rest
            }
            ["--rounds", number, rest @ ..] => {
                rounds = parse_rounds(number)?;
                rest
            }
            [other, ..] => return Err(format!("cannot read `{other}`; try --help").into()),
        };
    }
}

fn parse_rounds(number: &str) -> Result<usize> {
    let rounds = number.parse().ok().filter(|rounds| (1..=ROUNDS_MAX).contains(rounds));
    rounds.ok_or_else(|| format!("`{number}` is no number of rounds; use 1 to {ROUNDS_MAX}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, expected: std::result::Result<Command, &str>) {
        let seen = parse(words.split_whitespace().map(str::to_owned)).map_err(|error| error.to_string());
        assert_eq!(seen, expected.map_err(str::to_owned));
    }

    #[test]
    fn words_become_a_command_or_a_reason() {
        check("", Ok(Command::Help));
        check("run", Ok(Command::Run { choice: Choice::default(), rounds: 9 }));
        let choice = Choice { base: Some(Base::Postgres), name: Some("drain".into()) };
        check("run --rounds 3 --only drain --store postgres", Ok(Command::Run { choice, rounds: 3 }));
        check("run --store paper", Err("no store `paper` (known: sqlite, postgres, mysql)"));
        check("run --rounds 0", Err("`0` is no number of rounds; use 1 to 99"));
        check("peers", Ok(Command::Peers { choice: peers::Choice::default(), rounds: 9 }));
        let choice = peers::Choice { peers: Some(vec!["a".into(), "b".into()]), race: Some("add".into()) };
        check("peers --peers a,b --only add --rounds 1", Ok(Command::Peers { choice, rounds: 1 }));
        check("run --only", Err("cannot read `--only`; try --help"));
        let (base, half) = (Base::Sqlite, Half::Floor);
        check("sample sqlite drain floor", Ok(Command::Sample { base, shape: "drain".into(), half }));
        check("sample sqlite drain roof", Err("no half `roof` (known: floor, raw, engine)"));
        let place = Place::File("a.db".into());
        let tempo = Tempo { n: 500, each: 1, every_us: 10_000 };
        check("call sqlite:a.db 500:1:10000", Ok(Command::Call { place: place.clone(), tempo }));
        check("work sqlite:a.db 7", Ok(Command::Work { place, n: 7 }));
        check("load sqlite:a.db fast=1", Err("`fast=1` is no load; write ready=1000"));
        check("fly", Err("cannot read `fly`; try --help"));
    }
}
