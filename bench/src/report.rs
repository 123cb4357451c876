//! The page that people read.

use crate::ground::Base;
use crate::record::Record;
use crate::shape::{Figure, Shape};
use crate::{Result, date, machine, peers, place, shapes};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Writes `docs/benchmarks.md`: the stores from the newest record of each shape, then the peers. Of what was not
/// measured here the page keeps what it says.
pub(crate) fn write() -> Result<()> {
    let path = place::root().join("docs/benchmarks.md");
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let (stores, peers) = page.split_at(page.find(peers::HEAD).unwrap_or(page.len()));
    let new_peers = peers::write_section()?;
    let stores =
        if new_peers.is_some() && !place::results().exists() { stores.to_owned() } else { stores_now()? };
    std::fs::write(&path, stores + new_peers.as_deref().unwrap_or(peers))?;
    println!("wrote docs/benchmarks.md");
    Ok(())
}

fn stores_now() -> Result<String> {
    let records = Record::read_all()?;
    // The day of the last measurement: the page may be written on another.
    let measured = std::fs::metadata(place::results())?.modified()?;
    Ok(render(&records, &date::of(measured), &machine::describe()))
}

/// The newest record of each half, by store, shape and half.
type Newest<'a> = BTreeMap<(&'a str, &'a str, &'a str), &'a Record>;

fn render(records: &[Record], date: &str, machine: &str) -> String {
    let mut newest = Newest::new();
    for record in records {
        newest.insert((&record.store, &record.shape, &record.bench), record);
    }
    let commits = commits(&newest);
    let mut page = format!(
        "# Benchmarks\n\n\
         Measured on {date} at {commits}: {machine}.\n\n\
         The floor is the database alone: raw statements on a lean table, no engine. Raw are plain \
         statements on the store's own tables, without the engine. They and the engine take turns, each in a process of \
         its own, and every figure is the median of the rounds. A ratio of 1 to the floor would be an engine that \
         costs nothing; where the shape is about time, floor, ratio and raw are those of the p50. Processor time and \
         memory are those of the process; a server's processor time stands beside it, and what a server wrote into its log is \
         that of all that it did meanwhile. Where a shape has no floor, the database alone does nothing of the sort; a shape without a row was not measured that day. The programs are built with \
         link-time optimisation. Compare only figures of one table: machines differ, and so do their days.\n\n\
         Repeat with `make bench`, one shape with `make bench ONLY=drain`, one store with `make bench STORE=postgres`; \
         then `make bench-report`.\n"
    );
    for base in Base::ALL {
        page.push_str(&section(base, &newest));
    }
    page
}

/// The commit of most rows, and what was measured at others.
fn commits(newest: &Newest<'_>) -> String {
    let mut shapes: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for ((store, shape, _), record) in newest {
        shapes.entry(&record.commit).or_default().insert(format!("{shape} on {store}"));
    }
    let mut commits: Vec<_> = shapes.into_iter().collect();
    commits.sort_by_key(|(_, shapes)| std::cmp::Reverse(shapes.len()));
    let Some(((most, _), others)) = commits.split_first() else { return "an unknown commit".into() };
    let other = |(commit, shapes): &(&str, BTreeSet<String>)| {
        format!(", at {commit} {}", shapes.iter().cloned().collect::<Vec<_>>().join(", "))
    };
    format!("commit {most}{}", others.iter().map(other).collect::<String>())
}

/// All of one store.
fn section(base: Base, newest: &Newest<'_>) -> String {
    let mut page = format!(
        "\n## {}\n\n\
         | shape | retention | rounds | tasks | rate | floor | ratio | raw | p50 µs | p99 µs | CPU ms/1k | server | RSS MB | statements/task | WAL B/task | exactly once |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
        title(base)
    );
    let shapes: Vec<&Shape> = shapes::ALL.iter().filter(|shape| shape.base == base).collect();
    for shape in &shapes {
        for bench in ["engine", "raw", "floor"] {
            if let Some(record) = newest.get(&(base.name(), shape.name, bench)) {
                page.push_str(&row(record, shape));
            }
        }
    }
    page.push_str(&bars(&shapes, newest));
    page.push_str("\n### The shapes\n\n");
    for shape in &shapes {
        // Writing to a string cannot fail.
        let _ = writeln!(page, "- **{}**: {}.", shape.name, shape.what);
    }
    page
}

const fn title(base: Base) -> &'static str {
    match base {
        Base::Sqlite => "SQLite\n\nIn WAL mode with `synchronous=FULL`, on the disk of the workspace.",
        Base::Postgres => {
            "PostgreSQL\n\nThe server that the tests use, on the same machine over TCP without TLS, with `fsync` and \
             `synchronous_commit` on."
        }
        Base::MySql => {
            "MariaDB\n\nThe server that the tests use, on the same machine over TCP without TLS, with \
             `innodb_flush_log_at_trx_commit=1` and no binary log."
        }
    }
}

