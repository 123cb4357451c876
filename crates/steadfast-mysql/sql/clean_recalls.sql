-- Removes recalls of workers that are gone.
-- no row: there are none
-- index: primary key
-- locks: the rows it removes
delete from steadfast_recall
where not exists (
    select 1
    from steadfast_worker
    where steadfast_worker.id = steadfast_recall.worker
    and steadfast_worker.dead = 0
)
limit ?
