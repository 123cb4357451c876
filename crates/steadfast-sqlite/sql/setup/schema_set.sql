-- Writes down how many steps the schema has seen.
-- no row: cannot be
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_schema (one, version)
values (1, ?1)
on conflict (one) do update
set version = excluded.version
