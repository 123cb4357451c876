-- Adds a task, or gives birth to one.
-- no row: cannot be; an id that exists is an error
-- index: none
-- locks: the file's one write lock
insert into steadfast_task (
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
    payload_len,
    payload
)
values (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
    ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26
)
