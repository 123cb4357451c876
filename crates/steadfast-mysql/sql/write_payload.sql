-- Gives a task that was locked in this transaction another payload.
-- no row: never; the row is locked
-- index: primary key
-- locks: none beyond those it has
update steadfast_task
set
    format = ?,
    payload_len = ?,
    payload = ?
where id = ?
