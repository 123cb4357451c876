-- Writes down limits of the cluster, so that they can be locked.
-- no row: never; what is there already stays
-- index: primary key
-- locks: the rows it makes, in order of their names
insert ignore into steadfast_cluster_limit (name)
values {(?)}
