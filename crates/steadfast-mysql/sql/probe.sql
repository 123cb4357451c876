-- Says how things stand, what was added since, what is ready first and what was taken from workers: seeks, no walk.
-- no row: never; there is always how things stand
-- index: the first entry of each, task_seq backwards to the last one seen; all rows of the few workers
-- locks: none; reads one snapshot
select
    0 as what,
    coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))) as n,
    null as bucket,
    exists (
        select 1
        from steadfast_task force index (task_held)
        where held is not null
    ) as held,
    exists (
        select 1
        from steadfast_task force index (task_worker)
        where worker is not null
    ) as `holds`,
    exists (
        select 1
        from steadfast_paused
    ) as paused,
    (
        select moves_at
        from steadfast_task force index (task_moves)
        where moves_at < 1000000000000000000
        order by moves_at
        limit 1
    ) as due_at,
    (
        select min(lease_until)
        from steadfast_worker
        where dead = 0
    ) as lease_until,
    (
        select max(mark)
        from steadfast_kind
    ) as mark,
    null as worker,
    null as task
union all
(
    select
        1,
        seq,
        bucket,
        status,
        serial,
        null,
        null,
        null,
        null,
        null,
        null
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
    steadfast_recall.`grant`,
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    steadfast_recall.worker,
    steadfast_recall.task
from json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_recall force index (primary)
on steadfast_recall.worker = unhex(given.id)
