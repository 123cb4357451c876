-- Writes a worker down. A repeat is harmless and brings no dead worker back.
-- no row: never
-- index: primary key
-- locks: its own row
insert into steadfast_worker (id, name, build, offer, lease_until)
values (?, ?, ?, ?, ?)
on duplicate key update
    name = values(name),
    build = values(build),
    offer = values(offer),
    lease_until = values(lease_until)
