//! How the figures of one run stand to their bars, for the terminal.

use crate::record::Record;
use crate::report::grouped;
use crate::shape::{Figure, Shape};
use crate::shapes;

const HEAD: [&str; 9] = ["store", "shape", "figure", "floor", "ratio", "raw", "of raw", "bar", "seen"];

/// A line for each bar of each engine half that was measured.
pub(crate) fn render(records: &[Record]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned).to_vec()];
    for shape in shapes::ALL {
        lines.extend(lines_of(shape, records));
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let padded = |line: &Vec<String>| -> String {
        let cells = line.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    lines.iter().map(padded).collect()
}

fn lines_of(shape: &Shape, records: &[Record]) -> Vec<Vec<String>> {
    let engine = |name: &str| {
        records.iter().find(|record| {
            record.bench == "engine" && record.store == shape.base.name() && record.shape == name
        })
    };
    let Some(own) = engine(shape.name) else { return Vec::new() };
    let verdicts = shape.bars.iter().map(|bar| match bar.judge(own, bar.peer().and_then(engine)) {
        Some(verdict) => [verdict.wanted.clone(), format!("{} {}", verdict.seen, verdict.word())],
        None => ["not measured".to_owned(), String::new()],
    });
    let mut verdicts: Vec<[String; 2]> = verdicts.collect();
    if verdicts.is_empty() {
        verdicts.push(Default::default());
    }
    let figures = figures(shape, own);
    verdicts.into_iter().map(|verdict| figures.iter().cloned().chain(verdict).collect()).collect()
}

fn figures(shape: &Shape, own: &Record) -> [String; 7] {
    let (figure, unit) = match shape.figure {
        Figure::Rate => (Some(own.rate), shape.unit),
        Figure::P50 => (own.p50_us, "µs p50"),
    };
    let shown = |figure: Option<f64>, unit: &str| {
        figure.map_or(String::new(), |figure| format!("{} {unit}", grouped(figure)).trim_end().to_owned())
    };
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    [
        shape.base.name().to_owned(),
        shape.name.to_owned(),
        shown(figure, unit),
        shown(own.floor, ""),
        ratio(own.ratio),
        shown(own.raw, ""),
        ratio(figure.zip(own.raw).map(|(figure, raw)| figure / raw)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    #[test]
    fn a_line_shows_the_figure_beside_its_floors_and_its_bar() {
        let sample = |rate| Sample { rate, ..Sample::default() };
        let (floor, raw) = (sample(100_000.0), sample(60_000.0));
        let record = Record::new("engine", &shapes::ALL[0], sample(40_000.0), Some(&floor), Some(&raw));
        let text = render(&[record]);
        let words: Vec<&str> = text.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "sqlite drain 40,000 /s 100,000 0.40 60,000 0.67 >= 0.45 of the floor 0.40 short"
        );
        assert_eq!(text.lines().count(), 2);
    }
}
