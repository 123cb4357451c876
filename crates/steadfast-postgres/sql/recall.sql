-- Tells workers that runs were taken from them.
-- no row: they know already
-- index: primary key
-- locks: the new rows
insert into steadfast.recall (worker, task, "grant")
select
    worker,
    task,
    "grant"
from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as given (worker, task, "grant")
on conflict do nothing
