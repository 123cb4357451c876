-- Gives a task another payload.
-- no row: cannot be; it was read in this transaction
-- index: rowid
-- locks: the file's one write lock
update steadfast_task
set
    format = ?2,
    payload_len = ?3,
    payload = ?4
where seq = ?1
