-- Writes down every change of a task, in the transaction that makes it. The workers do not know of it.
create table trial_event (
    seq bigint not null auto_increment primary key,
    what varchar(10) not null,
    task varchar(32) not null,
    granted bigint not null,
    worker varchar(32),
    attempt int not null,
    kind varchar(40) not null,
    n varchar(40),
    at double not null,
    key event_task (task, seq),
    key event_what (what, at)
) engine = innodb character set = utf8mb4;

-- What runs of the kind `pays` leave behind, committed together with their end.
create table trial_effect (
    task varchar(32) not null
) engine = innodb character set = utf8mb4;

create view trial_task as
select lower(hex(id)) as id, status, lower(hex(worker)) as worker
from steadfast_task;

create view trial_worker as
select lower(hex(id)) as id, convert(name using utf8mb4) as name
from steadfast_worker;

create procedure trial_note(
    what varchar(10), task binary(16), granted bigint, worker binary(16), attempt int, kind varbinary(200),
    n varbinary(40)
)
insert into trial_event (what, task, granted, worker, attempt, kind, n, at)
values (
    what, lower(hex(task)), granted, lower(hex(worker)), attempt, kind, n, unix_timestamp(sysdate(6))
);

create trigger trial_added
after insert on steadfast_task
for each row
begin
    call trial_note('add', new.id, new.`grant`, new.worker, new.attempt, new.kind, new.payload);
    if new.status = 5 then
        call trial_note('grab', new.id, new.`grant`, new.worker, new.attempt, new.kind, null);
    end if;
end;

create trigger trial_changed
after update on steadfast_task
for each row
begin
    if new.status = 5 and new.`grant` > old.`grant` then
        call trial_note('grab', new.id, new.`grant`, new.worker, new.attempt, new.kind, null);
    elseif old.status in (5, 6) and new.status <> old.status then
        call trial_note(
            case when new.lost > old.lost then 'reap' when new.status = 6 then 'park' else 'back' end,
            old.id, old.`grant`, old.worker, new.attempt, new.kind, null
        );
    end if;
end;

create trigger trial_ended
after delete on steadfast_task
for each row
call trial_note('end', old.id, old.`grant`, old.worker, old.attempt, old.kind, null);
