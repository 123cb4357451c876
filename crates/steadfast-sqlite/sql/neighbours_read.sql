-- Reads which runs of a worker lie side by side and have nothing beside their rows.
-- no row: somebody else wrote there; each is looked up by its id
-- index: rowid
-- locks: none; reads one snapshot
select id
from steadfast_task
where seq between ?1 and ?2
and worker = ?3
and "grant" = ?4
and extra is null
and serial is null
and payload_len is null
order by seq
