-- Writes down every change of a task, in the transaction that makes it. The workers do not know of it.
create table trial_event (
    seq integer primary key,
    what text not null,
    task text not null,
    granted integer not null,
    worker text,
    attempt integer not null,
    kind text not null,
    n text,
    at real not null default (unixepoch('subsec'))
);

-- What runs of the kind `pays` leave behind, committed together with their end.
create table trial_effect (
    task text not null
);

create index event_task on trial_event (task, seq);

create index event_what on trial_event (what, at);

create view trial_task as
select lower(hex(id)) as id, status, lower(hex(worker)) as worker
from steadfast_task;

create view trial_worker as
select lower(hex(id)) as id, name
from steadfast_worker;

create trigger trial_added
after insert on steadfast_task
begin
    insert into trial_event (what, task, granted, worker, attempt, kind, n)
    values (
        'add', lower(hex(new.id)), new."grant", lower(hex(new.worker)), new.attempt, new.kind,
        cast(new.payload as text)
    );
    insert into trial_event (what, task, granted, worker, attempt, kind)
    select 'grab', lower(hex(new.id)), new."grant", lower(hex(new.worker)), new.attempt, new.kind
    where new.status = 5;
end;

create trigger trial_granted
after update on steadfast_task
when new.status = 5 and new."grant" > old."grant"
begin
    insert into trial_event (what, task, granted, worker, attempt, kind)
    values ('grab', lower(hex(new.id)), new."grant", lower(hex(new.worker)), new.attempt, new.kind);
end;

create trigger trial_left
after update on steadfast_task
when old.status in (5, 6) and new.status <> old.status and not (new.status = 5 and new."grant" > old."grant")
begin
    insert into trial_event (what, task, granted, worker, attempt, kind)
    values (
        case
            when new.status in (7, 9, 10) then 'end'
            when new.lost > old.lost then 'reap'
            when new.status = 6 then 'park'
            else 'back'
        end,
        lower(hex(old.id)), old."grant", lower(hex(old.worker)), new.attempt, new.kind
    );
end;

-- Some ends write the last status first and then remove the row, others remove it at once.
create trigger trial_ended
after delete on steadfast_task
when old.status not in (7, 9, 10)
begin
    insert into trial_event (what, task, granted, worker, attempt, kind)
    values ('end', lower(hex(old.id)), old."grant", lower(hex(old.worker)), old.attempt, old.kind);
end;
