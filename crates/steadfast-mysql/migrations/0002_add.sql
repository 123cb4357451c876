-- For programs in any language: adds a task in the caller's own transaction and says its id.
--
--   call steadfast_add('mail.welcome', '{"to": "ada@example.org"}', '{"key": "welcome 7", "delay_s": 3600}', @id);
--   select hex(@id);
--
-- The payload is JSON, or any bytes if the options say so. The options are null or an object of: key, own_id, delay_s,
-- at_us (microseconds since 1970), bucket, priority, serial, search1, search2, subkind, step, parent (as hex), context
-- (an object of texts), bytes (true for a payload that is no JSON), version (of the payload's type).
-- Bucket, priority and the key's window follow the kind's policy unless they are given. A repeat of a key or of an own
-- id adds nothing and says the first task's id. Workers notice the task within a quarter of a second of the commit.
--
-- Whoever may call it may add, and needs no rights on our tables:
--   grant execute on procedure steadfast_add to adder;
drop procedure if exists steadfast_add;

create procedure steadfast_add(
    in given_kind varchar(200) character set utf8mb4,
    in given_payload longblob,
    in options longtext character set utf8mb4,
    out task_id binary(16)
)
modifies sql data
sql security definer
begin
    declare now_us bigint default timestampdiff(microsecond, '1970-01-01', utc_timestamp(6));
    declare told text character set utf8mb4;
    declare rules longtext character set utf8mb4;
    declare due_us bigint;
    declare key_space tinyint;
    declare key_name varbinary(1000);
    declare the_bucket varbinary(1000);
    declare the_priority int;
    declare first_id binary(16);
    declare serial_key varbinary(1000);
    declare one varbinary(1000);
    declare two varbinary(1000);
    declare parent_id binary(16);
    declare data longblob default coalesce(given_payload, '');
    declare is_bytes boolean;

    if options is not null and not json_valid(options) then
        signal sqlstate '45000' set message_text = 'options are no JSON; pass an object or null';
    end if;
    set serial_key = json_unquote(json_extract(options, '$.serial'));
    set one = json_unquote(json_extract(options, '$.search1'));
    set two = json_unquote(json_extract(options, '$.search2'));
    set parent_id = unhex(replace(json_unquote(json_extract(options, '$.parent')), '-', ''));
    set is_bytes = coalesce(json_extract(options, '$.bytes') = true, false);
    -- A UUIDv7: the milliseconds in front, the rest by chance.
    set task_id = unhex(concat(
        lpad(hex(now_us div 1000), 12, '0'),
        '7', substr(md5(concat(uuid(), rand())), 1, 3),
        hex(8 + floor(rand() * 4)), substr(md5(concat(rand(), uuid())), 1, 15)
    ));
    set told = case
        when given_kind is null then 'kind is missing; name it'
        when given_kind = '' then 'kind is empty; give it at least one character'
        when octet_length(given_kind) > 200 then 'kind has over 200 bytes; shorten it'
        when given_kind regexp '[[:cntrl:]]' then 'kind holds a control character; remove it'
        when json_extract(options, '$.key') is not null and json_extract(options, '$.own_id') is not null
            then 'a task has either its own id or a key, not both; drop one'
        when json_extract(options, '$.delay_s') is not null and json_extract(options, '$.at_us') is not null
            then 'a task has either a delay or a time, not both; drop one'
        when given_payload is not null and not is_bytes and not json_valid(convert(given_payload using utf8mb4))
            then 'payload is no JSON; pass JSON, or set bytes to true'
    end;
    if told is not null then
        signal sqlstate '45000' set message_text = told;
    end if;

    set key_space = case
        when json_extract(options, '$.own_id') is not null then 1
        when json_extract(options, '$.key') is not null then 2
    end;
    set key_name = json_unquote(coalesce(json_extract(options, '$.own_id'), json_extract(options, '$.key')));
    -- By its whole name, by the part before the bar, or by the longest prefix that fits.
    set rules = (
        select convert(policy using utf8mb4)
        from steadfast_kind
        where kind in (given_kind, substring_index(given_kind, '|', 1))
        or right(kind, 1) = '*' and left(cast(given_kind as binary), length(kind) - 1) = left(kind, length(kind) - 1)
        order by kind = given_kind desc, kind = substring_index(given_kind, '|', 1) desc, length(kind) desc
        limit 1
    );
    set the_bucket = coalesce(
        json_unquote(json_extract(options, '$.bucket')), json_unquote(json_extract(rules, '$.bucket')), 'default'
    );
    set the_priority = coalesce(json_extract(options, '$.priority'), json_extract(rules, '$.priority'), 5);
    set due_us = coalesce(
        json_extract(options, '$.at_us'), now_us + json_extract(options, '$.delay_s') * 1000000, now_us
    );
    set told = case
        when the_priority not between 0 and 9
            then concat('priority ', the_priority, ' is out of range; use 0 (most urgent) to 9')
        when due_us not between 0 and 253402300799999999 then 'time is out of range; use one from 1970 to 9999'
        when '' in (the_bucket, coalesce(key_name, 'x'), coalesce(serial_key, 'x'), coalesce(one, 'x'), coalesce(two, 'x'))
            then 'a text is empty; give it at least one character'
    end;
    if told is not null then
        signal sqlstate '45000' set message_text = told;
    end if;

    if key_name is not null then
        insert into steadfast_key (space, name, id, keep_until)
        values (key_space, key_name, task_id, null)
        on duplicate key update
            id = case when keep_until <= now_us then values(id) else id end,
            keep_until = case when id = values(id) then null else keep_until end;
        select id into first_id
        from steadfast_key
        where space = key_space
        and name = key_name
        for update;
    end if;
    if first_id is not null and first_id <> task_id then
        set task_id = first_id;
    else
        insert into steadfast_task (
            id, bucket, kind, subkind, step, status, priority, due_at, ready_at, base_at, `grant`, version, attempt,
            failures, lost, key_space, `key`, key_window, serial, search1, search2, parent, context, created_at,
            changed_at, format, payload_len, payload
        )
        values (
            task_id, the_bucket, given_kind, json_unquote(json_extract(options, '$.subkind')),
            json_unquote(json_extract(options, '$.step')),
            case when serial_key is not null then 2 when due_us > now_us then 1 else 4 end,
            the_priority, due_us, greatest(due_us, now_us), due_us, 0, 0, 0, 0, 0, key_space, key_name,
            case when key_name is not null then coalesce(
                json_extract(rules, '$.key_window.secs') * 1000000 + json_extract(rules, '$.key_window.nanos') div 1000,
                86400000000
            ) end,
            serial_key, one, two, parent_id, json_extract(options, '$.context'), now_us, now_us,
            coalesce(json_extract(options, '$.version'), 0) * 16
                + case when is_bytes or given_payload is null then 0 else 1 end,
            octet_length(data), data
        );
        insert into steadfast_search (what, term, id)
        select what, term, task_id
        from (
            select 1 as what, one as term
            union all
            select 2, two
            union all
            select 3, parent_id
            union all
            select 4, serial_key
            union all
            select case key_space when 1 then 5 else 6 end, key_name
        ) as terms
        where term is not null;
    end if;
end;
