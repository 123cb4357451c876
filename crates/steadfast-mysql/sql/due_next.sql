-- Says what time it is and when the next waiting task is due.
-- no row: never; there is always the clock
-- index: task_due
-- locks: none; reads one snapshot
select
    coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))) as now,
    (
        select due_at
        from steadfast_task
        where status = 1
        order by due_at
        limit 1
    ) as next_at
