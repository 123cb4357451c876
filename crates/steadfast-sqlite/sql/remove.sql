-- Takes a task out of the living ones.
-- no row: cannot be; it was read in this transaction
-- index: rowid
-- locks: the file's one write lock
delete from steadfast_task
where seq = ?1
