-- Says whether the batch itself wrote its receipt.
-- no row: nobody wrote it
-- index: primary key
-- locks: none; reads one snapshot
select committed
from steadfast_receipt
where id = ?
