-- Pauses a bucket.
-- no row: it is paused already
-- index: primary key
-- locks: its own row
insert ignore into steadfast_paused (bucket)
values (?)
