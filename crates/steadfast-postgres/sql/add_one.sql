-- Adds a task by the function for all languages; for drivers that are not ours.
-- no row: never; it says the id, of the first task if the key is taken
-- index: none; an insert
-- locks: the key, if it has one, until the caller's transaction ends
select steadfast.add(
    kind => $1::text,
    bytes => $2::bytea,
    format => $3::bigint,
    id => $4::uuid,
    bucket => $5::text,
    priority => $6::integer,
    delay => make_interval(secs => $7::double precision),
    at => to_timestamp($8::double precision),
    key => $9::text,
    own_id => $10::text,
    serial => $11::text,
    search1 => $12::text,
    search2 => $13::text,
    subkind => $14::text,
    step => $15::text,
    parent => $16::uuid,
    context => $17::text::jsonb
)
