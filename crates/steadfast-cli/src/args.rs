//! What can be said on the command line.

use crate::commands::{act, add, clean, list, show};
use crate::config::{Config, Global};
use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Exit codes:
  0  done
  1  something failed that should not have
  2  wrong use: arguments or configuration
  3  not there: no such task, no such file
  4  refused: the task changed meanwhile, the request does not fit it, or the server cannot be used
  5  the store is busy or down, or did not say whether it committed: try again, an add under the same key
  6  `check` found something bad
  7  not confirmed: nothing was done

Examples:
  steadfast add mail.welcome '{\"to\": \"ada\"}'     add a task
  steadfast list --status error                   what needs a person
  steadfast show 01932b5c-...                     everything about one task, and why it is not running
  steadfast again --status error --kind payout    run all failed payouts again
  steadfast check                                 is this store healthy and safe?";

/// Durable tasks: see them, add them, operate them.
#[derive(Debug, Parser)]
#[command(name = "steadfast", version, after_help = AFTER_HELP, max_term_width = 110)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command understands.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    // Help is no Markdown: a URL stands as it is.
    #[expect(clippy::doc_markdown)]
    /// The store: sqlite:FILE, postgres://HOST/DATABASE or mysql://HOST/DATABASE [default: sqlite:steadfast.db]
    #[arg(
        long,
        short,
        global = true,
        value_name = "URL",
        env = "STEADFAST_DATABASE",
        hide_env_values = true
    )]
    database: Option<String>,
    /// A file with settings [default: steadfast.toml, if it is there]
    #[arg(long, global = true, value_name = "FILE", env = "STEADFAST_CONFIG", hide_env_values = true)]
    config: Option<PathBuf>,
    /// Answers as JSON, for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours; auto means on a terminal only [default: auto]
    #[arg(long, global = true, value_enum, value_name = "WHEN")]
    color: Option<Color>,
}

#[derive(Debug, Clone, Copy, Default, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// See a payout service at work: two workers, one of them killed in mid-work, and nothing lost
    Demo(crate::demo::DemoArgs),
    /// Add a task, or one for each line of a file
    Add(add::AddArgs),
    /// List tasks, newest first
    List(list::ListArgs),
    /// Show one task, and say why it is not running
    Show(show::ShowArgs),
    /// Run tasks once more, with failures forgotten
    Again(act::AgainArgs),
    /// Acknowledge errors: nobody needs to look again
    Ack(act::ActArgs),
    /// End tasks
    Cancel(act::ActArgs),
    /// Stop tasks, or a whole bucket, until they are released
    Pause(act::PauseArgs),
    /// Let paused tasks, or a paused bucket, go on
    Release(act::PauseArgs),
    /// Change when tasks may run
    Reschedule(act::RescheduleArgs),
    /// Change how urgent tasks are
    Prioritise(act::PrioritiseArgs),
    /// Who works here
    Workers,
    /// Kinds of tasks: how many, in which status, who handles them
    Kinds,
    /// Make the database, or bring it to this program's schema
    Migrate,
    /// Remove ended tasks from the history
    Clean(clean::CleanArgs),
    /// Is this store healthy and safe: settings, schema, clock, stuck and lost tasks, orphan kinds
    Check,
    /// Write a completion script for a shell
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

impl GlobalArgs {
    /// Arguments and environment first, then the file, then the defaults.
    pub(crate) fn resolved(self) -> anyhow::Result<Global> {
        let config = Config::read(self.config.as_deref())?;
        Ok(Global {
            database: self.database.or(config.database).unwrap_or_else(|| "sqlite:steadfast.db".into()),
            json: self.json,
            color: self.color.or(config.color).unwrap_or_default().into(),
        })
    }
}

impl From<Color> for anstream::ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}
