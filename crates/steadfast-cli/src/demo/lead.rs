//! The parent: one loop that owns all the demo knows. It hears news, lets the kill decide, shows, and sums up.

use super::book;
use super::children::{self, Children, SEATS};
use super::clerk;
use super::database::Database;
use super::feed;
use super::kill::{Deed, Kill};
use super::line::Line;
use super::news::{News, Seat};
use super::numbers::{plural, short};
use super::scene::{State, Tone};
use super::show::{Look, Show};
use super::snapshot::{self, Snapshot};
use super::stop;
use super::story::{SLOWBANK, Story};
use super::summary::{Facts, Summary};
use super::tally::Tally;
use super::worker::LEASE;
use anyhow::{Context, Result, bail};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use steadfast::{Engine, Fence, TaskId};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How often the view is drawn.
const REDRAW: Duration = Duration::from_millis(100);
/// How long draining may take before the workers are killed.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// What a shell says of a program that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// The demo from its beginning to its sums.
pub(super) async fn lead(database: &Database, story: Story, look: Look) -> Result<ExitCode> {
    let mut stops = stop::stops().context("cannot listen to signals")?;
    let engine = steadfast::connect(&database.url()).await?.start().await?;
    book::open(database.file())?;
    let (mut lead, mut inbox) = Lead::start(&engine, database, story)?;
    let mut show = Show::new(look)?;
    let end = lead.play(&mut inbox, &mut stops, &mut show).await;
    // The terminal is given back before anything is said about the end.
    drop(show);
    if end? == End::AtOnce {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    let summary = Summary::read(&engine, database.file(), lead.facts()).await?;
    let mut out = std::io::stdout().lock();
    if look == Look::Sums {
        writeln!(out, "{}", summary.value())?;
    } else {
        write!(out, "{summary}")?;
    }
    if database.is_kept() && look != Look::Sums {
        writeln!(out, "The database is kept in {}", database.file().display())?;
    }
    Ok(match summary.faults() {
        [_, ..] => ExitCode::FAILURE,
        [] if lead.interrupted => ExitCode::from(INTERRUPTED),
        [] => ExitCode::SUCCESS,
    })
}

struct Lead {
    story: Story,
    tally: Tally,
    kill: Kill,
    children: Children,
    /// Adds, looks and answers. They end when nobody listens any more.
    helpers: JoinSet<Result<()>>,
    stop_feed: watch::Sender<bool>,
    /// To the clerk.
    tokens: UnboundedSender<Fence>,
    /// All that was added, and when the feed said so.
    fed: Option<(Vec<TaskId>, Instant)>,
    draining: Option<Instant>,
    worked: Option<Duration>,
    interrupted: bool,
}

/// How the demo ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// All workers have left.
    Drained,
    /// Somebody asked twice.
    AtOnce,
}

impl Lead {
    fn start(engine: &Engine, database: &Database, story: Story) -> Result<(Self, UnboundedReceiver<News>)> {
        let (news, inbox) = mpsc::unbounded_channel();
        let (stop_feed, stopped) = watch::channel(false);
        let (tokens, received) = mpsc::unbounded_channel();
        let mut helpers = JoinSet::new();
        helpers.spawn(feed::feed(engine.clone(), story, stopped, news.clone()));
        helpers.spawn(snapshot::watch(engine.clone(), news.clone()));
        helpers.spawn(clerk::work(engine.clone(), story.clerk(), received, news.clone()));
        let mut children = Children::new(database.url(), news);
        (0..SEATS).try_for_each(|seat| children.start(seat))?;
        let lead = Self {
            story,
            tally: Tally::new(),
            kill: Kill::new(story.slow()),
            children,
            helpers,
            stop_feed,
            tokens,
            fed: None,
            draining: None,
            worked: None,
            interrupted: false,
        };
        Ok((lead, inbox))
    }

    async fn play(
        &mut self,
        inbox: &mut UnboundedReceiver<News>,
        stops: &mut UnboundedReceiver<()>,
        show: &mut Show,
    ) -> Result<End> {
        let backlog = plural(self.story.slow().into(), "payout");
        self.tally.event(Tone::Plain, format!("{SLOWBANK} has {backlog}, the others come in as you watch"));
        let mut redraw = tokio::time::interval(REDRAW);
        loop {
            let asked = tokio::select! {
                biased;
                Some(()) = stops.recv() => true,
                _ = redraw.tick() => show.tick(&self.tally.scene(self.kill.dead()))?,
                Some(helped) = self.helpers.join_next() => { helped??; false }
                Some(news) = inbox.recv() => { self.hear(news).await?; false }
            };
            if asked && self.interrupted {
                return Ok(End::AtOnce);
            }
            if asked {
                self.interrupt().await;
            }
            if self.is_drained()? {
                show.tick(&self.tally.scene(None))?;
                return Ok(End::Drained);
            }
        }
    }

    async fn hear(&mut self, news: News) -> Result<()> {
        match news {
            News::Line(seat, line) => self.hear_worker(seat, line),
            News::Fault(seat, text) => {
                self.tally.event(Tone::Bad, format!("{}: {text}", children::name(seat)));
            }
            News::Gone(seat) => return self.gone(seat),
            News::Seen(snapshot) => return self.see(*snapshot).await,
            News::Fed(ids) => self.fed = Some((ids, Instant::now())),
            News::Approved(id) => {
                let id = id.to_string().split_off(28);
                self.tally.event(Tone::Plain, format!("the clerk answered: identity {id} goes on"));
            }
        }
        Ok(())
    }

