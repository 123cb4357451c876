-- Says what was added since, the first that is ready, and what was taken from workers: three seeks, no walk.
-- no row: nothing new, nothing ready, nothing taken
-- index: task_seq backwards to the last one seen, task_ready, primary key
-- locks: none; reads one snapshot
(
    select
        1 as what,
        seq,
        bucket,
        status,
        serial,
        null as worker,
        null as task,
        null as `grant`
    from steadfast_task force index (task_seq)
    where seq > ?
    order by seq desc
    limit ?
)
union all
(
    select
        2,
        null,
        bucket,
        null,
        null,
        null,
        null,
        null
    from steadfast_task force index (task_ready)
    where status = 4
    order by status, bucket, priority, ready_at, seq
    limit 1
)
union all
select
    3,
    null,
    null,
    null,
    null,
    steadfast_recall.worker,
    steadfast_recall.task,
    steadfast_recall.`grant`
from json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_recall
on steadfast_recall.worker = unhex(given.id)
