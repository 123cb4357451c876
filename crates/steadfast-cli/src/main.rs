//! The `steadfast` command: see, add and operate durable tasks, and watch a demonstration.

mod args;
mod ask;
mod batch;
mod commands;
mod config;
mod database;
mod demo;
mod exit;
mod filter;
mod output;
mod progress;
mod target;
mod task_view;
mod times;

use args::{Args, Command};
use clap::Parser;
use exit::Exit;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    let json = args.global.json;
    match run(args) {
        Ok(exit) => exit,
        Err(error) => exit::report(&error, json).into(),
    }
}

fn run(args: Args) -> anyhow::Result<ExitCode> {
    let global = args.global.resolved()?;
    global.color.write_global();
    let mut output = Output::new(global.json);
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let exit: Exit = match args.command {
            Command::Demo(args) => return demo::run(args, global.json).await,
            Command::Add(add) => commands::add::run(&global, &mut output, add).await,
            Command::List(list) => commands::list::run(&global, &mut output, list).await,
            Command::Show(show) => commands::show::run(&global, &mut output, show).await,
            Command::Again(again) => commands::act::again(&global, &mut output, again).await,
            Command::Ack(ack) => commands::act::ack(&global, &mut output, ack).await,
            Command::Cancel(cancel) => commands::act::cancel(&global, &mut output, cancel).await,
            Command::Pause(pause) => commands::act::pause(&global, &mut output, pause).await,
            Command::Release(release) => commands::act::release(&global, &mut output, release).await,
            Command::Reschedule(move_) => commands::act::reschedule(&global, &mut output, move_).await,
            Command::Prioritise(urge) => commands::act::prioritise(&global, &mut output, urge).await,
            Command::Workers => commands::workers::run(&global, &mut output).await,
            Command::Kinds => commands::kinds::run(&global, &mut output).await,
            Command::Migrate => commands::migrate::run(&global, &mut output).await,
            Command::Clean(clean) => commands::clean::run(&global, &mut output, clean).await,
            Command::Check => commands::check::run(&global, &mut output).await,
            Command::Completions { shell } => commands::completions::run(&mut output, shell),
        }?;
        Ok(exit.into())
    })
}
