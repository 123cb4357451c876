-- Ends runs that went well and leave nothing behind, where their rows lay when they were grabbed; says which.
-- no row: never; who is not named has lost its grant, or its row was written again since its place was told
-- index: none; goes to the rows by their places
-- locks: the tasks in the order given
-- It is done.sql for tasks that nothing else knows of.
with gone as (
    delete from steadfast.task
    using unnest($2::tid[], $3::uuid[], $4::bigint[], $5::uuid[]) with ordinality
    as given (place, id, "grant", worker, n)
    where task.ctid = given.place
    and task.id = given.id
    and task."grant" = given."grant"
    and task.worker = given.worker
    returning given.n
)
select
    array_agg(n),
    steadfast.clock($1::bigint)
from gone
