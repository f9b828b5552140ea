-- compatible
-- A dump that is restored into the same database has tables of its own, and may lack what was appended after it.
-- Object id of the table `log_head` on PostgreSQL; null if a version that does not write it has recorded the branch.
ALTER TABLE log_branches ADD COLUMN head_table TEXT;
