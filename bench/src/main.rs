//! What Steadfast does beside what its database alone can do on the same machine.
//!
//! A *shape* is one kind of load. It has a floor, raw statements on a lean table without any engine, and an engine
//! half; where it is about speed also a raw half, plain statements on the store's own tables without the engine.
//! They run in turn, each in a process of its own, so that what disturbs one disturbs the others and none sees
//! another's memory; medians are kept.
//!
//! `peers` sets it beside other engines: [`peers`] tells how.
//!
//! `run` appends to `target/bench/results.jsonl`; `report` makes `docs/benchmarks.md` of it. `trials` makes
//! `docs/trials.md` of the rows that trials left.

mod args;
mod bar;
mod caller;
mod counters;
mod crew;
mod date;
mod engine;
mod floor;
mod ground;
mod load;
mod machine;
mod meter;
mod numbers;
mod pad;
mod peers;
mod percentile;
mod place;
mod plain;
mod raw;
mod record;
mod recorder;
mod report;
mod rounds;
mod sample;
mod server;
mod shape;
mod shapes;
mod single;
mod table;
mod tempo;
mod trials;
mod wal;
mod written;

use args::Command;
use std::process::ExitCode;

/// Whatever goes wrong ends the program with its text: there is nobody to branch on it.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    match obey() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn obey() -> Result<()> {
    match args::parse(std::env::args().skip(1))? {
        Command::Run { choice, rounds } => rounds::run(&choice, rounds),
        Command::Peers { choice, rounds } => peers::run(&choice, rounds),
        Command::Report => report::write(),
        Command::Trials => trials::write(),
        Command::FloorCheck(base) => floor::print_figures(base),
        Command::Load { place, loads } => load::here(&place, &loads),
        Command::Call { place, tempo } => shapes::call_here(&place, tempo),
        Command::Work { place, n } => crew::work_here(&place, n),
        Command::Sample { base, shape, half } => rounds::sample_here(base, &shape, half),
        Command::Help => {
            print!("{}", args::HELP);
            for shape in shapes::ALL {
                println!("  {:<8} {:<20} {}", shape.base.name(), shape.name, shape.what);
            }
            Ok(())
        }
    }
}
