-- Removes recalls of workers that are gone.
-- no row: there is none
-- index: primary key of steadfast_worker
-- locks: the file's one write lock
delete from steadfast_recall
where (worker, task, "grant") in (
    select worker, task, "grant"
    from steadfast_recall
    where not exists (
        select 1
        from steadfast_worker
        where id = steadfast_recall.worker
        and dead = 0
    )
    limit ?1
)
