//! What callers get whose task is committed together with a row of their own.

mod postgres;
mod sqlite;

use crate::ground::Base;
use crate::shape::{Figure, ROUNDS_FEW, Shape};

/// The callers' own table, which the tasks belong to.
const ORDERS: &str = "create table orders (id integer primary key)";
const ORDER: &str = "insert into orders (id) values ($1)";

pub(crate) const SQLITE: Shape = Shape {
    base: Base::Sqlite,
    name: "add-in",
    what: "a caller inserts a row of its own and adds a task in one transaction, 2,000 times, on its own connection; the floor inserts that row and one of the lean table",
    unit: "/s",
    figure: Figure::Rate,
    retention: None,
    floor: Some(sqlite::floor),
    raw: None,
    engine: Some(sqlite::run),
    bars: &[],
    rounds_max: ROUNDS_FEW,
};

pub(crate) const POSTGRES: Shape = Shape {
    base: Base::Postgres,
    what: "16 callers at once, each on its own connection, insert a row of their own and add a task in one transaction, 10,000 times in all; the floor inserts that row and one of the lean table on as many connections",
    floor: Some(postgres::floor),
    engine: Some(postgres::run),
    ..SQLITE
};
