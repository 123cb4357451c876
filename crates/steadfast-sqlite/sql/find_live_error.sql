-- Lists tasks in error, newest first. They are few: a sort is cheap.
-- no row: no such task after the cursor
-- index: steadfast_task_due
-- locks: none; reads one snapshot
select
    seq,
    id,
    bucket,
    kind,
    status,
    priority,
    due_at,
    ready_at,
    base_at,
    deadline_at,
    "grant",
    worker,
    version,
    attempt,
    failures,
    lost,
    created_at,
    changed_at,
    step,
    serial,
    progress,
    output,
    errors,
    extra,
    format,
    coalesce(payload_len, length(payload)),
    null
from steadfast_task
where status = 8
and id < ?1
and (?4 is null or bucket = ?4)
and (?5 is null or kind = ?5)
and (?7 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = ?6
    and other.term = ?7
    and other.id = steadfast_task.id
))
and (?8 is null or serial = ?8)
and (?9 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 1
    and other.term = ?9
    and other.id = steadfast_task.id
))
and (?10 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 2
    and other.term = ?10
    and other.id = steadfast_task.id
))
and (?11 is null or worker = ?11)
and (?12 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 3
    and other.term = ?12
    and other.id = steadfast_task.id
))
and (?13 is null or created_at >= ?13)
and (?14 is null or created_at < ?14)
order by id desc
limit ?2
