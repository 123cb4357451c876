-- Makes the schema and the place for its version.
-- no row: always
-- index: none
-- locks: the new tables
create schema if not exists steadfast;

create table if not exists steadfast.schema (
    one boolean primary key default true check (one),
    version integer not null
)
