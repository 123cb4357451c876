-- Keeps every state of a task's row, for the checker of histories. A row that is removed has ended well.
create table trial_row (
    seq bigint not null auto_increment primary key,
    task varchar(32) not null,
    status int not null,
    version bigint not null,
    granted bigint not null,
    attempt int not null,
    kind varchar(40) not null,
    worker varchar(32),
    -- Seconds after its time.
    late double
) engine = innodb character set = utf8mb4;

create trigger trial_row_added
after insert on steadfast_task
for each row
insert into trial_row (task, status, version, granted, attempt, kind, worker, late)
values (
    lower(hex(new.id)), new.status, new.version, new.`grant`, new.attempt, new.kind, lower(hex(new.worker)),
    unix_timestamp(sysdate(6)) - new.due_at / 1000000
);

create trigger trial_row_changed
after update on steadfast_task
for each row
insert into trial_row (task, status, version, granted, attempt, kind, worker, late)
values (
    lower(hex(new.id)), new.status, new.version, new.`grant`, new.attempt, new.kind, lower(hex(new.worker)),
    unix_timestamp(sysdate(6)) - new.due_at / 1000000
);

create trigger trial_row_ended
after delete on steadfast_task
for each row
insert into trial_row (task, status, version, granted, attempt, kind)
values (lower(hex(old.id)), 7, old.version + 1, old.`grant`, old.attempt, old.kind);
