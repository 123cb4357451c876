//! The part of the page that is about peers.

use super::peer;
use super::plot;
use super::race::{self, Race};
use super::record::{self, Record};
use super::standing::{self, Standing};
use crate::report::{grouped, shown};
use crate::shape::{Figure, ROUNDS_FEW};
use crate::{Result, date, machine, place};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What the part begins with.
pub(crate) const HEAD: &str = "\n## Beside its peers\n";

/// Draws the plots and answers the text, if all peers were measured.
pub(crate) fn write() -> Result<Option<String>> {
    let path = record::path();
    let Ok(text) = std::fs::read_to_string(&path) else { return Ok(None) };
    let records = record::parse(&text)?;
    let plots = place::root().join("docs/plots");
    std::fs::create_dir_all(&plots)?;
    for race in race::ALL {
        let standings = standing::of(race, &records);
        if !standings.is_empty() {
            std::fs::write(plots.join(plot_name(race)), plot::render(race, &standings))?;
        }
    }
    let date = date::of(std::fs::metadata(&path)?.modified()?);
    Ok(Some(render(&records, &date, &machine::describe())))
}

fn plot_name(race: &Race) -> String {
    format!("peers-{}.svg", race.name)
}

fn render(records: &[Record], date: &str, machine: &str) -> String {
    let commit = records.first().map_or("unknown", |record| record.commit.as_str());
    let rounds = records.iter().map(|record| record.round).max().unwrap_or_default();
    let mut page = format!(
        "{HEAD}\n\
         Measured on {date} at commit {commit}: {machine}.\n\n\
         Other task engines on the same PostgreSQL server, each with the settings and their sources that \
         [bench/peers](../bench/peers/README.md) lists, with handlers that do \
         nothing and a fresh database for every run. All take turns, {rounds} rounds of them, another one first each time; \
         a figure is the median of the rounds. After {ROUNDS_FEW} rounds, a peer whose figure is not half as good as the best of the \
         peers is spared the rest of that race. Every program counts which of its tasks never ran or ran twice. \
         A slow peer is given fewer tasks, and Steadfast and the floor go through the shapes above as they are. \
         Processor time and memory are those of the process that runs the tasks. Engines differ in what they keep \
         and promise: a rate alone says little.\n\n\
         Repeat with `make bench-peers`; `make bench-peers ROUNDS=1 PEERS=pg-boss,river ONLY=drain` tries some and \
         writes no page.\n"
    );
    for race in race::ALL {
        let standings = standing::of(race, records);
        if !standings.is_empty() {
            page.push_str(&table(race, &standings));
        }
    }
    page.push_str(&bars(records));
    page.push_str(&faults(records));
    page
}

/// What was asked of Steadfast, and whether it was reached.
fn bars(records: &[Record]) -> String {
    let mut page =
        String::from("\n### The bars beside peers\n\n| race | bar | measured | |\n|---|---|---|---|\n");
    for race in race::ALL {
        let standings = standing::of(race, records);
        for verdict in race.bars.iter().filter_map(|bar| bar.judge(&standings)) {
            page.push_str(&verdict.row(race.name));
        }
    }
    page
}

fn table(race: &Race, standings: &[Standing]) -> String {
    let (figure, other) = match race.figure {
        Figure::Rate => ("tasks/s", "of Steadfast's"),
        Figure::P50 => ("p50 µs", "p99 µs"),
    };
    let mut page = format!(
        "\n### {}\n\n{}\n\n![{0}](plots/{})\n\n\
         | | {figure} | lowest to highest | {other} | rounds | tasks | CPU ms/1k | server | RSS MB | exactly once |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
        race.title,
        race.what,
        plot_name(race)
    );
    let own =
        standings.iter().find(|standing| standing.runner == "Steadfast").map(|standing| standing.middle);
    for standing in standings {
        page.push_str(&row(race, standing, own));
    }
    page
}

fn row(race: &Race, standing: &Standing, own: Option<f64>) -> String {
    let other = match race.figure {
        Figure::Rate => shown(own.map(|own| standing.middle / own), 2),
        Figure::P50 => standing.median.p99_us.map(grouped).unwrap_or_default(),
    };
    let once = match standing.median.once {
        Some(true) => "yes".to_owned(),
        Some(false) => format!("**{} missing, {} doubled**", standing.missing, standing.doubled),
        None => String::new(),
    };
    format!(
        "| {} | {} | {} to {} | {other} | {} | {} | {} | {} | {} | {once} |\n",
        standing.label(),
        grouped(standing.middle),
        grouped(standing.lowest),
        grouped(standing.highest),
        standing.median.rounds,
        grouped(f64::from(standing.median.n)),
        shown(standing.median.cpu_ms_1k, 1),
        shown(standing.median.server_cpu_ms_1k, 1),
        shown(standing.median.rss_mb, 1),
    )
}

/// Who has no figure, and why.
fn faults(records: &[Record]) -> String {
    let mut seen: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for record in records {
        if let Some(fault) = &record.fault {
            let what = record
                .race
                .as_ref()
                .map_or_else(|| "not built".to_owned(), |race| format!("no figure in {race}"));
            *seen.entry((format!("{}: {what}", record.runner), fault)).or_default() += 1;
        }
    }
    let mut page = String::from("\n### Not measured\n\n");
    // Writing to a string cannot fail.
    for ((what, fault), times) in seen {
        let _ = writeln!(page, "- {what}, {times} times: {fault}.");
    }
    for (name, reason) in peer::ABSENT {
        let _ = writeln!(page, "- {name}: {reason}.");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn record(runner: &str, rate: f64, missing: u32) -> Record {
        let once = Some(missing == 0);
        Record {
            commit: "abc".into(),
            runner: runner.into(),
            race: Some("drain".into()),
            round: 1,
            sample: Some(Sample { n: 1000, seconds: 1.0, rate, once, ..Sample::default() }),
            missing,
            doubled: 0,
            fault: None,
        }
    }

    #[test]
    fn the_fastest_stands_first_and_what_is_missing_is_told() {
        let unbuilt = Record {
            race: None,
            sample: None,
            fault: Some("no compiler".into()),
            ..record("graphile-worker", 0.0, 0)
        };
        let records = [
            record("graphile_worker", 400.0, 0),
            record("graphile_worker", 500.0, 2),
            record("graphile_worker", 600.0, 0),
            record("Steadfast", 1000.0, 0),
            unbuilt,
        ];
        let page = render(&records, "2026-01-01", "2 cores");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).collect();
        let drain: Vec<&&str> = rows.iter().filter(|row| row.contains("1,000")).collect();
        assert_eq!(*drain[0], "| Steadfast | 1,000 | 1,000 to 1,000 | 1.00 | 1 | 1,000 |  |  |  | yes |");
        assert!(drain[1].starts_with("| graphile_worker "), "{page}");
        assert!(
            drain[1].ends_with(
                "(Rust) | 500 | 400 to 600 | 0.50 | 3 | 1,000 |  |  |  | **2 missing, 0 doubled** |"
            )
        );
        assert!(page.contains("- graphile-worker: not built, 1 times: no compiler.\n"), "{page}");
        assert!(
            page.contains("| drain | >= 1.5 of the best peer | 2.00 of graphile_worker | ok |"),
            "{page}"
        );
        assert!(page.contains("at commit abc: 2 cores."));
        // A run that was cut short has races without figures.
        assert!(page.contains("### Drain") && !page.contains("### Latency"), "{page}");
    }
}
