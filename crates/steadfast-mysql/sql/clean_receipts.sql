-- Removes old receipts.
-- no row: there are none
-- index: receipt_created
-- locks: the rows it removes
delete from steadfast_receipt
where created_at < ?
order by created_at
limit ?
