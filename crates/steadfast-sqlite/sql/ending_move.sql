-- Copies runs that ended well and changed nothing else to the history, many at once.
-- no row: cannot be; they were found in this transaction
-- index: rowid
-- locks: the file's one write lock
insert or fail into steadfast_history (
    id,
    seq,
    status,
    bucket,
    kind,
    priority,
    ready_at,
    due_at,
    "grant",
    version,
    attempt,
    failures,
    lost,
    changed_at,
    base_at,
    created_at,
    step,
    serial,
    progress,
    output,
    errors,
    extra,
    format,
    payload_len,
    payload
)
select
    id,
    seq,
    7,
    bucket,
    kind,
    priority,
    ready_at,
    ?33,
    "grant",
    version + 1,
    attempt,
    failures,
    lost,
    ?33,
    base_at,
    created_at,
    step,
    serial,
    progress,
    output,
    errors,
    extra,
    format,
    payload_len,
    payload
from steadfast_task
where seq in (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
    ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32
)
