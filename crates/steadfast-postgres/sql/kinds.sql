-- Lists the policies of all kinds; says last whether a worker lives that is none of those given.
-- no row: never; there is always the last one
-- index: primary key
-- locks: none; reads one snapshot
-- The workers are few.
select
    kind,
    policy::text as policy,
    build,
    worker,
    null::boolean as others
from steadfast.kind
union all
select
    null,
    null,
    null,
    null,
    exists (
        select 1
        from steadfast.worker
        where not dead
        and lease_until > (select steadfast.clock($1::bigint))
        and id <> all($2::uuid[])
    )
order by kind
