-- Takes tasks that became final out of the living ones, keeps of them what is to be kept, starts their keys' window.
-- no row: never; the rows are locked
-- index: primary key
-- locks: the tasks in the order given, then their keys in order
with gone as (
    delete from steadfast.task
    using unnest($1::uuid[], $2::smallint[]) as given (id, retention)
    where task.id = given.id
    returning
        task.*,
        given.retention
),
kept as (
    insert into steadfast.history (
        seq,
        id,
        bucket,
        kind,
        subkind,
        step,
        status,
        priority,
        due_at,
        ready_at,
        base_at,
        "grant",
        version,
        attempt,
        failures,
        lost,
        key_space,
        key,
        key_window,
        serial,
        search1,
        search2,
        parent,
        context,
        progress,
        output,
        errors,
        created_at,
        changed_at,
        format,
        payload_len,
        payload
    )
    select
        seq,
        id,
        bucket,
        kind,
        subkind,
        step,
        status,
        priority,
        due_at,
        ready_at,
        base_at,
        "grant",
        version,
        attempt,
        failures,
        lost,
        key_space,
        key,
        key_window,
        serial,
        search1,
        search2,
        parent,
        context,
        progress,
        output,
        errors,
        created_at,
        changed_at,
        format,
        payload_len,
        case when retention = 0 then payload end
    from gone
    where retention < 2
),
named as (
    update steadfast.key
    set keep_until = least(ended.changed_at + ended.key_window, 253402300799999999)
    from (
        select gone.key_space, gone.key, gone.id, gone.key_window, gone.changed_at
        from gone
        where gone.key is not null
        order by gone.key_space, gone.key
    ) as ended
    where key.space = ended.key_space
    and key.name = ended.key
    and key.id = ended.id
),
forgotten as (
    delete from steadfast.search
    using (
        select term.what, term.term, gone.id
        from gone
        cross join lateral (
            values
            (1::smallint, search1), (2::smallint, search2), (3::smallint, parent::text), (4::smallint, serial),
            (case key_space when 1 then 5::smallint else 6::smallint end, key)
        ) as term (what, term)
        where gone.retention = 2
        -- Most have nothing to be looked up by, and one question is cheaper than five.
        and coalesce(search1, search2, parent::text, serial, key) is not null
        and term.term is not null
    ) as term
    where search.what = term.what
    and search.term = term.term
    and search.id = term.id
)
select id
from gone
