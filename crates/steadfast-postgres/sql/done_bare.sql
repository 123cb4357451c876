-- Ends runs that went well and leave nothing behind, where their rows lay when they were grabbed; says which.
-- no row: never; who is not named has lost its grant, or its row was written again since its place was told
-- index: none; goes to the rows by their places
-- locks: the tasks in the order given
-- It is done.sql for tasks of one worker that nothing else knows of.
with gone as (
    delete from steadfast.task
    using unnest($3::tid[], $4::uuid[], $5::bigint[]) with ordinality as given (place, id, "grant", n)
    where task.ctid = given.place
    -- The same as an equation, but no index serves it. With one, the planner walks down the primary key to each row
    -- while the table is small, and keeps to that when it has grown.
    and task.id is not distinct from given.id
    and task."grant" = given."grant"
    and task.worker = $2::uuid
    returning given.n
)
select
    array_agg(n),
    steadfast.clock($1::bigint)
from gone
