-- Lets tasks come forward that this transaction has locked.
-- no row: never; the rows are locked
-- index: primary key, task_head
-- locks: none beyond those it has; a second head is refused by task_head
update json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
set
    task.ready_at = greatest(task.due_at, ?),
    task.version = task.version + 1,
    task.changed_at = ?,
    task.status = case when task.due_at > ? then 1 else 4 end
