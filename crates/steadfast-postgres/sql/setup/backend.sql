-- Says which session of the server this is.
-- no row: never
-- index: none
-- locks: none
select
    pid,
    (extract(epoch from backend_start) * 1000000)::bigint
from pg_stat_activity
where pid = pg_backend_pid()
