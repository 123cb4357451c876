-- Locks the tasks that fences hold and reads what their short end needs.
-- no row: the grants are lost
-- index: primary key
-- locks: the rows, in the order given
select
    task.id,
    task.key_space,
    task.`key`,
    task.key_window,
    task.serial,
    task.search1,
    task.search2,
    task.parent,
    task.version
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
