-- Declares a worker dead.
-- no row: it was never registered
-- index: primary key
-- locks: its row
update steadfast.worker
set dead = true
where id = $1::uuid
