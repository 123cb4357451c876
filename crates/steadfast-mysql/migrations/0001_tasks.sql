-- The first schema. Its prefix is put in the place of `steadfast_` when the store opens.
-- Times are microseconds since 1970. Texts are kept as the bytes of their UTF-8: they are compared exactly, spaces at
-- their end included, whatever the character sets of the server and of the session. Absent things are null.
--
-- There are no partial indexes. Where few rows matter, a generated column is null for all others; where most do, the
-- status leads the index. Each statement may be repeated: a step that broke off half-way is run again.

create table if not exists steadfast_task (
    id binary(16) not null primary key,
    seq bigint not null auto_increment,
    due_at bigint not null,
    ready_at bigint not null,
    base_at bigint not null,
    created_at bigint not null,
    changed_at bigint not null,
    `grant` bigint not null,
    version bigint not null,
    format bigint not null,
    deadline_at bigint,
    worker binary(16),
    attempt int not null,
    failures int not null,
    lost int not null,
    payload_len int not null,
    status tinyint not null,
    priority tinyint not null,
    key_space tinyint,
    key_window bigint,
    bucket varbinary(100) not null,
    kind varbinary(200) not null,
    subkind varbinary(250),
    step varbinary(250),
    `key` varbinary(250),
    serial varbinary(250),
    search1 varbinary(250),
    search2 varbinary(250),
    parent binary(16),
    context longblob,
    progress longblob,
    output longblob,
    errors longblob,
    -- The full name of the narrowest limit of the cluster under which it was grabbed.
    limited varbinary(2100),
    payload longblob not null,
    -- It took workers down with it and is run alone.
    suspect tinyint generated always as (lost >= 2) stored,
    -- When time moves it: the end of its waiting, or after all of those the end of its parking.
    moves_at bigint generated always as (
        case status when 1 then due_at when 6 then due_at + 1000000000000000000 end
    ) stored,
    -- Its serial key while it stands in line.
    held varbinary(250) generated always as (case when status = 2 then serial end) stored,
    -- Its serial key while it is the one that may run. A task on its way to the history is no head.
    head varbinary(250) generated always as (case when status not in (2, 7, 9, 10) then serial end) stored,
    -- What it counts for while it runs.
    counted varbinary(2100) generated always as (case when status = 5 then limited end) stored,
    -- In the order of adding; also how others notice what was added.
    unique key task_seq (seq),
    -- Read ahead in the claim's order.
    key task_ready (status, bucket, priority, ready_at, seq),
    -- Grab by kind, and look behind kinds that fill the window.
    key task_kind (status, bucket, kind, priority, suspect, ready_at, seq),
    -- What workers hold.
    key task_worker (worker, status, deadline_at),
    -- What time moves. A grab and a finish leave it alone.
    key task_moves (moves_at, seq),
    key task_held (held, seq),
    unique key task_head (head),
    key task_counted (counted)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- Tasks that ended, with the columns of the living ones.
create table if not exists steadfast_history (
    id binary(16) not null primary key,
    seq bigint not null,
    due_at bigint not null,
    ready_at bigint not null,
    base_at bigint not null,
    created_at bigint not null,
    changed_at bigint not null,
    `grant` bigint not null,
    version bigint not null,
    format bigint not null,
    attempt int not null,
    failures int not null,
    lost int not null,
    payload_len int not null,
    status tinyint not null,
    priority tinyint not null,
    key_space tinyint,
    key_window bigint,
    bucket varbinary(100) not null,
    kind varbinary(200) not null,
    subkind varbinary(250),
    step varbinary(250),
    `key` varbinary(250),
    serial varbinary(250),
    search1 varbinary(250),
    search2 varbinary(250),
    parent binary(16),
    context longblob,
    progress longblob,
    output longblob,
    errors longblob,
    payload longblob,
    -- When it ended, for the cleaning.
    key history_ended (due_at)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- What people look tasks up by, living or ended: one row for each thing that a task has. The first column says what:
-- 1 search1, 2 search2, 3 parent, 4 serial, 5 own id, 6 key.
create table if not exists steadfast_search (
    what tinyint not null,
    term varbinary(250) not null,
    id binary(16) not null,
    primary key (what, term, id)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- Uniqueness that outlives the row; keep_until is null while the task lives. The space: 1 own id, 2 key.
create table if not exists steadfast_key (
    space tinyint not null,
    name varbinary(250) not null,
    id binary(16) not null,
    keep_until bigint,
    primary key (space, name),
    key key_ended (keep_until)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

create table if not exists steadfast_worker (
    id binary(16) not null primary key,
    name varbinary(1000) not null,
    build bigint not null,
    offer longblob not null,
    lease_until bigint not null,
    dead tinyint not null default 0
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- Runs that were taken from their worker.
create table if not exists steadfast_recall (
    worker binary(16) not null,
    task binary(16) not null,
    `grant` bigint not null,
    primary key (worker, task, `grant`)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- The first row of a batch, by which a lost reply is settled.
create table if not exists steadfast_receipt (
    id binary(16) not null primary key,
    created_at bigint not null,
    committed tinyint not null,
    key receipt_created (created_at)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

create table if not exists steadfast_kind (
    kind varbinary(200) not null primary key,
    policy longblob not null,
    build bigint not null,
    worker binary(16) not null,
    -- Rises with every declaration, so that the highest one says whether anything changed.
    mark bigint not null,
    key kind_mark (mark)
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- Buckets that an operator paused.
create table if not exists steadfast_paused (
    bucket varbinary(100) not null primary key
) engine = InnoDB row_format = dynamic default character set = utf8mb4;

-- A limit of the cluster by its full name: a row to lock while its running tasks are counted. It holds no counter.
create table if not exists steadfast_cluster_limit (
    name varbinary(2100) not null primary key
) engine = InnoDB row_format = dynamic default character set = utf8mb4;
