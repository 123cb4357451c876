//! The model as the checker takes it: where it starts, what may happen, what must hold.

use crate::caller::Knows;
use crate::event::Event;
use crate::fault::Fault;
use crate::law::Law;
use crate::names::TaskNo;
use crate::row::Place;
use crate::scene::{Mishaps, Scene};
use crate::state::State;
use stateright::{Model, Property};
use steadfast_core::Status;

/// A scene under the rules, with at most one fault planted.
#[derive(Debug)]
pub struct Protocol {
    scene: Scene,
    law: Law,
}

impl Protocol {
    /// The protocol as it is.
    pub fn new(scene: Scene) -> Self {
        Self { scene, law: Law::new(None) }
    }

    /// The protocol with a fault, in the scene where it shows.
    pub fn with(fault: Fault) -> Self {
        Self { scene: fault.scene(), law: Law::new(Some(fault)) }
    }

    /// Whether nothing is left to happen but mishaps.
    fn is_over(&self, state: &State) -> bool {
        let mut choices = Vec::new();
        state.choices(&self.law, &mut choices);
        choices.into_iter().all(Event::is_mishap)
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Event;

    fn init_states(&self) -> Vec<State> {
        vec![State::new(&self.law, self.scene)]
    }

    fn actions(&self, state: &State, events: &mut Vec<Event>) {
        state.choices(&self.law, events);
    }

    fn next_state(&self, last: &State, event: Event) -> Option<State> {
        let mut next = last.clone();
        next.step(&self.law, event);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("no task is lost", |_, state: &State| {
                let told = state.callers.iter().map(|caller| caller.knows == Knows::Told);
                told.zip(state.store.places).all(|(told, place)| !told || place != Place::Nowhere)
            }),
            Property::always("no task is added twice", |_, state: &State| {
                state.witness.tasks.iter().all(|seen| seen.added <= 1)
            }),
            Property::always("a task ends at most once", |_, state: &State| {
                state.witness.tasks.iter().all(|seen| seen.ends <= 1)
            }),
            Property::always("effects are committed with the end, once", |_, state: &State| {
                let done = |place| place == Place::Ended(Status::Done);
                let tasks = state.witness.tasks.iter().zip(state.store.places);
                tasks.into_iter().all(|(seen, place)| seen.effects == u8::from(done(place)))
            }),
            Property::always("only the newest grant writes", |_, state: &State| !state.witness.stale_write),
            Property::always("a recalled run never ends", |_, state: &State| !state.witness.recalled_end),
            Property::always("dead is final", |_, state: &State| !state.witness.revived),
            Property::always("an outage kills nobody", |_, state: &State| !state.witness.condemned),
            Property::always("when all is over, each task has ended", |model: &Self, state: &State| {
                let ended = |no: TaskNo| matches!(state.place(no), Place::Ended(_));
                TaskNo::ALL.into_iter().all(ended) || !model.is_over(state)
            }),
            Property::sometimes("all that may go wrong has gone wrong", |_, state: &State| {
                let ended = state.store.places.iter().all(|place| matches!(place, Place::Ended(_)));
                ended && state.left == Mishaps::default()
            }),
            Property::sometimes("a run goes on that is no longer its worker's", |_, state: &State| {
                let holds = state.processes.iter().flat_map(|process| process.holds);
                let mut tokens = holds.filter_map(|hold| hold.run.token());
                tokens.any(|token| !state.store.is_held_by(token))
            }),
        ]
    }
}
