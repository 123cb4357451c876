//! `steadfast demo`: a payout service at work, with `kill -9` in the middle.
//!
//! The parent ([`lead`]) adds tasks, kills a worker and looks at the store; two children of the same program
//! ([`worker`]) do the work. At the end the sums are checked against the database ([`summary`]). Nothing here is
//! known to any other command.

mod book;
mod children;
mod clerk;
mod database;
mod feed;
mod kill;
mod latency;
mod lead;
mod line;
mod news;
mod numbers;
mod partners;
mod plain;
mod scene;
mod screen;
mod show;
mod snapshot;
mod stop;
mod story;
mod summary;
mod tally;
mod view;
mod why;
mod worker;

use clap::Args;
use std::process::ExitCode;

/// See a payout service at work: two workers, one of them killed in mid-work, and nothing lost.
///
/// Ends by itself after about half a minute and exits with 0 if all sums add up, with 1 if they do not. Ctrl-C
/// drains the workers, sums up what is left and exits with 130; a second one ends everything at once.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep the database in this file (`sqlite:FILE`), which must not be there yet.
    ///
    /// Without it, the database is in a temporary folder that is removed at the end.
    #[arg(long, value_name = "URL")]
    keep: Option<String>,

    /// Payouts of the slow partner.
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    payouts: u32,

    /// Plain lines instead of the live view, as without a terminal.
    #[arg(long)]
    plain: bool,

    /// Be a worker of this name; how the demo starts its children.
    #[arg(long, value_name = "NAME", hide = true, requires = "keep")]
    worker: Option<String>,
}

/// Runs the demo, or one of its workers.
pub(crate) async fn run(args: DemoArgs, json: bool) -> anyhow::Result<ExitCode> {
    match (args.worker, args.keep) {
        (Some(name), Some(url)) => worker::work(&url, &name).await.map(|()| ExitCode::SUCCESS),
        (_, keep) => {
            let look = match (json, args.plain) {
                (true, _) => show::Look::Sums,
                (false, true) => show::Look::Plain,
                (false, false) => show::Look::Best,
            };
            let database = database::Database::new(keep)?;
            lead::lead(&database, story::Story::new(args.payouts), look).await
        }
    }
}
