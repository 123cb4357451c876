-- Locks the tasks that fences hold and reads them; says whether their workers live.
-- no row: the grants are lost
-- index: primary key
-- locks: the rows, in the order given
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
    task.`grant`,
    task.worker,
    task.version,
    task.attempt,
    task.failures,
    task.lost,
    task.key_space,
    task.`key`,
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
    null as payload,
    exists (
        select 1
        from steadfast_worker
        where steadfast_worker.id = task.worker
        and steadfast_worker.dead = 0
    ) as lives
from json_table(?, '$[*]' columns (
    id char(32) path '$[0]',
    `grant` bigint path '$[1]',
    worker char(32) path '$[2]'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
where task.`grant` = given.`grant`
and task.worker = unhex(given.worker)
for update
