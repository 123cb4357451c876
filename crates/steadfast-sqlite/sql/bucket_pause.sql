-- Pauses a bucket.
-- no row: it was paused before
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_paused (bucket)
values (?1)
on conflict (bucket) do nothing
