-- Marks a worker as dead.
-- no row: the worker is unknown
-- index: primary key
-- locks: the file's one write lock
update steadfast_worker
set dead = 1
where id = ?1
