-- Locks ended tasks that are past their time.
-- no row: there are none
-- index: history_ended
-- locks: the rows; skips those that somebody else holds
select
    id,
    key_space,
    `key`,
    key_window,
    serial,
    search1,
    search2,
    parent,
    version
from steadfast_history force index (history_ended)
where due_at < ?
order by due_at
limit ?
for update skip locked
