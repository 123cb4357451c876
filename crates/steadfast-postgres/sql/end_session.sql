-- Ends the session that may still hold the receipt of a lost batch.
-- no row: it ended by itself
-- index: none
-- locks: none
select pg_terminate_backend(pid)
from pg_stat_activity
where pid = $1::integer
and abs(extract(epoch from backend_start) * 1000000 - $2::bigint) < 1000
