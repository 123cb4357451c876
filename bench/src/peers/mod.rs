//! Steadfast beside its peers: other task engines, each in a small program of its own under `bench/peers`.
//!
//! Every round puts all of them, Steadfast and the floor through a race before the next one begins, so that whoever
//! disturbs the machine disturbs all. Each run has a fresh database, and the program that handles the tasks counts
//! which it has not seen or has seen twice. What was measured goes to `target/bench/peers.jsonl`, a line a run; the
//! report makes a section of the page of it.

mod answer;
mod bar;
mod build;
mod database;
mod heat;
mod peer;
mod plot;
mod program;
mod race;
mod record;
mod section;
mod standing;

use crate::shape::ROUNDS_FEW;
use crate::{Result, trials};
use heat::{Heat, Runner};
use peer::Peer;
use race::Race;
use record::{Book, Record};

pub(crate) use section::{HEAD, write as write_section};

/// Which peers and which race are measured: all where nothing is named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) peers: Option<Vec<String>>,
    pub(crate) race: Option<String>,
}

/// Builds the chosen peers and measures them beside Steadfast and the floor. After some rounds, those who can no longer
/// be the best of the peers in a race are spared the rest of it.
pub(crate) fn run(choice: &Choice, rounds: usize) -> Result<()> {
    let (peers, races) = (choice.peers()?, choice.races()?);
    let commit = trials::commit()?;
    let mut book = Book::open(choice.is_all())?;
    let mut runners = vec![Runner::Floor, Runner::Steadfast];
    for peer in peers {
        match build::build(peer) {
            Ok(()) => runners.push(Runner::Peer(peer)),
            Err(fault) => {
                eprintln!("{} cannot be built: {fault}", peer.name);
                book.write(&Record::unbuilt(peer, &commit, &fault.to_string()))?;
            }
        }
    }
    let mut records = Vec::new();
    for round in 1..=rounds {
        for race in &races {
            // Another one goes first each time.
            for at in 0..runners.len() {
                let runner = runners[(round + at) % runners.len()];
                if round > ROUNDS_FEW && standing::is_out(runner, race, &records) {
                    continue;
                }
                let heat = Heat { runner, race, round };
                let record = Record::of(&heat, &commit, heat.run());
                println!("round {round}/{rounds} {}", record.line(race));
                book.write(&record)?;
                records.push(record);
            }
        }
    }
    let faults = records.iter().filter(|record| record.fault.is_some()).count();
    if faults == 0 { Ok(()) } else { Err(format!("{faults} runs gave no figure; see above").into()) }
}

impl Choice {
    fn is_all(&self) -> bool {
        *self == Self::default()
    }

    fn peers(&self) -> Result<Vec<&'static Peer>> {
        let Some(names) = &self.peers else { return Ok(peer::ALL.iter().collect()) };
        names.iter().map(|name| Peer::find(name)).collect()
    }

    fn races(&self) -> Result<Vec<&'static Race>> {
        self.race
            .as_deref()
            .map_or_else(|| Ok(race::ALL.iter().collect()), |name| Ok(vec![Race::find(name)?]))
    }
}
