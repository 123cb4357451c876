-- Writes down a worker that starts.
-- no row: cannot be; a repeat is harmless and brings no dead worker back
-- index: primary key
-- locks: the file's one write lock
insert into steadfast_worker (id, name, build, offer, lease_until, dead)
values (?1, ?2, ?3, ?4, ?5, 0)
on conflict (id) do update
set
    name = excluded.name,
    build = excluded.build,
    offer = excluded.offer,
    lease_until = excluded.lease_until
