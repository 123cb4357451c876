-- Counts what runs under limits of the cluster, up to each one's size; a statement after the lock, for its snapshot.
-- no row: never
-- index: task_limited
-- locks: none; the limits are locked
select coalesce(min(greatest(given.size - running.n, 0)), 0)
from unnest($1::text[], $2::text[], $3::bigint[]) as given (name, until, size)
cross join lateral (
    select count(*) as n
    from (
        select 1
        from steadfast.task
        where task.status = 5
        and task.limited is not null
        and task.limited >= given.name
        and task.limited < given.until
        limit given.size
    ) as one
) as running
