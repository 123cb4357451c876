-- Lets a paused bucket go on.
-- no row: it was not paused
-- index: primary key
-- locks: the file's one write lock
delete from steadfast_paused
where bucket = ?1
