-- Declares a worker dead.
-- no row: it was never registered
-- index: primary key
-- locks: its row
update steadfast_worker
set dead = 1
where id = ?
