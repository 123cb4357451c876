-- Marks workers whose lease ended as dead, if the one who asks has a lease itself.
-- no row: every lease holds, or the clock jumped past all of them
-- index: none; there are few workers
-- locks: the rows it marks, in their order
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
ended as materialized (
    select worker.id
    from steadfast.worker
    where not worker.dead
    and worker.lease_until < (select now from clock)
    and exists (
        select 1
        from steadfast.worker as judge
        where judge.id = $2::uuid
        and not judge.dead
        and judge.lease_until >= (select now from clock)
    )
    order by worker.id
    for update
)
update steadfast.worker
set dead = true
from ended
where worker.id = ended.id
