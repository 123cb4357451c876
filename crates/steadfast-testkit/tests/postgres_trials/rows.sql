-- Keeps every state of a task's row, for the checker of histories. A row that is removed has ended well.
set search_path = public;

create table trial_row (
    seq bigint generated always as identity primary key,
    task text not null,
    status integer not null,
    version bigint not null,
    granted bigint not null,
    attempt integer not null,
    kind text not null,
    worker text,
    -- Seconds after its time.
    late double precision
);

create function trial_row_note()
returns trigger
language plpgsql
as $$
begin
    if tg_op = 'DELETE' then
        insert into public.trial_row (task, status, version, granted, attempt, kind)
        values (public.trial_id(old.id), 7, old.version + 1, old."grant", old.attempt, old.kind);
    else
        insert into public.trial_row (task, status, version, granted, attempt, kind, worker, late)
        values (
            public.trial_id(new.id), new.status, new.version, new."grant", new.attempt, new.kind,
            public.trial_id(new.worker), extract(epoch from clock_timestamp()) - new.due_at / 1000000.0
        );
    end if;
    return null;
end
$$;

create trigger trial_row_note
after insert or update or delete on steadfast.task
for each row execute function trial_row_note();
