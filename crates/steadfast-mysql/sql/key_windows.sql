-- Reads what the end of tasks needs that were locked in this transaction.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none
select
    task.id,
    task.key_space,
    task.`key`,
    task.key_window,
    task.serial,
    task.search1,
    task.search2,
    task.parent
from json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
