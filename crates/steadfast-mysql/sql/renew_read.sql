-- Says what time it is, how much a worker runs and what was taken from it.
-- no row: never; there is always the clock
-- index: primary key, task_worker
-- locks: none; reads one snapshot
select
    coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))) as now,
    (
        select count(*)
        from steadfast_task force index (task_worker)
        where worker = given.worker
        and status = 5
    ) as running,
    steadfast_recall.task,
    steadfast_recall.`grant`
from (
    select cast(? as binary(16)) as worker
) as given
left join steadfast_recall
on steadfast_recall.worker = given.worker
