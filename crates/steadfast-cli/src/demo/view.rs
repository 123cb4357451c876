//! The picture on the terminal: drawn from a [`Scene`], knows nothing else. Made for 80 by 24, uses what is more.

use super::numbers::{grouped, short};
use super::scene::{Event, KindScene, RunScene, Scene, State, Tone, Wait, WorkerScene};
use super::worker::SLOTS;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Row, Sparkline, Table};

const DIM: Style = Style::new().fg(Color::DarkGray);
const GOOD: Style = Style::new().fg(Color::Green);
const BAD: Style = Style::new().fg(Color::Red);
const LOUD: Style = Style::new().add_modifier(Modifier::BOLD);

/// The smallest terminal that shows everything.
const HEIGHT: u16 = 24;
/// Rows of waits and runs on a small terminal.
const WAITS: u16 = 5;
const RUNS: u16 = 2;
/// How wide one run is.
const RUN_COLUMNS: u16 = 38;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, scene: &Scene) {
    // What a tall terminal has to spare is shared by the two lists at the bottom.
    let spare = frame.area().height.saturating_sub(HEIGHT) / 2;
    let heights = [1, 2, 8, WAITS + 1, RUNS + 1 + spare].map(Constraint::Length);
    let [title, workers, kinds, waits, running, events] =
        Layout::vertical(heights.into_iter().chain([Constraint::Fill(1)])).areas(frame.area());
    draw_title(frame, title, scene);
    draw_workers(frame, workers, scene);
    draw_kinds(frame, kinds, scene);
    draw_section(frame, waits, "what waits, and why", scene.waits.iter().map(wait).collect());
    draw_running(frame, running, scene);
    draw_events(frame, events, scene);
}

fn draw_title(frame: &mut Frame<'_>, area: Rect, scene: &Scene) {
    let [left, right] = Layout::horizontal([Constraint::Fill(1), Constraint::Length(30)]).areas(area);
    let name =
        Line::from(vec![Span::styled(" steadfast demo", LOUD), Span::styled("  a payout service", DIM)]);
    frame.render_widget(name, left);
    let clock = format!("{} s, q or Ctrl-C stops ", scene.elapsed.as_secs());
    frame.render_widget(Line::styled(clock, DIM).right_aligned(), right);
}

/// The workers on the left, the throughput on the right.
fn draw_workers(frame: &mut Frame<'_>, area: Rect, scene: &Scene) {
    let [left, number, right] =
        Layout::horizontal([Constraint::Length(52), Constraint::Length(10), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Paragraph::new(scene.workers.iter().map(worker).collect::<Vec<_>>()), left);
    let rate = vec![
        Line::styled(format!("{}/s ", grouped(scene.rate)), LOUD).right_aligned(),
        Line::styled("ended ", DIM).right_aligned(),
    ];
    frame.render_widget(Paragraph::new(rate), number);
    let newest = scene.rates.len().saturating_sub(right.width.saturating_sub(1).into());
    let rates = scene.rates.get(newest..).unwrap_or_default();
    frame.render_widget(Sparkline::default().data(rates).style(Style::new().fg(Color::Cyan)), right);
}

fn worker(worker: &WorkerScene) -> Line<'static> {
    let style = match worker.state {
        State::Working => GOOD,
        State::Killed => BAD,
        State::Starting | State::Drained | State::Gone => DIM,
    };
    let lease = match (worker.state, worker.lease.is_zero()) {
        (State::Working | State::Killed, false) => format!("lease {}", short(worker.lease)),
        (State::Killed, true) => "lease ended".to_owned(),
        _ => String::new(),
    };
    Line::from(vec![
        Span::raw(format!(" {:<10}", worker.name)),
        Span::styled(format!("{:<9}", worker.state.as_str()), style),
        Span::styled(bar(worker.running, SLOTS, 8), style),
        Span::raw(format!(" {:>2} of {SLOTS} ", worker.running)),
        Span::styled(lease, DIM),
    ])
}

