-- The events of a stream are read in the order of their sequence, by the index of its constraint.
DROP INDEX events_by_stream;

-- What is due at the same instant is read in the order of its numbers, which are shorter than ids.
DROP INDEX payments_by_read;
DROP INDEX links_by_read;
DROP INDEX agreements_by_read;
CREATE INDEX payments_by_read ON payments (read_site, read_class, read_due_at) WHERE read_due_at IS NOT NULL;
CREATE INDEX links_by_read ON links (site, read_class, read_due_at) WHERE read_due_at IS NOT NULL;
CREATE INDEX agreements_by_read ON agreements (site, read_class, read_due_at) WHERE read_due_at IS NOT NULL;
