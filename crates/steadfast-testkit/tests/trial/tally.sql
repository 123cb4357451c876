-- One look at all that was written down, in the order of the fields of `Tally`.
select
    (select count(*) from trial_event where what = 'add'),
    (select count(*) from trial_event where what = 'end'),
    (select count(*) from trial_task),
    (select count(*) from trial_event where what = 'grab'),
    (select count(*) from trial_event where what = 'reap'),
    (select count(*) from trial_event where what = 'back'),
    (
        select count(*)
        from (select n from trial_event where what = 'add' and n <> '' group by n having count(*) > 1) as same
    ),
    (
        select count(*)
        from (
            select
                task,
                sum(case when what = 'end' then 1 else 0 end) as ends,
                max(case when what = 'grab' then granted end) as newest,
                max(case when what = 'end' then granted end) as ended
            from trial_event
            group by task
        ) as life
        where ends > 1
        or (ends = 1 and coalesce(newest, -1) <> ended)
    ) + (
        select count(*)
        from trial_event as ended
        where what = 'end'
        and not exists (
            select 1
            from trial_event as grab
            where grab.what = 'grab'
            and grab.task = ended.task
            and grab.granted = ended.granted
            and grab.worker = ended.worker
        )
    ),
    (
        select count(*)
        from (select task from trial_event where what = 'grab' group by task, granted having count(*) > 1) as same
    ),
    coalesce((select max(attempt) from trial_event where what = 'end'), 0),
    -- Each end has one effect, and each effect one end.
    (
        select count(*)
        from (
            select task
            from (
                select task, 1 as n from trial_event where what = 'end' and kind = 'pays'
                union all
                select task, -1 from trial_effect
            ) as pairs
            group by task
            having sum(n) <> 0
        ) as odd
    )