fn draw_kinds(frame: &mut Frame<'_>, area: Rect, scene: &Scene) {
    let head = ["", "ready", "waits", "w-1  w-2", "done", "error", "start p50", "p99", ""];
    let widths = [18, 6, 5, 9, 6, 5, 9, 7].map(Constraint::Length);
    let widths = widths.into_iter().chain([Constraint::Fill(1)]);
    let right = |text: &str| Line::from(text.to_owned()).right_aligned();
    let head = Row::new(head.map(right)).style(DIM);
    // What is left of a narrow screen after the columns and the gaps between them.
    let room = area.width.saturating_sub(73 + 1).min(40);
    let table = Table::new(scene.kinds.iter().map(|scene| kind(scene, room)), widths).header(head);
    frame.render_widget(table, area);
}

fn kind(kind: &KindScene, room: u16) -> Row<'static> {
    let right = |text: String, style: Style| Line::styled(text, style).right_aligned();
    let number = |n: u64, style: Style| {
        right(if n == 0 { "·".into() } else { grouped(n) }, if n == 0 { DIM } else { style })
    };
    let latency = |of: fn(&super::latency::Quantiles) -> std::time::Duration| {
        right(kind.latency.as_ref().map_or_else(String::new, |latency| short(of(latency))), Style::new())
    };
    let running: usize = kind.running.iter().sum();
    let total = kind.ready + kind.waiting + running as u64 + kind.done + kind.error;
    Row::new([
        Line::raw(format!(" {}", kind.kind)),
        number(kind.ready, Style::new()),
        number(kind.waiting, Style::new()),
        right(slots(kind), Style::new()),
        number(kind.done, Style::new()),
        number(kind.error, BAD),
        latency(|latency| latency.p50),
        latency(|latency| latency.p99),
        Line::styled(bar(clamp(kind.done + kind.error), clamp(total), room.into()), GOOD),
    ])
}

/// What runs of a kind, worker by worker: of how many, if it has a limit.
fn slots(kind: &KindScene) -> String {
    let one = |n: &usize| match kind.limit {
        Some(limit) => format!("{n}/{limit}"),
        None => n.to_string(),
    };
    kind.running.iter().map(|n| format!("{:>4}", one(n))).collect::<Vec<_>>().join(" ")
}

fn wait(wait: &Wait) -> Line<'static> {
    Line::from(vec![Span::raw(format!(" {:<18} ", wait.who)), Span::raw(wait.why.clone())])
}

/// The longest runs, in as many columns as fit.
fn draw_running(frame: &mut Frame<'_>, area: Rect, scene: &Scene) {
    let columns = usize::from((area.width / RUN_COLUMNS).max(1));
    let lines = scene.running.chunks(columns).map(|runs| runs.iter().flat_map(run).collect()).collect();
    draw_section(frame, area, "what runs, the longest of each kind first", lines);
}

fn run(run: &RunScene) -> [Span<'static>; 3] {
    let kind = run.kind.trim_start_matches("payout|");
    [
        Span::raw(format!(" {kind:<9.9} {:<8} ", run.id)),
        Span::styled(format!("{:<9}", run.worker), DIM),
        Span::raw(format!("{:>7}  ", short(run.age))),
    ]
}

fn draw_events(frame: &mut Frame<'_>, area: Rect, scene: &Scene) {
    let rows = usize::from(area.height.saturating_sub(1));
    let newest = scene.events.len().saturating_sub(rows);
    let lines = scene.events.get(newest..).unwrap_or_default().iter().map(event).collect();
    draw_section(frame, area, "what happened", lines);
}

fn event(event: &Event) -> Line<'static> {
    let style = match event.tone {
        Tone::Plain => Style::new(),
        Tone::Good => GOOD,
        Tone::Bad => BAD,
    };
    let at = Span::styled(format!(" {:>5.1} s  ", event.at.as_secs_f64()), DIM);
    Line::from(vec![at, Span::styled(event.text.clone(), style)])
}

/// A heading with a rule, and lines below it.
fn draw_section(frame: &mut Frame<'_>, area: Rect, name: &str, mut lines: Vec<Line<'static>>) {
    let width = usize::from(area.width).saturating_sub(name.len() + 3);
    lines.insert(0, Line::styled(format!(" {name} {}", "─".repeat(width)), DIM));
    frame.render_widget(Paragraph::new(lines), area);
}

