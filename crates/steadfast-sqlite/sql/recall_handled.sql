-- Forgets a recall that its worker has dealt with.
-- no row: it is forgotten already
-- index: primary key
-- locks: the file's one write lock
delete from steadfast_recall
where worker = ?1
and task = ?2
and "grant" = ?3
