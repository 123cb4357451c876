-- The first schema. All names carry our prefix, since users may keep their own tables in the same file.
-- Zeros, ones and nulls take no room in a row, so absent things are null and counters start at zero. Every column
-- still costs every write of the row, so what few tasks have and nothing changes (subkind, key, search1, search2,
-- parent, context) lies together in `extra`, as JSON.

create table steadfast_task (
    seq integer primary key,
    id blob not null,
    status integer not null,
    bucket text not null,
    kind text not null,
    priority integer not null,
    ready_at integer not null,
    due_at integer not null,
    deadline_at integer,
    "grant" integer not null,
    worker blob,
    version integer not null,
    attempt integer not null,
    failures integer not null,
    lost integer not null,
    changed_at integer not null,
    base_at integer not null,
    created_at integer not null,
    step text,
    serial text,
    progress text,
    output text,
    errors text,
    limited text,
    extra text,
    format integer not null,
    payload_len integer,
    payload blob
) strict;

create unique index steadfast_task_id on steadfast_task (id);

-- Read ahead in the claim's order; the row's seq is the last column of every index.
create index steadfast_task_ready on steadfast_task (bucket, priority, ready_at)
where status = 4 and lost < 2;

-- Grab by kind, and look behind kinds that fill the window.
create index steadfast_task_kind on steadfast_task (bucket, kind, priority, ready_at)
where status = 4 and lost < 2;

create index steadfast_task_suspect on steadfast_task (bucket, kind, priority, ready_at)
where status = 4 and lost >= 2;

create index steadfast_task_running on steadfast_task (worker, deadline_at)
where status = 5;

-- What runs under limits of the cluster, by the full name of its narrowest one; others have no entry.
create index steadfast_task_limited on steadfast_task (limited)
where status = 5 and limited is not null;

-- What time moves, and what needs a person.
create index steadfast_task_due on steadfast_task (status, due_at)
where status = 1 or status = 6 or status = 8;

create index steadfast_task_held on steadfast_task (serial)
where status = 2;

-- One head a serial key: whatever lives and is not held. A task on its way to the history is no head.
create unique index steadfast_task_head on steadfast_task (serial)
where serial is not null and status not in (2, 7, 9, 10);

-- Payloads that are too large for the row, so that a change of the row does not write them again.
create table steadfast_payload (
    id blob not null primary key,
    bytes blob not null
) strict;

-- Tasks that ended, with the columns of the living ones.
create table steadfast_history (
    id blob not null primary key,
    seq integer not null,
    status integer not null,
    bucket text not null,
    kind text not null,
    priority integer not null,
    ready_at integer not null,
    due_at integer not null,
    "grant" integer not null,
    version integer not null,
    attempt integer not null,
    failures integer not null,
    lost integer not null,
    changed_at integer not null,
    base_at integer not null,
    created_at integer not null,
    step text,
    serial text,
    progress text,
    output text,
    errors text,
    extra text,
    format integer not null,
    payload_len integer,
    payload blob
) strict, without rowid;

-- When it ended, for the cleaning.
create index steadfast_history_ended on steadfast_history (due_at);

-- What people look tasks up by, living or ended: one row for each thing that a task has. It stands beside the
-- tasks, since every index of theirs costs every task, with or without an entry. The first column says what:
-- 1 search1, 2 search2, 3 parent, 4 serial, 5 own id, 6 key.
create table steadfast_search (
    what integer not null,
    term any not null,
    id blob not null,
    primary key (what, term, id)
) strict, without rowid;

-- Uniqueness that outlives the row; keep_until is null while the task lives.
create table steadfast_key (
    space integer not null,
    name text not null,
    id blob not null,
    keep_until integer,
    primary key (space, name)
) strict, without rowid;

create index steadfast_key_ended on steadfast_key (keep_until)
where keep_until is not null;

create table steadfast_worker (
    id blob not null primary key,
    name text not null,
    build integer not null,
    offer text not null,
    lease_until integer not null,
    dead integer not null
) strict, without rowid;

-- Runs that were taken from their worker.
create table steadfast_recall (
    worker blob not null,
    task blob not null,
    "grant" integer not null,
    primary key (worker, task, "grant")
) strict, without rowid;

-- The first row of a batch, by which a lost reply is settled.
create table steadfast_receipt (
    id blob not null primary key,
    created_at integer not null,
    committed integer not null
) strict, without rowid;

create index steadfast_receipt_created on steadfast_receipt (created_at);

create table steadfast_kind (
    kind text not null primary key,
    policy text not null,
    build integer not null,
    worker blob not null
) strict, without rowid;

-- Buckets that an operator paused.
create table steadfast_paused (
    bucket text not null primary key
) strict, without rowid;
