//! What operators do to tasks: again, ack, cancel, pause, release, reschedule, prioritise.

use crate::batch::{self, WhomArgs};
use crate::config::Global;
use crate::database;
use crate::exit::{Exit, Usage};
use crate::filter;
use crate::output::Output;
use crate::times::WhenArgs;
use serde_json::json;
use steadfast::{Bucket, Deed, Priority, When};

/// Whom, and nothing else.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast ack 01932b5c-7e57-7000-8000-000000000001@7    the version that you saw
  steadfast cancel --kind mail.bulk --status waiting      all that fit; shows how many and asks")]
pub(crate) struct ActArgs {
    #[command(flatten)]
    whom: WhomArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast again 01932b5c-7e57-7000-8000-000000000001@7
  steadfast again --status error --kind payout --yes
  steadfast again --status done --search1 order-17        ended ones, from the history")]
pub(crate) struct AgainArgs {
    #[command(flatten)]
    whom: WhomArgs,
    #[command(flatten)]
    when: WhenArgs,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast pause 01932b5c-7e57-7000-8000-000000000001@7   one task; a run is recalled
  steadfast pause --kind payout --status waiting           all that fit
  steadfast pause --whole-bucket mail                      nothing more is taken from it; runs go on")]
pub(crate) struct PauseArgs {
    #[command(flatten)]
    whom: WhomArgs,
    /// The bucket itself instead of tasks
    #[arg(long, value_name = "BUCKET", value_parser = filter::bucket, conflicts_with = "target")]
    whole_bucket: Option<Bucket>,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast reschedule 01932b5c-7e57-7000-8000-000000000001@7 --after 2h
  steadfast reschedule --kind mail.bulk --status waiting --at '2026-12-24 18:00'")]
pub(crate) struct RescheduleArgs {
    #[command(flatten)]
    whom: WhomArgs,
    #[command(flatten)]
    when: WhenArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct PrioritiseArgs {
    /// How urgent: 0 goes first, 9 last
    #[arg(long, value_parser = priority)]
    to: Priority,
    #[command(flatten)]
    whom: WhomArgs,
}

impl PauseArgs {
    /// The bucket, if one is meant and nothing else.
    fn bucket_alone(&self) -> anyhow::Result<Option<Bucket>> {
        if self.whole_bucket.is_some() && self.whom.has_filter() {
            return Err(Usage("--whole-bucket takes all of a bucket; leave the filter out".into()).into());
        }
        Ok(self.whole_bucket.clone())
    }
}

fn priority(text: &str) -> Result<Priority, String> {
    let wrong = || format!("`{text}` is no priority; use 0 (most urgent) to 9");
    text.parse().map_err(|_| wrong()).and_then(|n| Priority::new(n).map_err(|_| wrong()))
}

pub(crate) async fn again(global: &Global, output: &mut Output, args: AgainArgs) -> anyhow::Result<Exit> {
    act(global, output, args.whom, Deed::Again(args.when.when())).await
}

pub(crate) async fn ack(global: &Global, output: &mut Output, args: ActArgs) -> anyhow::Result<Exit> {
    act(global, output, args.whom, Deed::Ack).await
}

pub(crate) async fn cancel(global: &Global, output: &mut Output, args: ActArgs) -> anyhow::Result<Exit> {
    act(global, output, args.whom, Deed::Cancel).await
}

pub(crate) async fn pause(global: &Global, output: &mut Output, args: PauseArgs) -> anyhow::Result<Exit> {
    match args.bucket_alone()? {
        Some(bucket) => pause_bucket(global, output, bucket, true).await,
        None => act(global, output, args.whom, Deed::Pause).await,
    }
}

pub(crate) async fn release(global: &Global, output: &mut Output, args: PauseArgs) -> anyhow::Result<Exit> {
    match args.bucket_alone()? {
        Some(bucket) => pause_bucket(global, output, bucket, false).await,
        None => act(global, output, args.whom, Deed::Release).await,
    }
}

pub(crate) async fn reschedule(
    global: &Global,
    output: &mut Output,
    args: RescheduleArgs,
) -> anyhow::Result<Exit> {
    let when = args.when.when();
    if when == When::Now {
        return Err(Usage("say when: --after DURATION (0s for now) or --at TIME".into()).into());
    }
    act(global, output, args.whom, Deed::Reschedule(when)).await
}

pub(crate) async fn prioritise(
    global: &Global,
    output: &mut Output,
    args: PrioritiseArgs,
) -> anyhow::Result<Exit> {
    act(global, output, args.whom, Deed::Prioritise(args.to)).await
}

async fn act(global: &Global, output: &mut Output, whom: WhomArgs, deed: Deed) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    batch::run(&engine, output, whom, deed).await
}

async fn pause_bucket(
    global: &Global,
    output: &mut Output,
    bucket: Bucket,
    paused: bool,
) -> anyhow::Result<Exit> {
    let engine = database::open(global).await?;
    if paused {
        engine.pause_bucket(bucket.clone()).await?;
    } else {
        engine.release_bucket(bucket.clone()).await?;
    }
    if output.json {
        output.value(&json!({ "bucket": bucket.as_str(), "paused": paused }))?;
    } else {
        output.line(format!("bucket `{bucket}` is {}", if paused { "paused" } else { "released" }))?;
    }
    Ok(Exit::Done)
}
