-- Forgets something that a task had.
-- no row: it is forgotten already
-- index: primary key
-- locks: the file's one write lock
delete from steadfast_search
where what = ?1
and term = ?2
and id = ?3
