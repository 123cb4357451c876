-- Keeps a payload that is too large for its row.
-- no row: cannot be
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_payload (id, bytes)
values (?1, ?2)
on conflict (id) do update
set bytes = excluded.bytes
