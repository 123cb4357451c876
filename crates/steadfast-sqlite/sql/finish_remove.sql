-- Removes a run that was copied to the history.
-- no row: cannot be; it was found in this transaction
-- index: steadfast_task_id
-- locks: the file's one write lock
delete from steadfast_task
where id = ?1
