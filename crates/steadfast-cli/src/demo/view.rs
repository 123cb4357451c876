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

/// Rows of waits and runs on a small terminal.
const WAITS: u16 = 6;
const RUNS: u16 = 2;
/// How wide one run is.
const RUN_COLUMNS: u16 = 38;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, scene: &Scene) {
    let [title, workers, kinds, waits, running, events] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Length(8),
        Constraint::Length(WAITS + 1),
        Constraint::Min(RUNS + 1),
        Constraint::Fill(1),
    ])
    .areas(frame.area());
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
    let head = ["", "ready", "waits", "slots", "done", "error", "p50", "p99", ""];
    let widths = [18, 6, 5, 11, 6, 5, 7, 7].map(Constraint::Length);
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
    kind.running.iter().map(|n| format!("{:>5}", one(n))).collect::<Vec<_>>().join(" ")
}

fn wait(wait: &Wait) -> Line<'static> {
    Line::from(vec![Span::raw(format!(" {:<18} ", wait.who)), Span::raw(wait.why.clone())])
}

/// The longest runs, in as many columns as fit.
fn draw_running(frame: &mut Frame<'_>, area: Rect, scene: &Scene) {
    let columns = usize::from((area.width / RUN_COLUMNS).max(1));
    let lines = scene.running.chunks(columns).map(|runs| runs.iter().flat_map(run).collect()).collect();
    draw_section(frame, area, "what runs, longest first", lines);
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
