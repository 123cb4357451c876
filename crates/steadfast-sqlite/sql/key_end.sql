-- Starts the window of a key whose task ended.
-- no row: the key names another task by now
-- index: primary key
-- locks: the file's one write lock
update steadfast_key
set keep_until = ?4
where space = ?1
and name = ?2
and id = ?3
