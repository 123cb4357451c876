-- Writes policies of kinds.
-- no row: never
-- index: primary key
-- locks: the rows, in the order given
insert into steadfast_kind (kind, policy, build, worker, mark)
values {(?, ?, ?, ?, ?)}
on duplicate key update
    policy = values(policy),
    build = values(build),
    worker = values(worker),
    mark = values(mark)
