-- For programs in any language: adds a task in the caller's own transaction.
create function steadfast.add() returns uuid language sql as $$ select null::uuid $$;
