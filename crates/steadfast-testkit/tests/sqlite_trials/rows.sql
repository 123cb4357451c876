-- Keeps every state of a task's row, for the checker of histories. A row that is removed has ended well.
create table trial_row (
    seq integer primary key,
    task text not null,
    status integer not null,
    version integer not null,
    granted integer not null,
    attempt integer not null,
    kind text not null,
    worker text,
    -- Seconds after its time.
    late real
);

create trigger trial_row_added
after insert on steadfast_task
begin
    insert into trial_row (task, status, version, granted, attempt, kind, worker, late)
    values (
        lower(hex(new.id)), new.status, new.version, new."grant", new.attempt, new.kind, lower(hex(new.worker)),
        unixepoch('subsec') - new.due_at / 1000000.0
    );
end;

create trigger trial_row_changed
after update on steadfast_task
begin
    insert into trial_row (task, status, version, granted, attempt, kind, worker, late)
    values (
        lower(hex(new.id)), new.status, new.version, new."grant", new.attempt, new.kind, lower(hex(new.worker)),
        unixepoch('subsec') - new.due_at / 1000000.0
    );
end;

-- Some ends write the last status first.
create trigger trial_row_ended
after delete on steadfast_task
when old.status not in (7, 9, 10)
begin
    insert into trial_row (task, status, version, granted, attempt, kind)
    values (lower(hex(old.id)), 7, old.version + 1, old."grant", old.attempt, old.kind);
end;
