-- Writes down where runs stand that were locked in this transaction.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
update json_table(?, '$[*]' columns (
    id char(32) path '$[0]',
    step varchar(500) path '$[1]',
    progress longtext path '$[2]',
    deadline_at bigint path '$[3]',
    progressed tinyint path '$[4]',
    changed tinyint path '$[5]'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
set
    task.step = coalesce(unhex(given.step), task.step),
    task.progress = coalesce(unhex(given.progress), task.progress),
    task.deadline_at = coalesce(given.deadline_at, task.deadline_at),
    task.failures = case when given.progressed = 1 then 0 else task.failures end,
    task.version = task.version + given.changed,
    task.changed_at = case when given.changed = 1 then ? else task.changed_at end
