-- Writes a worker down and says what time it is. A repeat is harmless and brings no dead worker back.
-- no row: never
-- index: primary key
-- locks: its own row
with clock as materialized (
    select steadfast.clock($1::bigint) as now
)
insert into steadfast.worker (id, name, build, offer, lease_until)
select
    $2::uuid,
    $3::text,
    $4::bigint,
    $5::text,
    least(now + $6::bigint, 253402300799999999)
from clock
on conflict (id) do update
set
    name = excluded.name,
    build = excluded.build,
    offer = excluded.offer,
    lease_until = excluded.lease_until
returning (select now from clock)
