-- Moves the end of a lease.
-- no row: the worker is dead or unknown
-- index: primary key
-- locks: the file's one write lock
update steadfast_worker
set lease_until = ?2
where id = ?1
and dead = 0
