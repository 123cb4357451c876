-- Lists ended tasks by one thing that they have, newest first.
-- no row: no such task after the cursor
-- index: primary key of steadfast_search
-- locks: none; reads one snapshot
select
    seq,
    steadfast_history.id,
    bucket,
    kind,
    status,
    priority,
    due_at,
    ready_at,
    base_at,
    null,
    "grant",
    null,
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
from steadfast_search
cross join steadfast_history on steadfast_history.id = steadfast_search.id
where what = ?15
and term = ?16
and steadfast_search.id < ?1
and (?3 is null or status = ?3)
and (?4 is null or bucket = ?4)
and (?5 is null or kind = ?5)
and (?7 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = ?6
    and other.term = ?7
    and other.id = steadfast_history.id
))
and (?8 is null or serial = ?8)
and (?9 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 1
    and other.term = ?9
    and other.id = steadfast_history.id
))
and (?10 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 2
    and other.term = ?10
    and other.id = steadfast_history.id
))
and ?11 is null
and (?12 is null or exists (
    select 1
    from steadfast_search as other
    where other.what = 3
    and other.term = ?12
    and other.id = steadfast_history.id
))
and (?13 is null or created_at >= ?13)
and (?14 is null or created_at < ?14)
order by steadfast_search.id desc
limit ?2
