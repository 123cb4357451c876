-- Lists living tasks by one thing that they have, newest first.
-- no row: no such task after the cursor
-- index: primary key of steadfast_search, steadfast_task_id
-- locks: none; reads one snapshot
select
    seq,
    steadfast_task.id,
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
    subkind,
    step,
    key_space,
    key_name,
    key_window,
    serial,
    search1,
    search2,
    parent,
    context,
    progress,
    output,
    errors,
    format,
    coalesce(payload_len, length(payload)),
    null
from steadfast_search
cross join steadfast_task on steadfast_task.id = steadfast_search.id
where what = ?15
and term = ?16
and steadfast_search.id < ?1
and (?3 is null or status = ?3)
and (?4 is null or bucket = ?4)
and (?5 is null or kind = ?5)
and (?6 is null or key_space = ?6)
and (?7 is null or key_name = ?7)
and (?8 is null or serial = ?8)
and (?9 is null or search1 = ?9)
and (?10 is null or search2 = ?10)
and (?11 is null or worker = ?11)
and (?12 is null or parent = ?12)
and (?13 is null or created_at >= ?13)
and (?14 is null or created_at < ?14)
order by steadfast_search.id desc
limit ?2