    fn hear_worker(&mut self, seat: Seat, line: Line) {
        let name = children::name(seat);
        match line {
            Line::Up { process } => {
                self.tally.set_state(seat, State::Working);
                self.tally.event(Tone::Good, format!("{name} works, as process {process}"));
                self.kill.up(seat);
            }
            Line::Started { kind, waited } => self.tally.waited(kind, waited),
            // The clerk works as long as the demo.
            Line::Parked { token } => drop(self.tokens.send(token)),
            Line::Drained { given_back } => {
                self.tally.set_state(seat, State::Drained);
                let given_back = plural(given_back as u64, "task");
                self.tally.event(Tone::Plain, format!("{name} drained, {given_back} given back"));
            }
        }
    }

    /// Somebody may try what happens when he kills a worker himself: it is started again. One that ends before it
    /// works is a fault, and the complaint before it says which.
    fn gone(&mut self, seat: Seat) -> Result<()> {
        let name = children::name(seat);
        match self.tally.state(seat) {
            State::Killed => {}
            State::Working if self.draining.is_none() => {
                self.tally.event(Tone::Bad, format!("{name} ended, and not by us; it is started again"));
                self.restart(seat)?;
            }
            State::Working | State::Drained => self.tally.set_state(seat, State::Gone),
            State::Starting | State::Gone => {
                bail!("{name} ended before it worked; the last word was: {}", self.tally.last_word())
            }
        }
        Ok(())
    }

    async fn see(&mut self, snapshot: Snapshot) -> Result<()> {
        let deed = self.kill.next(&snapshot).filter(|_| self.draining.is_none());
        match deed {
            Some(Deed::Kill(seat)) => self.do_kill(seat, &snapshot).await?,
            Some(Deed::Restart(seat, after)) => self.do_restart(seat, after)?,
            None => {}
        }
        let slow = snapshot.live.iter().any(|count| count.kind.as_str() == SLOWBANK);
        if self.kill.is_over() && !slow {
            self.stop_feed.send_replace(true);
        }
        let fed = self.fed.as_ref().is_some_and(|(_, at)| snapshot.begun > *at);
        let over = fed && snapshot.left() == 0;
        self.tally.see(snapshot);
        if over && self.draining.is_none() {
            self.tally.event(Tone::Good, "all tasks have ended");
            self.drain().await;
        } else if self.tally.is_stuck() && self.draining.is_none() {
            // The sums then say what was left behind, and that this is wrong.
            self.tally.event(Tone::Bad, "nothing ends any more; giving up");
            self.drain().await;
        }
        Ok(())
    }

    async fn do_kill(&mut self, seat: Seat, snapshot: &Snapshot) -> Result<()> {
        self.tally.set_state(seat, State::Killed);
        self.children.kill(seat).await?;
        self.kill.killed(snapshot);
        let text =
            format!("{} killed in mid-work (kill -9); its lease is {}", children::name(seat), short(LEASE));
        self.tally.event(Tone::Bad, text);
        Ok(())
    }

    fn do_restart(&mut self, seat: Seat, after: Duration) -> Result<()> {
        let name = children::name(seat);
        let held = plural(self.kill.death().map_or(0, |death| death.held), "task");
        let text = format!("lease of {name} ended: {held} taken over {} after the kill", short(after));
        self.tally.event(Tone::Good, text);
        self.kill.restarted();
        self.restart(seat)
    }

    fn restart(&mut self, seat: Seat) -> Result<()> {
        self.tally.set_state(seat, State::Starting);
        self.children.start(seat)
    }

    async fn interrupt(&mut self) {
        self.interrupted = true;
        self.tally.event(Tone::Plain, "asked to stop: the workers drain");
        self.drain().await;
    }

    async fn drain(&mut self) {
        self.stop_feed.send_replace(true);
        if self.draining.is_none() {
            self.draining = Some(Instant::now());
            self.worked = Some(self.tally.elapsed());
            self.children.drain().await;
        }
    }

    /// Whether all workers have left and the feed has said what it added.
    fn is_drained(&self) -> Result<bool> {
        let Some(since) = self.draining else { return Ok(false) };
        if since.elapsed() > DRAIN_MAX {
            bail!("the workers did not drain within {}", short(DRAIN_MAX));
        }
        let left = |seat| matches!(self.tally.state(seat), State::Gone | State::Killed);
        Ok(self.fed.is_some() && (0..SEATS).all(left))
    }

    fn facts(&self) -> Facts {
        Facts {
            added: self.fed.as_ref().map(|(ids, _)| ids.clone()).unwrap_or_default(),
            killed: self.kill.death().and_then(|death| Some((death.at, death.over?))),
            worked: self.worked.unwrap_or_else(|| self.tally.elapsed()),
            interrupted: self.interrupted,
            latencies: super::story::KINDS
                .into_iter()
                .filter_map(|kind| Some((kind, self.tally.latency(kind)?.quantiles()?)))
                .collect(),
        }
    }
}
