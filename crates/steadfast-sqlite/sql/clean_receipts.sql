-- Removes old receipts.
-- no row: none is that old
-- index: steadfast_receipt_created
-- locks: the file's one write lock
delete from steadfast_receipt
where id in (
    select id
    from steadfast_receipt
    where created_at < ?1
    order by created_at
    limit ?2
)
