-- Ends runs that went well: out of the living tasks, into the history as far as they are kept; says which.
-- no row: never; who is not named has lost its grant, or its row was written again since its place was told
-- index: primary key
-- locks: the tasks in the order given, then their keys in order
with clock as materialized (
    select steadfast.clock($1::bigint) as now
),
given as materialized (
    select *
    from unnest(
        $2::uuid[], $3::bigint[], $4::uuid[], $5::smallint[], $6::integer[], $7::integer[], $8::integer[],
        $9::text[], $10::text[], $11::tid[]
    ) with ordinality as given (
        id, "grant", worker, retention, attempt_now, failures_now, lost_now, errors_now, output_now, place, n
    )
),
-- Where the rows lay when they were grabbed: no index has to be asked for them.
gone_there as (
    delete from steadfast.task
    using given
    where task.ctid = given.place
    -- As in done_bare.sql: no index serves it.
    and task.id is not distinct from given.id
    and task."grant" = given."grant"
    and task.worker = given.worker
    returning task.*, n, retention, attempt_now, failures_now, lost_now, errors_now, output_now
),
-- By its id a row is also found when it was written anew while this waited for its lock.
gone_found as (
    delete from steadfast.task
    using given
    where given.place is null
    and task.id = given.id
    and task."grant" = given."grant"
    and task.worker = given.worker
    returning task.*, n, retention, attempt_now, failures_now, lost_now, errors_now, output_now
),
gone as materialized (
    select * from gone_there
    union all
    select * from gone_found
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
        7,
        priority,
        now,
        ready_at,
        base_at,
        "grant",
        version + 1,
        attempt_now,
        failures_now,
        lost_now,
        key_space,
        key,
        key_window,
        serial,
        search1,
        search2,
        parent,
        context,
        progress,
        coalesce(output_now, output),
        coalesce(errors_now, errors),
        created_at,
        now,
        format,
        payload_len,
        case when retention = 0 then payload end
    from gone
    cross join clock
    where retention < 2
),
named as (
    update steadfast.key
    set keep_until = least(ended.now + ended.key_window, 253402300799999999)
    from (
        select gone.key_space, gone.key, gone.id, gone.key_window, now
        from gone
        cross join clock
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
select
    array_agg(gone.n),
    (select now from clock)
from gone
