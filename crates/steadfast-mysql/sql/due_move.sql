-- Makes waiting tasks ready that this transaction has locked.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
update json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
set
    task.status = 4,
    task.ready_at = task.due_at,
    task.version = task.version + 1,
    task.changed_at = ?
