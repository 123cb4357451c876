-- Says what time it is and when the next waiting task is due.
-- no row: never; there is always the clock
-- index: task_moves
-- locks: none; reads one snapshot
select
    coalesce(?, timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))) as now,
    (
        select moves_at
        from steadfast_task force index (task_moves)
        where moves_at < 1000000000000000000
        order by moves_at
        limit 1
    ) as next_at
