//! Words about what is ready, put together where they agree. What stores gather on their way through rows.

use crate::kind::{Bucket, Kind};
use crate::priority::Priority;
use crate::table::{Lane, Note};
use crate::time::Time;

/// Notes as they come in. Rows that follow each other mostly agree, so it looks no further back while it gathers.
#[derive(Debug, Default)]
pub struct Notes(Vec<(Bucket, Note)>);

impl Notes {
    /// One task is ready.
    pub fn add(&mut self, bucket: &Bucket, kind: Kind, priority: Priority, ready_at: Time, lane: Lane) {
        self.add_note(bucket, Note { kind, priority, ready_at, lane, n: 1 });
    }

    /// So many tasks are ready.
    pub fn add_note(&mut self, bucket: &Bucket, note: Note) {
        match self.0.last_mut() {
            Some((place, last)) if place == bucket && agree(last, &note) => last.n += note.n,
            _ => self.0.push((bucket.clone(), note)),
        }
    }

    /// The notes by bucket, in the claim's order.
    pub fn by_bucket(mut self) -> Vec<(Bucket, Note)> {
        self.0.sort_by(|one, other| order(one).cmp(&order(other)));
        let mut notes = Self::default();
        for (bucket, note) in self.0 {
            notes.add_note(&bucket, note);
        }
        notes.0
    }

    /// The notes of one bucket, in the claim's order.
    pub fn of_one(self) -> Vec<Note> {
        self.by_bucket().into_iter().map(|(_, note)| note).collect()
    }

    /// The first tasks of one bucket, up to so many, in the claim's order; and whether there were more.
    pub fn first_of_one(self, n_max: usize) -> (Vec<Note>, bool) {
        let (mut notes, mut left, mut more) = (self.of_one(), n_max, false);
        for note in &mut notes {
            let n = note.n.min(left);
            more |= n < note.n;
            left -= n;
            note.n = n;
        }
        notes.retain(|note| note.n > 0);
        (notes, more)
    }
}

/// The claim's order, and beyond it any: what agrees stands together.
fn order((bucket, note): &(Bucket, Note)) -> (&Bucket, Priority, Time, &Kind, Lane) {
    (bucket, note.priority, note.ready_at, &note.kind, note.lane)
}

/// Whether they are of tasks that became ready together.
fn agree(one: &Note, other: &Note) -> bool {
    (one.priority, one.ready_at, one.lane) == (other.priority, other.ready_at, other.lane)
        && one.kind == other.kind
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tasks as `time:kind`, all of one priority.
    fn gathered(words: &str) -> Notes {
        let mut notes = Notes::default();
        for word in words.split(' ') {
            let (time, kind) = word.split_once(':').unwrap();
            let (ready_at, kind) = (Time::from_micros(time.parse().unwrap()), Kind::new(kind).unwrap());
            notes.add(&Bucket::default(), kind, Priority::default(), ready_at, Lane::Plain);
        }
        notes
    }

    fn text(notes: &[Note]) -> String {
        let text = |note: &Note| format!("{}:{}x{}", note.ready_at.micros(), note.kind, note.n);
        notes.iter().map(text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_agrees_is_put_together_in_the_claims_order() {
        assert_eq!(text(&gathered("2:a 1:b 2:a 1:b 1:a").of_one()), "1:ax1 1:bx2 2:ax2");
    }

    #[test]
    fn the_first_are_those_that_became_ready_first() {
        let first = |n_max| {
            let (notes, more) = gathered("2:a 1:b 2:a 1:b").first_of_one(n_max);
            format!("{} {more}", text(&notes))
        };
        assert_eq!(first(4), "1:bx2 2:ax2 false");
        assert_eq!(first(3), "1:bx2 2:ax1 true");
        assert_eq!(first(2), "1:bx2 true");
        assert_eq!(first(0), " true");
    }
}
