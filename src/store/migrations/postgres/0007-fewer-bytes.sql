-- breaking
-- The events of a stream are read in the order of their sequence, by the index of its constraint.
DROP INDEX events_by_stream;

-- The id of a delivery is the key of its hash. Only those of earlier versions, which had an id of their own, are found by the hash.
ALTER TABLE deliveries DROP CONSTRAINT deliveries_body_hash_key;
ALTER TABLE deliveries ALTER COLUMN body_hash DROP NOT NULL;
CREATE UNIQUE INDEX deliveries_by_old_hash ON deliveries (body_hash) WHERE body_hash IS NOT NULL;

-- What is due at the same instant is read in the order of its numbers, which are shorter than ids.
DROP INDEX payments_by_read;
DROP INDEX links_by_read;
DROP INDEX agreements_by_read;
CREATE INDEX payments_by_read ON payments (read_site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
CREATE INDEX links_by_read ON links (site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
CREATE INDEX agreements_by_read ON agreements (site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
