-- Removes workers that have been dead for long and hold nothing.
-- no row: there is none
-- index: steadfast_task_running
-- locks: the file's one write lock
delete from steadfast_worker
where id in (
    select id
    from steadfast_worker
    where dead = 1
    and lease_until < ?1
    and not exists (
        select 1
        from steadfast_task
        where status = 5
        and worker = steadfast_worker.id
    )
    order by id
    limit ?2
)
