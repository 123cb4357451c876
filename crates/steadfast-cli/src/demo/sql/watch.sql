-- What the demo writes down beside the engine, which knows nothing of it: every end of a task, every run lost with
-- its worker, and when a task that was lost ran again. 8 is the status `error`; what leaves the table has ended.
-- Nothing here can fail, and so no write of the engine fails because it is watched.

create table demo_end (id blob not null);
create table demo_lost (id blob not null, at integer not null);
create table demo_again (id blob not null, at integer not null);

create trigger demo_end after delete on steadfast_task
begin
    insert into demo_end values (old.id);
end;

create trigger demo_error after update of status on steadfast_task
when new.status = 8 and old.status <> 8
begin
    insert into demo_end values (new.id);
end;

create trigger demo_lost after update of lost on steadfast_task
when new.lost > old.lost
begin
    insert into demo_lost values (new.id, new.changed_at);
end;

create trigger demo_again after update of "grant" on steadfast_task
when new.lost > 0 and new."grant" > old."grant"
begin
    insert into demo_again values (new.id, new.changed_at);
end;
