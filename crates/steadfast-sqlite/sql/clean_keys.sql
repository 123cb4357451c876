-- Removes keys past their window.
-- no row: none is past it
-- index: steadfast_key_ended
-- locks: the file's one write lock
delete from steadfast_key
where (space, name) in (
    select space, name
    from steadfast_key
    where keep_until <= ?1
    order by keep_until
    limit ?2
)
