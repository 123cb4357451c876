-- Drops a payload that is too large for its row.
-- no row: there was none
-- index: primary key
-- locks: the file's one write lock
delete from steadfast_payload
where id = ?1
