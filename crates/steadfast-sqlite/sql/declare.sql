-- Writes the policy of a kind.
-- no row: a newer build with a live worker wrote it
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_kind (kind, policy, build, worker)
values (?1, ?2, ?3, ?4)
on conflict (kind) do update
set
    policy = excluded.policy,
    build = excluded.build,
    worker = excluded.worker
where build <= excluded.build
or not exists (
    select 1
    from steadfast_worker
    where id = steadfast_kind.worker
    and dead = 0
)
