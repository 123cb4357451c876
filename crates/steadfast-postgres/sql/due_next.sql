-- Says what time it is and when the next waiting task is due.
-- no row: never; there is always the clock
-- index: task_due
-- locks: none; reads one snapshot
select
    steadfast.clock($1::bigint) as now,
    (
        select due_at
        from steadfast.task
        where status = 1
        order by due_at
        limit 1
    ) as next_at
