-- Lets a held task come forward.
-- no row: cannot be; it was read in this transaction
-- index: rowid
-- locks: the file's one write lock
update steadfast_task
set
    status = ?2,
    ready_at = ?3,
    version = version + 1,
    changed_at = ?4
where seq = ?1
