-- Makes tasks to be found by what they have.
-- no row: never; what is there already stays
-- index: primary key
-- locks: the new rows
insert ignore into steadfast_search (what, term, id)
values {(?, ?, ?)}
