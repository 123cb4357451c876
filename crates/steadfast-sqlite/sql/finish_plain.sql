-- Finds the row of a run that leaves nothing beside it.
-- no row: the grant is lost, or there is more to do: look closer
-- index: steadfast_task_id
-- locks: none; reads one snapshot
select seq
from steadfast_task
where id = ?1
and "grant" = ?2
and worker = ?3
and key_name is null
and payload_len is null
and serial is null
and search1 is null
and search2 is null
and parent is null
