-- Renews a lease.
-- no row: the worker is dead, or was never registered
-- index: primary key
-- locks: its own row
update steadfast_worker
set lease_until = least(coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))) + ?, 253402300799999999)
where id = ?
and dead = 0
