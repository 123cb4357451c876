-- Gives tasks side by side that a grab has just read a new grant; no index has to be walked for them again.
-- no row: cannot be; they were read in this transaction
-- index: rowid
-- locks: the file's one write lock
update or fail steadfast_task
set
    status = 5,
    "grant" = "grant" + 1,
    worker = ?3,
    attempt = attempt + 1,
    deadline_at = ?4,
    version = version + 1,
    changed_at = ?5,
    limited = ?6
where seq between ?1 and ?2
