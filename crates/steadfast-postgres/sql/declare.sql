-- Writes the policies of kinds. None is named twice.
-- no row: newer builds with live workers wrote them
-- index: primary key
-- locks: the rows, in the order given
insert into steadfast.kind (kind, policy, build, worker)
select
    kind,
    policy::jsonb,
    $3::bigint,
    $4::uuid
from unnest($1::text[], $2::text[]) as given (kind, policy)
on conflict (kind) do update
set
    policy = excluded.policy,
    build = excluded.build,
    worker = excluded.worker
where kind.build <= excluded.build
or not exists (
    select 1
    from steadfast.worker
    where worker.id = kind.worker
    and not worker.dead
)
