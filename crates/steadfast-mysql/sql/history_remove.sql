-- Removes ended tasks.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
delete from ended
using json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_history as ended force index (primary)
on ended.id = unhex(given.id)
