-- For programs in any language: adds a task in the caller's own transaction and says its id.
--
--   select steadfast.add('mail.welcome', '{"to": "ada@example.org"}', key => 'welcome 7', delay => '1 hour');
--
-- Bucket, priority and the key's window follow the kind's policy unless they are given. A repeat of a key or of an
-- own id adds nothing and says the first task's id. The version is that of the payload's type, for handlers that
-- know several; format is for callers that keep to the number of the library. Workers notice the task within a second of the commit; with
-- ring they are told at the commit, which costs one lock of the whole server: not for those who add often.
create function steadfast.add(
    kind text,
    payload jsonb default null,
    key text default null,
    delay interval default null,
    at timestamptz default null,
    bucket text default null,
    priority integer default null,
    serial text default null,
    search1 text default null,
    search2 text default null,
    subkind text default null,
    step text default null,
    parent uuid default null,
    context jsonb default null,
    own_id text default null,
    bytes bytea default null,
    format bigint default null,
    version bigint default 0,
    id uuid default null,
    ring boolean default false
)
returns uuid
language plpgsql
volatile
-- Whoever may call it may add, and needs no rights on our tables.
security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    now_us bigint := steadfast.clock();
    -- A UUIDv7: the milliseconds in front, the rest by chance.
    new_id uuid := coalesce(add.id, encode(
        set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
                placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                from 1 for 6),
            52, 1), 53, 1),
        'hex')::uuid);
    first_id uuid;
    rules jsonb;
    due_us bigint;
    its_space smallint := case when add.own_id is null then 2 else 1 end;
    its_name text := coalesce(add.own_id, add.key);
    data bytea := coalesce(add.bytes, convert_to(add.payload::text, 'UTF8'), '');
    given record;
begin
    if add.own_id is not null and add.key is not null then
        raise exception 'a task has either its own id or a key, not both; drop one' using errcode = '22023';
    end if;
    if add.delay is not null and add.at is not null then
        raise exception 'a task has either a delay or a time, not both; drop one' using errcode = '22023';
    end if;
    if add.payload is not null and add.bytes is not null then
        raise exception 'a task has either a payload or bytes, not both; drop one' using errcode = '22023';
    end if;
    if add.version not between 0 and 4294967295 then
        raise exception 'version % is out of range; use 0 to 4294967295', add.version using errcode = '22023';
    end if;
    if add.kind is null then
        raise exception 'kind is missing; name it' using errcode = '22023';
    end if;
    for given in
        select what, words, bytes_max
        from (
            values
            ('kind', add.kind, 200), ('bucket', add.bucket, 100), ('key', its_name, 250), ('serial', add.serial, 250),
            ('search1', add.search1, 250), ('search2', add.search2, 250), ('subkind', add.subkind, 250),
            ('step', add.step, 250)
        ) as texts (what, words, bytes_max)
        where words is not null
    loop
        if given.words = '' then
            raise exception '% is empty; give it at least one character', given.what using errcode = '22023';
        end if;
        if octet_length(convert_to(given.words, 'UTF8')) > given.bytes_max then
            raise exception '% has over % bytes; shorten it', given.what, given.bytes_max using errcode = '22023';
        end if;
        if given.words ~ '[\u0001-\u001f\u007f-\u009f]' then
            raise exception '% holds a control character; remove it', given.what using errcode = '22023';
        end if;
    end loop;
    if add.context is not null and (
        jsonb_typeof(add.context) <> 'object'
        or exists (select 1 from jsonb_each(add.context) where jsonb_typeof(value) <> 'string')
        or octet_length(add.context::text) > 16384
    ) then
        raise exception 'context is no object of texts under 16 KiB; make it one' using errcode = '22023';
    end if;

    -- By its whole name, by the part before the bar, or by the longest prefix that fits.
    select policy into rules
    from steadfast.kind
    where kind.kind in (add.kind, split_part(add.kind, '|', 1))
    or right(kind.kind, 1) = '*' and starts_with(add.kind, left(kind.kind, -1))
    order by
        kind.kind = add.kind desc,
        kind.kind = split_part(add.kind, '|', 1) desc,
        length(kind.kind) desc
    limit 1;

    add.bucket := coalesce(add.bucket, rules ->> 'bucket', 'default');
    add.priority := coalesce(add.priority, (rules ->> 'priority')::integer, 5);
    if add.priority not between 0 and 9 then
        raise exception 'priority % is out of range; use 0 (most urgent) to 9', add.priority using errcode = '22023';
    end if;
    due_us := case
        when add.at is not null then (extract(epoch from add.at) * 1000000)::bigint
        when add.delay is not null then (
            extract(epoch from timestamptz 'epoch' + now_us * interval '1 microsecond' + add.delay) * 1000000
        )::bigint
        else now_us
    end;
    if due_us not between 0 and 253402300799999999 then
        raise exception 'time is out of range; use one from 1970 to 9999' using errcode = '22023';
    end if;

    while its_name is not null loop
        insert into steadfast.key (space, name, id, keep_until)
        values (its_space, its_name, new_id, null)
        on conflict (space, name) do update
        set
            id = excluded.id,
            keep_until = null
        where key.keep_until <= now_us
        returning id into first_id;
        exit when first_id is not null;
        select key.id into first_id
        from steadfast.key
        where key.space = its_space
        and key.name = its_name;
        if first_id is not null then
            return first_id;
        end if;
    end loop;

    insert into steadfast.task (
        id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, "grant", version, attempt,
        failures, lost, key_space, key, key_window, serial, search1, search2, parent, context, created_at, changed_at,
        format, payload_len, payload
    )
    values (
        new_id, add.bucket, add.kind, add.subkind, add.step,
        case when add.serial is not null then 2 when due_us > now_us then 1 else 4 end,
        add.priority, due_us, greatest(due_us, now_us), due_us, 0, 0, 0, 0, 0,
        case when its_name is not null then its_space end,
        its_name,
        case when its_name is not null then coalesce(
            (rules -> 'key_window' ->> 'secs')::bigint * 1000000 + (rules -> 'key_window' ->> 'nanos')::bigint / 1000,
            86400000000
        ) end,
        add.serial, add.search1, add.search2, add.parent,
        case when add.context <> '{}' then add.context::text end,
        now_us, now_us,
        coalesce(add.format, coalesce(add.version, 0) * 16 + case when add.payload is not null then 1 else 0 end),
        octet_length(data), data
    );
    insert into steadfast.search (what, term, id)
    select what, term, new_id
    from (
        values
        (1, add.search1), (2, add.search2), (3, add.parent::text), (4, add.serial),
        (case its_space when 1 then 5 else 6 end, its_name)
    ) as terms (what, term)
    where term is not null;
    if add.ring then
        perform pg_notify('steadfast.hints', case
            when add.serial is null then '- look 0 ' || add.bucket
            else '- release ' || add.serial
        end);
    end if;
    return new_id;
end
$$;

-- Grant it to a role of its own: grant usage on schema steadfast to adders; grant execute on function steadfast.add
-- to adders;
revoke execute on function steadfast.add from public;
