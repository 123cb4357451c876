-- Lists tasks that a sweep has to move: of workers without a live row, past their deadline, parked past their time.
-- no row: all is well
-- index: task_running, task_due
-- locks: none; reads one snapshot
with recursive clock as materialized (
    select steadfast.clock($1::bigint) as now
),
holder as (
    (
        select worker
        from steadfast.task
        where status = 5
        order by worker
        limit 1
    )
    union all
    select (
        select task.worker
        from steadfast.task
        where task.status = 5
        and task.worker > holder.worker
        order by task.worker
        limit 1
    )
    from holder
    where holder.worker is not null
),
judged as materialized (
    select
        holder.worker,
        exists (
            select 1
            from steadfast.worker
            where worker.id = holder.worker
            and not worker.dead
        ) as lives
    from holder
    where holder.worker is not null
)
select stray.*
from (
    select
        task.seq,
        task.id,
        task.bucket,
        task.kind,
        task.subkind,
        task.step,
        task.status,
        task.priority,
        task.due_at,
        task.ready_at,
        task.base_at,
        task.deadline_at,
        task."grant",
        task.worker,
        task.version,
        task.attempt,
        task.failures,
        task.lost,
        task.key_space,
        task.key,
        task.key_window,
        task.serial,
        task.search1,
        task.search2,
        task.parent,
        task.context,
        task.progress,
        task.output,
        task.errors,
        task.created_at,
        task.changed_at,
        task.format,
        task.payload_len,
        null::bytea as payload,
        true as dead
    from judged
    cross join lateral (
        select *
        from steadfast.task
        where task.status = 5
        and task.worker = judged.worker
        order by task.deadline_at
        limit $2::bigint
    ) as task
    where not judged.lives
    union all
    select
        task.seq,
        task.id,
        task.bucket,
        task.kind,
        task.subkind,
        task.step,
        task.status,
        task.priority,
        task.due_at,
        task.ready_at,
        task.base_at,
        task.deadline_at,
        task."grant",
        task.worker,
        task.version,
        task.attempt,
        task.failures,
        task.lost,
        task.key_space,
        task.key,
        task.key_window,
        task.serial,
        task.search1,
        task.search2,
        task.parent,
        task.context,
        task.progress,
        task.output,
        task.errors,
        task.created_at,
        task.changed_at,
        task.format,
        task.payload_len,
        null::bytea as payload,
        false as dead
    from judged
    cross join lateral (
        select *
        from steadfast.task
        where task.status = 5
        and task.worker = judged.worker
        and task.deadline_at <= (select now from clock)
        order by task.deadline_at
        limit $2::bigint
    ) as task
    where judged.lives
    union all
    (
        select
            task.seq,
            task.id,
            task.bucket,
            task.kind,
            task.subkind,
            task.step,
            task.status,
            task.priority,
            task.due_at,
            task.ready_at,
            task.base_at,
            task.deadline_at,
            task."grant",
            task.worker,
            task.version,
            task.attempt,
            task.failures,
            task.lost,
            task.key_space,
            task.key,
            task.key_window,
            task.serial,
            task.search1,
            task.search2,
            task.parent,
            task.context,
            task.progress,
            task.output,
            task.errors,
            task.created_at,
            task.changed_at,
            task.format,
            task.payload_len,
            null::bytea as payload,
            false as dead
        from steadfast.task
        where task.status = 6
        and task.due_at <= (select now from clock)
        order by task.due_at
        limit $2::bigint
    )
) as stray
limit $2::bigint
