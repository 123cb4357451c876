-- Takes tasks out of the living ones.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
delete from task
using json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_task as task force index (primary)
on task.id = unhex(given.id)
