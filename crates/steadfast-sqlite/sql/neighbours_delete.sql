-- Removes rows side by side that were found in this transaction.
-- no row: cannot be; they were found in this transaction
-- index: rowid
-- locks: the file's one write lock
delete from steadfast_task
where seq between ?1 and ?2
