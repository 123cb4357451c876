-- Marks workers as dead whose lease ended.
-- no row: somebody else was faster, or they renewed it
-- index: primary key
-- locks: the rows it marks, in the order given
update json_table(?, '$[*]' columns (
    id char(32) path '$'
)) as given
straight_join steadfast_worker force index (primary)
on steadfast_worker.id = unhex(given.id)
set steadfast_worker.dead = 1
where steadfast_worker.dead = 0
and steadfast_worker.lease_until < ?
