//! The `steadfast` command.

mod demo;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// See, add and operate durable tasks.
#[derive(Debug, Parser)]
#[command(name = "steadfast", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::DemoArgs),
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().command {
        Command::Demo(args) => demo::run(args).await,
    }
}
