-- Writes down how many steps the schema has seen.
-- no row: never
-- index: primary key
-- locks: the one row
insert into steadfast.schema (version)
values ($1::integer)
on conflict (one) do update
set version = excluded.version
