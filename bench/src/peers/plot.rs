//! A race as a picture: a bar for each runner, with a line from its lowest to its highest round.

use super::race::Race;
use super::standing::Standing;
use crate::report::grouped;
use crate::shape::Figure;
use std::fmt::Write;

/// In pixels.
const WIDTH: f64 = 860.0;
const LABELS: f64 = 250.0;
const FIGURES: f64 = 110.0;
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
const TOP: f64 = 44.0;

/// The picture as SVG, the best on top.
pub(super) fn render(race: &Race, standings: &[Standing]) -> String {
    let height = TOP + ROW * standings.iter().map(|_| 1.0).sum::<f64>() + 10.0;
    let most = standings.iter().map(|standing| standing.highest).fold(1.0, f64::max);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"26\" font-size=\"15\" font-weight=\"bold\">{}</text>\n",
        race.title
    );
    let mut top = TOP;
    for standing in standings {
        svg.push_str(&row(race, standing, most, top));
        top += ROW;
    }
    svg + "</svg>\n"
}

fn row(race: &Race, standing: &Standing, most: f64, top: f64) -> String {
    let scale = (WIDTH - LABELS - FIGURES) / most;
    let [lowest, middle, highest] =
        [standing.lowest, standing.middle, standing.highest].map(|figure| figure * scale);
    let (unit, line, text) = (unit(race), top + BAR / 2.0, top + BAR - 3.0);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{text:.0}\" text-anchor=\"end\">{}</text>\n\
         <rect x=\"{LABELS}\" y=\"{top:.0}\" width=\"{middle:.1}\" height=\"{BAR}\" fill=\"{}\"/>\n\
         <path d=\"M{:.1} {line:.0}H{:.1}\" stroke=\"#222\"/>\n\
         <text x=\"{:.1}\" y=\"{text:.0}\">{} {unit}</text>",
        LABELS - 8.0,
        standing.label(),
        colour(&standing.runner),
        LABELS + lowest,
        LABELS + highest,
        LABELS + highest + 6.0,
        grouped(standing.middle),
    );
    svg
}

const fn unit(race: &Race) -> &'static str {
    match race.figure {
        Figure::Rate => "/s",
        Figure::P50 => "µs",
    }
}

fn colour(runner: &str) -> &'static str {
    match runner {
        "floor" => "#c4c4c4",
        "Steadfast" => "#d9622b",
        _ => "#7fa3c7",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::race;
    use crate::sample::Sample;

    #[test]
    fn the_longest_line_ends_where_the_figures_begin() {
        let standing = |runner: &str, middle: f64| Standing {
            runner: runner.into(),
            median: Sample::default(),
            lowest: middle / 2.0,
            middle,
            highest: middle * 2.0,
            missing: 0,
            doubled: 0,
        };
        let svg = render(&race::ALL[0], &[standing("Steadfast", 500.0), standing("floor", 250.0)]);
        assert!(svg.contains("<path d=\"M375.0 52H750.0\""), "{svg}");
        assert!(svg.contains("width=\"125.0\" height=\"16\" fill=\"#c4c4c4\""), "{svg}");
        assert!(svg.contains(">500 /s<") && svg.ends_with("</svg>\n"), "{svg}");
    }
}
