-- Counts at each grab of a limited kind how many run under the limit, this one too.
set search_path = public;

create table trial_crowd (
    n bigint not null
);

create function trial_count()
returns trigger
language plpgsql
as $$
begin
    if tg_op = 'INSERT' or new."grant" > old."grant" then
        insert into public.trial_crowd (n)
        select count(*)
        from steadfast.task
        where status = 5
        and kind = 'limited';
    end if;
    return null;
end
$$;

create trigger trial_count
after insert or update on steadfast.task
for each row
when (new.kind = 'limited' and new.status = 5)
execute function trial_count();
