-- Marks workers whose lease ended as dead.
-- no row: every lease holds
-- index: none; there are few workers
-- locks: the file's one write lock
update steadfast_worker
set dead = 1
where dead = 0
and lease_until < ?1
