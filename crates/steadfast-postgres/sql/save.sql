-- Writes down where runs stand; says their versions.
-- no row: the grants are lost
-- index: primary key
-- locks: the rows, in the order given
with clock as materialized (
    select steadfast.clock($1::bigint) as now
)
update steadfast.task
set
    step = coalesce(given.step, task.step),
    progress = coalesce(given.progress, task.progress),
    deadline_at = case
        when given.deadline is null then task.deadline_at
        else least(clock.now + given.deadline, 253402300799999999)
    end,
    failures = case when given.progressed then 0 else task.failures end,
    version = task.version + case when given.step is null and given.payload is null then 0 else 1 end,
    changed_at = case when given.step is null and given.payload is null then task.changed_at else clock.now end,
    format = coalesce(given.format, task.format),
    payload_len = coalesce(octet_length(given.payload), task.payload_len),
    payload = coalesce(given.payload, task.payload)
from unnest(
    $2::uuid[], $3::bigint[], $4::uuid[], $5::text[], $6::text[], $7::bigint[], $8::boolean[], $9::bigint[],
    $10::bytea[]
) as given (id, "grant", worker, step, progress, deadline, progressed, format, payload)
cross join clock
where task.id = given.id
and task."grant" = given."grant"
and task.worker = given.worker
returning
    task.id,
    task.version