/// What was asked for, and whether it was reached.
fn bars(shapes: &[&Shape], newest: &Newest<'_>) -> String {
    let mut page = String::from("\n### The bars\n\n| shape | bar | measured | |\n|---|---|---|---|\n");
    for shape in shapes {
        let engine = |name| newest.get(&(shape.base.name(), name, "engine")).copied();
        let Some(own) = engine(shape.name) else { continue };
        let verdicts = shape.bars.iter().filter_map(|bar| bar.judge(own, bar.peer().and_then(engine)));
        verdicts.for_each(|verdict| page.push_str(&verdict.row(shape.name)));
    }
    page
}

fn row(record: &Record, shape: &Shape) -> String {
    let floor_unit = if shape.figure == Figure::P50 { "µs" } else { shape.unit };
    let with_unit = |figure: Option<f64>| {
        figure.map(|figure| format!("{} {floor_unit}", grouped(figure))).unwrap_or_default()
    };
    let name = match record.bench.as_str() {
        "engine" => record.shape.clone(),
        bench => format!("{}, {bench}", record.shape),
    };
    let once = match record.once {
        Some(true) => "yes",
        Some(false) => "**no**",
        None => "",
    };
    format!(
        "| {name} | {} | {} | {} | {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {once} |\n",
        record.retention.as_deref().unwrap_or_default(),
        record.rounds,
        grouped(f64::from(record.n)),
        grouped(record.rate),
        shape.unit,
        with_unit(record.floor),
        shown(record.ratio, 2),
        with_unit(record.raw),
        shown(record.p50_us, 0),
        shown(record.p99_us, 0),
        shown(record.cpu_ms_1k, 1),
        shown(record.server_cpu_ms_1k, 1),
        shown(record.rss_mb, 1),
        shown(record.statements, 2),
        shown(record.wal_bytes, 0),
    )
}

/// A figure with so many digits behind the point, or nothing.
pub(crate) fn shown(figure: Option<f64>, digits: usize) -> String {
    figure.map_or(String::new(), |figure| format!("{figure:.digits$}"))
}

/// A large figure with commas, a small one with a digit behind the point.
pub(crate) fn grouped(figure: f64) -> String {
    if figure.abs() < 100.0 && figure.fract() != 0.0 {
        return format!("{figure:.1}");
    }
    let digits = format!("{figure:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        for (figure, expected) in
            [(1.25, "1.2"), (7.0, "7"), (999.0, "999"), (1000.4, "1,000"), (1_234_567.0, "1,234,567")]
        {
            assert_eq!(grouped(figure), expected);
        }
    }

    #[test]
    fn the_newest_record_of_a_shape_stands_beside_its_floor() {
        let shape = &shapes::ALL[0];
        let sample = |rate| Sample {
            n: 1000,
            seconds: 1.0,
            rate,
            p99_us: Some(12.4),
            cpu_ms_1k: Some(3.0),
            once: Some(true),
            ..Sample::default()
        };
        let records = [
            Record::new("floor", shape, sample(400.0), None, None),
            Record::new("engine", shape, sample(100.0), Some(&sample(400.0)), None),
            Record::new("engine", shape, sample(200.0), Some(&sample(400.0)), Some(&sample(300.0))),
        ];
        let page = render(&records, "2026-01-01", "2 cores");
        let rows: Vec<&str> =
            page.lines().filter(|line| line.starts_with(&format!("| {}", shape.name))).collect();
        assert_eq!(rows.len(), 3, "{page}");
        assert!(rows[0].contains("| 200 ") && rows[0].contains("| 400 /s | 0.50 | 300 /s |"), "{}", rows[0]);
        assert!(rows[0].ends_with("|  | 12 | 3.0 |  |  |  |  | yes |"), "{}", rows[0]);
        assert_eq!(rows[2], "| drain | >= 0.45 of the floor | 0.50 | ok |");
    }

    #[test]
    fn what_was_measured_at_another_commit_is_named() {
        let record = |at: usize, commit: &str| Record {
            commit: commit.into(),
            ..Record::new("engine", &shapes::ALL[at], Sample::default(), None, None)
        };
        let page = render(&[record(0, "aa"), record(1, "bb"), record(2, "aa")], "2026-01-01", "2 cores");
        let [_, other, ..] = shapes::ALL else { unreachable!("there are many shapes") };
        let named = format!("at commit aa, at bb {} on {}: 2 cores.", other.name, other.base.name());
        assert!(page.contains(&named), "{page}");
    }
}