/// So much of a whole, as blocks.
fn bar(part: usize, whole: usize, width: usize) -> String {
    let full = (part * width).checked_div(whole).unwrap_or(0).min(width);
    // A part that is there is seen, however small.
    let full = if part > 0 { full.max(1).min(width) } else { 0 };
    "█".repeat(full) + &"░".repeat(width - full)
}

fn clamp(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::latency::Quantiles;
    use super::*;
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use std::time::Duration;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn kind(kind: &str, numbers: [u64; 4], running: [usize; 2], latency: Option<[u64; 2]>) -> KindScene {
        let [ready, waiting, done, error] = numbers;
        let latency = latency.map(|[p50, p99]| Quantiles { p50: ms(p50), p99: ms(p99) });
        let limit = super::super::story::limit(kind);
        KindScene { kind: kind.into(), ready, waiting, running: running.into(), limit, done, error, latency }
    }

    fn scene() -> Scene {
        let worker = |name: &str, state, running, lease| WorkerScene {
            name: name.into(),
            state,
            running,
            lease: ms(lease),
        };
        let run = |kind: &str, id: &str, worker: &str, age| RunScene {
            kind: kind.into(),
            id: id.into(),
            worker: worker.into(),
            age: ms(age),
        };
        let wait = |who: &str, why: &str| Wait { who: who.into(), why: why.into() };
        let event = |at, tone, text: &str| Event { at: ms(at), tone, text: text.into() };
        Scene {
            elapsed: ms(9_400),
            rate: 1_234,
            rates: (0..40).map(|n| if n < 30 { 20 + n } else { 25 }).collect(),
            workers: vec![
                worker("worker-1", State::Working, 14, 1_800),
                worker("worker-2", State::Killed, 9, 700),
            ],
            kinds: vec![
                kind("payout|instant", [0, 0, 47, 0], [1, 0], Some([9, 24])),
                kind("payout|standard", [2, 0, 441, 0], [9, 5], Some([11, 38])),
                kind("payout|slowbank", [6_123, 0, 3_869, 0], [4, 4], Some([4_100, 8_900])),
                kind("payout|flakybank", [0, 12, 46, 0], [0, 0], Some([13, 31])),
                kind("payout|scheduled", [0, 3, 3, 0], [0, 0], Some([1, 2])),
                kind("payout|closed", [0, 0, 0, 3], [0, 0], Some([15, 15])),
                kind("identity", [0, 4, 2, 0], [0, 0], None),
            ],
            running: vec![
                run("payout|standard", "1a2b3c4d", "worker-2", 1_420),
                run("payout|slowbank", "5e6f7081", "worker-2", 1_300),
                run("payout|standard", "92a3b4c5", "worker-1", 210),
            ],
            waits: vec![
                wait("worker-2", "dead, holds 9 tasks; its lease ends in 700 ms"),
                wait("payout|slowbank", "6,123 ready; slots 4 of 4 on worker-1, 4 of 4 on worker-2"),
                wait("payout|scheduled", "3 scheduled, the next in 2.6 s"),
            ],
            events: vec![
                event(100, Tone::Good, "worker-1 works"),
                event(8_100, Tone::Bad, "worker-2 killed in mid-work (kill -9); its lease is 2.0 s"),
                event(9_000, Tone::Plain, "the clerk answered: identity 0a1b2c3d goes on"),
            ],
        }
    }

    fn picture(width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, &scene())).unwrap();
        let buffer = terminal.backend().buffer();
        let row =
            |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
        (0..height).map(row).collect()
    }

    #[test]
    fn the_picture_fits_80_by_24() {
        assert_eq!(picture(80, 24), include_str!("view.txt"));
    }

    #[test]
    fn the_picture_bears_any_size() {
        for (width, height) in [(1, 1), (20, 5), (79, 23), (81, 25), (250, 80)] {
            assert_eq!(picture(width, height).lines().count(), usize::from(height));
        }
    }
}
