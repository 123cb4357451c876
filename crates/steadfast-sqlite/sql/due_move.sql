-- Makes a waiting task ready.
-- no row: cannot be; it was listed in this transaction
-- index: rowid
-- locks: the file's one write lock
update steadfast_task
set
    status = 4,
    ready_at = due_at,
    version = version + 1,
    changed_at = ?2
where seq = ?1
