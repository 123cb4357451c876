-- Takes a task out of the history.
-- no row: it was not there
-- index: primary key
-- locks: the file's one write lock
delete from steadfast_history
where id = ?1
