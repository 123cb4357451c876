-- Takes keys that are free, past their window, or the task's own. None is named twice.
-- no row: they belong to other tasks
-- index: primary key
-- locks: the keys in order, those of others too; waits for whoever adds the same
insert into steadfast.key (space, name, id, keep_until)
select
    space,
    name,
    id,
    null
from unnest($2::smallint[], $3::text[], $4::uuid[]) as given (space, name, id)
on conflict (space, name) do update
set
    id = excluded.id,
    keep_until = null
where key.keep_until <= steadfast.clock($1::bigint)
or key.id = excluded.id
returning id
