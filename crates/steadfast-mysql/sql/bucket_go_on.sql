-- Lets a bucket go on.
-- no row: it was not paused
-- index: primary key
-- locks: its own row
delete from steadfast_paused
where bucket = ?
