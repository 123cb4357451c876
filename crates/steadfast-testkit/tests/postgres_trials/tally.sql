-- One look at all that was written down, in the order of the fields of `Tally`.
select
    (select count(*) from trial.event where what = 'add'),
    (select count(*) from trial.event where what = 'end'),
    (select count(*) from steadfast.task),
    (select count(*) from trial.event where what = 'grab'),
    (select count(*) from trial.event where what = 'reap'),
    (select count(*) from trial.event where what = 'back'),
    (
        select count(*)
        from (select 1 from trial.event where what = 'add' and n <> '' group by n having count(*) > 1) as same
    ),
    (
        select count(*)
        from (
            select
                task,
                count(*) filter (where what = 'end') as ends,
                max("grant") filter (where what = 'grab') as newest,
                max("grant") filter (where what = 'end') as ended
            from trial.event
            group by task
        ) as life
        where ends > 1
        or (ends = 1 and newest is distinct from ended)
    ) + (
        select count(*)
        from trial.event as ended
        where what = 'end'
        and not exists (
            select 1
            from trial.event as grab
            where grab.what = 'grab'
            and grab.task = ended.task
            and grab."grant" = ended."grant"
            and grab.worker = ended.worker
        )
    ),
    (
        select count(*)
        from (select 1 from trial.event where what = 'grab' group by task, "grant" having count(*) > 1) as same
    ),
    coalesce((select max(attempt) from trial.event where what = 'end'), 0),
    -- Each end has one effect, and each effect one end.
    (
        select count(*)
        from (
            select 1
            from (
                select task, 1 as n from trial.event where what = 'end' and kind = 'pays'
                union all
                select task, -1 from trial.effect
            ) as pairs
            group by task
            having sum(n) <> 0
        ) as odd
    )
