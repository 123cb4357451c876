//! Adding tasks.

use crate::config::Global;
use crate::database;
use crate::exit::{Exit, Usage};
use crate::output::Output;
use crate::progress;
use crate::times::WhenArgs;
use serde_json::json;
use serde_json::value::RawValue;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use steadfast::{Added, Engine, New, When};

/// Lines that become one transaction.
const LINES_MAX: usize = 1000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  steadfast add mail.welcome '{\"to\": \"ada\"}'
  steadfast add report --after 2h --priority 9
  steadfast add payout --id payout-17 --serial account-7 - < payout.json
  steadfast add mail.bulk --lines recipients.jsonl")]
pub(crate) struct AddArgs {
    /// What the task is: the name by which its handler is found
    kind: String,
    /// What the handler gets: text, JSON, or - to read it from standard input
    #[arg(conflicts_with = "lines")]
    payload: Option<String>,
    /// The version of the payload's type, for handlers that read several
    #[arg(long, value_name = "N", default_value_t = 0)]
    payload_version: u32,
    /// One task for each line of this file (- for standard input), a thousand to a transaction
    #[arg(long, value_name = "FILE")]
    lines: Option<PathBuf>,
    #[command(flatten)]
    when: WhenArgs,
    /// How urgent: 0 goes first, 9 last
    #[arg(long, short)]
    priority: Option<i64>,
    /// A name of your own: a repeat is harmless and returns the first task
    #[arg(long, conflicts_with_all = ["key", "lines"])]
    id: Option<String>,
    /// A key that at most one task has, also for a while after it ended
    #[arg(long, conflicts_with = "lines")]
    key: Option<String>,
    /// One at a time, in order of adding, among the tasks that name this
    #[arg(long)]
    serial: Option<String>,
    /// A label
    #[arg(long)]
    subkind: Option<String>,
    /// Where its state machine starts
    #[arg(long)]
    step: Option<String>,
    /// To be found by this
    #[arg(long, value_name = "KEY")]
    search1: Option<String>,
    /// To be found by this too
    #[arg(long, value_name = "KEY")]
    search2: Option<String>,
    /// Context that travels with it
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    context: Vec<(String, String)>,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}

pub(crate) async fn run(global: &Global, output: &mut Output, args: AddArgs) -> anyhow::Result<Exit> {
    if let Some(file) = &args.lines {
        let lines = open(file)?;
        let engine = database::open_or_make(global).await?;
        return add_lines(&engine, output, &args, lines).await;
    }
    let new = args.task(&args.payload()?);
    let engine = database::open_or_make(global).await?;
    say(output, &engine.add(new).await?)
}

fn open(file: &PathBuf) -> anyhow::Result<Box<dyn BufRead>> {
    if file.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let opened = std::fs::File::open(file);
    let opened = opened.map_err(|fault| Usage(format!("`{}` cannot be read: {fault}", file.display())))?;
    Ok(Box::new(BufReader::new(opened)))
}

async fn add_lines(
    engine: &Engine,
    output: &mut Output,
    args: &AddArgs,
    lines: Box<dyn BufRead>,
) -> anyhow::Result<Exit> {
    let bar = progress::counter("added");
    let mut news = Vec::with_capacity(LINES_MAX);
    let mut n = 0;
    let mut lines = lines.split(b'\n');
    loop {
        let line = lines.next().transpose()?;
        let last = line.is_none();
        news.extend(line.map(|line| args.task(line.strip_suffix(b"\r").unwrap_or(&line))));
        if news.len() == LINES_MAX || (last && !news.is_empty()) {
            // What was committed before a failure stays added; the count says how many.
            let added = engine.add_many(news.drain(..)).await;
            n += added
                .map_err(|error| anyhow::Error::new(error).context(format!("{n} tasks were added, then")))?
                .len();
            bar.set_position(n as u64);
        }
        if last {
            break;
        }
    }
    bar.finish_and_clear();
    if output.json {
        output.value(&json!({ "added": n }))?;
    } else {
        output.line(format!("{n} tasks added"))?;
    }
    Ok(Exit::Done)
}

fn say(output: &mut Output, added: &Added) -> anyhow::Result<Exit> {
    if output.json {
        output.value(&json!({
            "id": added.id.to_string(),
            "fresh": added.fresh,
            "status": added.fresh.then(|| added.status.as_str()),
            "due_at": added.fresh.then(|| added.due_at.to_string()),
        }))?;
    } else if added.fresh {
        output.line(format!("{} added, {}", added.id, added.status))?;
    } else {
        output.line(format!("{} was there before; nothing was added", added.id))?;
    }
    Ok(Exit::Done)
}

impl AddArgs {
    fn payload(&self) -> anyhow::Result<Vec<u8>> {
        match self.payload.as_deref() {
            Some("-") => {
                let mut bytes = Vec::new();
                std::io::stdin().read_to_end(&mut bytes)?;
                Ok(bytes)
            }
            Some(text) => Ok(text.as_bytes().to_vec()),
            None => Ok(Vec::new()),
        }
    }

    /// JSON is added as it was written, letter by letter; whatever else as bytes.
    fn task(&self, payload: &[u8]) -> New {
        let mut new = match serde_json::from_slice::<&RawValue>(payload) {
            Ok(json) => New::json(&self.kind, &json),
            Err(_) => New::kind(&self.kind, payload),
        }
        .version(self.payload_version);
        new = match self.when.when() {
            When::Now => new,
            When::After(delay) => new.after(delay),
            When::At(time) => new.at(time.to_system()),
        };
        if let Some(priority) = self.priority {
            new = new.priority(priority);
        }
        let named = [
            (&self.id, New::id as fn(New, String) -> New),
            (&self.key, New::key),
            (&self.serial, New::serial),
            (&self.subkind, New::subkind),
            (&self.step, New::step),
            (&self.search1, New::search1),
            (&self.search2, New::search2),
        ];
        for (value, put) in named {
            if let Some(value) = value {
                new = put(new, value.clone());
            }
        }
        self.context.iter().fold(new, |new, (name, value)| new.context(name, value))
    }
}
