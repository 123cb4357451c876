//! Hints that get lost, come twice and come late.

use super::chance::Chance;
use super::sometimes::Sometimes;
use super::world::World;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use steadfast_core::seam::{Ear, Ears};
use steadfast_core::{Hint, Hints};

pub(crate) struct RoughHints {
    pub(crate) world: Arc<World>,
    pub(crate) ears: Ears,
    pub(crate) chance: Arc<Mutex<Chance>>,
    pub(crate) sometimes: Arc<Mutex<Sometimes>>,
}

impl Hints for RoughHints {
    fn ring(&self, hint: Hint) {
        let chance = *self.chance.lock().unwrap();
        let (lost, twice, delay_us) = {
            let mut random = self.world.random();
            (random.percent(chance.hint_lost), random.percent(chance.hint_twice), random.below(2000))
        };
        if lost {
            self.sometimes.lock().unwrap().saw("hint lost");
            return;
        }
        self.sometimes.lock().unwrap().saw_n("hint twice", usize::from(twice));
        for _ in 0..=usize::from(twice) {
            let (ears, hint) = (self.ears.clone(), hint.clone());
            let sleep = self.world.sleep(Duration::from_micros(delay_us as u64));
            // Hints travel outside of any node: a crash of the sender does not call them back.
            self.world.spawn(
                super::node::NOWHERE,
                Box::pin(async move {
                    sleep.await;
                    ears.ring(&hint);
                }),
            );
        }
    }

    fn listen(&self, ear: Ear) {
        self.ears.listen(ear);
    }
}
