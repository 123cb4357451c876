-- Reads what decides whether runs may end the short way, many at once.
-- no row: the task is gone
-- index: steadfast_task_id
-- locks: none; reads one snapshot
select
    id,
    seq,
    "grant",
    worker,
    attempt,
    failures,
    lost,
    extra is null,
    serial is null and payload_len is null
from steadfast_task
where id in (
    ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,
    ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32
)
