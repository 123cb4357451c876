-- Says whether a receipt is that of a batch that was committed.
-- no row: it was never used
-- index: primary key
-- locks: none; reads one snapshot
select committed
from steadfast_receipt
where id = ?1
