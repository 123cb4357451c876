-- Writes down every change of a task, in the transaction that makes it. The workers do not know of it.
-- Beside the store's schema, which is the user's own and would come first.
set search_path = public;

create table trial_event (
    seq bigint generated always as identity primary key,
    what text not null,
    task text not null,
    granted bigint not null,
    worker text,
    attempt integer not null,
    kind text not null,
    n text,
    at double precision not null default extract(epoch from clock_timestamp())
);

-- What runs of the kind `pays` leave behind, committed together with their end.
create table trial_effect (
    task text not null
);

create index event_task on trial_event (task, seq);

create index event_what on trial_event (what, at);

create function trial_id(uuid)
returns text
language sql
immutable
as $$ select replace($1::text, '-', '') $$;

create view trial_task as
select trial_id(id) as id, status, trial_id(worker) as worker
from steadfast.task;

create view trial_worker as
select trial_id(id) as id, name
from steadfast.worker;

create function trial_note()
returns trigger
language plpgsql
as $$
begin
    if tg_op = 'DELETE' then
        insert into public.trial_event (what, task, granted, worker, attempt, kind)
        values ('end', public.trial_id(old.id), old."grant", public.trial_id(old.worker), old.attempt, old.kind);
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into public.trial_event (what, task, granted, worker, attempt, kind, n)
        values (
            'add', public.trial_id(new.id), new."grant", public.trial_id(new.worker), new.attempt, new.kind,
            convert_from(new.payload, 'utf8')
        );
    end if;
    if new.status = 5 and (tg_op = 'INSERT' or new."grant" > old."grant") then
        insert into public.trial_event (what, task, granted, worker, attempt, kind)
        values (
            'grab', public.trial_id(new.id), new."grant", public.trial_id(new.worker), new.attempt, new.kind
        );
    elsif tg_op = 'UPDATE' and old.status in (5, 6) and new.status <> old.status then
        insert into public.trial_event (what, task, granted, worker, attempt, kind)
        values (
            case when new.lost > old.lost then 'reap' when new.status = 6 then 'park' else 'back' end,
            public.trial_id(old.id), old."grant", public.trial_id(old.worker), new.attempt, new.kind
        );
    end if;
    return null;
end
$$;

create trigger trial_note
after insert or update or delete on steadfast.task
for each row execute function trial_note();
