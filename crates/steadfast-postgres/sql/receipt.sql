-- Writes the receipt of a batch, or of its settling in its place.
-- no row: the receipt was used before
-- index: primary key
-- locks: the new row; waits for whoever writes the same one
insert into steadfast.receipt (id, created_at, committed)
values ($2::uuid, steadfast.clock($1::bigint), $3::boolean)
on conflict (id) do nothing
returning id
