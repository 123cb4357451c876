//! What a pick costs, counted in heads that are moved: each is one step in a set with one head a line, so
//! the moves bound the work, and unlike time they do not depend on the machine.

use super::*;

#[test]
fn the_backlog_of_a_full_kind_costs_a_pick_nothing() {
    let alone = moves_of_1000_picks(0);
    assert!(alone <= 4 * 1000, "{alone} moves for 1000 picks");
    for backlog in [1, 1000, 100_000] {
        // The head of the full kind is laid aside once.
        assert_eq!(moves_of_1000_picks(backlog), alone + 2, "backlog of {backlog}");
    }
}

#[test]
fn full_kinds_cost_a_pick_nothing_however_many_they_are() {
    let mut table = Table::new(Limits::new(20_000), 1_000_000);
    for number in 0..10_000 {
        let full = kind(&format!("full{number}"));
        let limit = table.limits_mut().add(Limits::ROOT, 1);
        table.limits_mut().assign(full.clone(), limit);
        assert!(table.book(&full, Lane::Plain, Priority::default()));
        table.note(&note(&full, number));
    }
    table.note(&note(&kind("pay"), 1_000_000));
    // All are laid aside once, when the first pick meets them.
    assert!(table.pick().is_some());
    let before = table.heads.moves;
    for at in 0..1000 {
        table.note(&note(&kind("pay"), at));
        table.note(&note(&kind("full1"), 20_000 + at));
        assert!(table.pick().is_some());
    }
    assert!(table.heads.moves - before <= 4 * 1000, "{} moves for 1000 picks", table.heads.moves - before);
}

#[test]
fn a_freed_slot_moves_only_as_many_heads_as_its_path_is_long() {
    let mut table = Table::new(Limits::new(20_000), 1_000_000);
    let group = table.limits_mut().add(Limits::ROOT, 1);
    let kinds: Vec<Kind> = (0..10_000).map(|number| kind(&format!("kind{number}"))).collect();
    for kind in &kinds {
        let own = table.limits_mut().add(group, 1);
        table.limits_mut().assign(kind.clone(), own);
        table.note(&note(kind, 0));
    }
    assert!(table.pick().is_some() && table.pick().is_none());
    for _ in 0..1000 {
        let before = table.heads.moves;
        table.free(&kinds[0], Lane::Plain);
        // Another one takes the slot; book it for the kind that is freed above.
        assert!(table.book(&kinds[0], Lane::Plain, Priority::default()) && !table.has_next());
        assert!(table.heads.moves - before <= 8, "{} moves for one slot", table.heads.moves - before);
    }
}

#[test]
fn a_full_bucket_moves_no_head_however_often_it_is_asked() {
    let mut table = Table::new(Limits::new(1), 1_000_000);
    for number in 0..10_000 {
        table.note(&note(&kind(&format!("kind{number}")), number));
    }
    assert!(table.book(&kind("kind0"), Lane::Plain, Priority::default()));
    let before = table.heads.moves;
    assert!(!table.has_next() && table.pick().is_none());
    assert_eq!(table.heads.moves, before);
}

/// Picks from one kind while another is full and has so many tasks ready, all of them older.
fn moves_of_1000_picks(backlog: i64) -> usize {
    let (full, open) = (kind("full"), kind("open"));
    let mut table = Table::new(Limits::new(10), 1_000_000);
    let limit = table.limits_mut().add(Limits::ROOT, 1);
    table.limits_mut().assign(full.clone(), limit);
    assert!(table.book(&full, Lane::Plain, Priority::default()));
    for at in 0..backlog {
        table.note(&note(&full, at));
    }
    for at in 0..1000 {
        table.note(&note(&open, 1_000_000 + at));
    }
    let before = table.heads.moves;
    for _ in 0..1000 {
        assert_eq!(table.pick().map(|pick| pick.0), Some(open.clone()));
        table.free(&open, Lane::Plain);
    }
    table.heads.moves - before
}

fn kind(name: &str) -> Kind {
    Kind::new(name).unwrap()
}

fn note(kind: &Kind, at: i64) -> Note {
    let (priority, ready_at) = (Priority::default(), Time::from_micros(at));
    Note { kind: kind.clone(), priority, ready_at, lane: Lane::Plain, n: 1 }
}
