-- Makes the place for the schema's version.
-- no row: always
-- index: none
-- locks: the new table
create table if not exists steadfast.schema (
    one boolean primary key default true check (one),
    version integer not null
)
