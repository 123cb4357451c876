-- Counts at each grab of a limited kind how many run under the limit, this one too. Only where that is asked for: within
-- a trigger the server counts under locks, and whoever sits in a transaction would keep others from grabbing.
create table trial_crowd (
    n bigint not null
) engine = innodb;

create trigger trial_crowd_added
after insert on steadfast_task
for each row
if new.kind = 'limited' and new.status = 5 then
    insert into trial_crowd (n)
    select count(*)
    from steadfast_task
    where status = 5
    and kind = 'limited';
end if;

create trigger trial_crowd_changed
after update on steadfast_task
for each row
if new.kind = 'limited' and new.status = 5 and new.`grant` > old.`grant` then
    insert into trial_crowd (n)
    select count(*)
    from steadfast_task
    where status = 5
    and kind = 'limited';
end if;
