-- Removes recalls of workers that are gone.
-- no row: never; there is always the count
-- index: primary key
-- locks: the rows it removes; skips those that somebody else holds
with old as materialized (
    select
        recall.worker,
        recall.task,
        recall."grant"
    from steadfast.recall
    where not exists (
        select 1
        from steadfast.worker
        where worker.id = recall.worker
        and not worker.dead
    )
    limit $1::bigint
    for update of recall skip locked
),
gone as (
    delete from steadfast.recall
    using old
    where recall.worker = old.worker
    and recall.task = old.task
    and recall."grant" = old."grant"
    returning recall.task
)
select count(*)
from gone
