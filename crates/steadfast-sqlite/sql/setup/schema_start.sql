-- Makes the table that says how many steps the schema has seen.
-- no row: cannot be
-- index: none
-- locks: the file's one write lock
create table if not exists steadfast_schema (
    one integer primary key check (one = 1),
    version integer not null
) strict
