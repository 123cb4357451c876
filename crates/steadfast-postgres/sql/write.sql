-- Writes back tasks that were locked in this transaction.
-- no row: never; the rows are locked
-- index: primary key
-- locks: none beyond those it has
update steadfast.task
set
    kind = given.kind,
    step = given.step,
    status = given.status,
    priority = given.priority,
    due_at = given.due_at,
    ready_at = given.ready_at,
    base_at = given.base_at,
    deadline_at = given.deadline_at,
    "grant" = given."grant",
    worker = given.worker,
    version = given.version,
    attempt = given.attempt,
    failures = given.failures,
    lost = given.lost,
    progress = given.progress,
    output = given.output,
    errors = given.errors,
    changed_at = given.changed_at,
    format = coalesce(given.format, task.format),
    payload_len = coalesce(octet_length(given.payload), task.payload_len),
    payload = coalesce(given.payload, task.payload)
from unnest(
    $1::uuid[], $2::text[], $3::text[], $4::smallint[], $5::smallint[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::bigint[], $10::bigint[], $11::uuid[], $12::bigint[], $13::integer[], $14::integer[], $15::integer[],
    $16::text[], $17::text[], $18::text[], $19::bigint[], $20::bigint[], $21::bytea[]
) as given (
    id, kind, step, status, priority, due_at, ready_at, base_at,
    deadline_at, "grant", worker, version, attempt, failures, lost,
    progress, output, errors, changed_at, format, payload
)
where task.id = given.id
