-- Writes down every change of a task, in the transaction that makes it. The workers do not know of it.
create schema trial;

create table trial.event (
    seq bigint generated always as identity primary key,
    what text not null,
    task uuid not null,
    "grant" bigint not null,
    worker uuid,
    attempt integer not null,
    kind text not null,
    n text,
    -- Runs under the limit at a grab of a limited kind, this one too.
    crowd bigint,
    at double precision not null default extract(epoch from clock_timestamp())
);

-- What runs of the kind `pays` leave behind, committed together with their end.
create table trial.effect (
    task uuid not null
);

create index event_task on trial.event (task, seq);

create index event_what on trial.event (what, at);

create function trial.note()
returns trigger
language plpgsql
as $$
begin
    if tg_op = 'DELETE' then
        insert into trial.event (what, task, "grant", worker, attempt, kind)
        values ('end', old.id, old."grant", old.worker, old.attempt, old.kind);
        return null;
    end if;
    if tg_op = 'INSERT' then
        insert into trial.event (what, task, "grant", worker, attempt, kind, n)
        values ('add', new.id, new."grant", new.worker, new.attempt, new.kind, convert_from(new.payload, 'utf8'));
    end if;
    if new.status = 5 and (tg_op = 'INSERT' or new."grant" > old."grant") then
        insert into trial.event (what, task, "grant", worker, attempt, kind, crowd)
        values (
            'grab', new.id, new."grant", new.worker, new.attempt, new.kind,
            case
                when new.kind = 'limited' then (
                    select count(*)
                    from steadfast.task
                    where status = 5
                    and kind = 'limited'
                )
            end
        );
    elsif tg_op = 'UPDATE' and old.status in (5, 6) and new.status <> old.status then
        insert into trial.event (what, task, "grant", worker, attempt, kind)
        values (
            case when new.lost > old.lost then 'reap' when new.status = 6 then 'park' else 'back' end,
            old.id, old."grant", old.worker, new.attempt, new.kind
        );
    end if;
    return null;
end
$$;

create trigger trial_note
after insert or update or delete on steadfast.task
for each row execute function trial.note();
