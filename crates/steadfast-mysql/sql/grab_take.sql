-- Gives tasks that this transaction has locked to a worker.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
update json_table(?, '$[*]' columns (
    id char(32) path '$[0]',
    deadline_at bigint path '$[1]'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
set
    task.status = 5,
    task.`grant` = task.`grant` + 1,
    task.worker = ?,
    task.version = task.version + 1,
    task.attempt = task.attempt + 1,
    task.deadline_at = given.deadline_at,
    task.changed_at = ?,
    task.limited = ?
