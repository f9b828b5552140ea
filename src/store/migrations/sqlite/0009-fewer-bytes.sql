-- breaking
-- The events of a stream are read in the order of their sequence, by the index of its constraint.
DROP INDEX events_by_stream;

-- What is due at the same instant is read in the order of its numbers, which are shorter than ids.
DROP INDEX payments_by_read;
DROP INDEX links_by_read;
DROP INDEX agreements_by_read;
CREATE INDEX payments_by_read ON payments (read_site, read_class, read_due_at) WHERE read_due_at IS NOT NULL;
CREATE INDEX links_by_read ON links (site, read_class, read_due_at) WHERE read_due_at IS NOT NULL;
CREATE INDEX agreements_by_read ON agreements (site, read_class, read_due_at) WHERE read_due_at IS NOT NULL;

-- The id of a delivery is the key of its hash. Only those of earlier versions, which had an id of their own, are found by the hash.
-- The table is written anew, because SQLite cannot drop the constraint of a column.
CREATE TABLE deliveries_by_key (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  body_hash TEXT,
  ref TEXT,
  subject_id TEXT,
  status_raw TEXT,
  disposition TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_received_at INTEGER NOT NULL,
  last_received_at INTEGER NOT NULL,
  event_id TEXT,
  body TEXT
) STRICT;

INSERT INTO deliveries_by_key
  SELECT number, id, body_hash, ref, subject_id, status_raw, disposition, attempts, first_received_at, last_received_at, event_id, body
  FROM deliveries;

DROP TABLE deliveries;

ALTER TABLE deliveries_by_key RENAME TO deliveries;

CREATE INDEX deliveries_by_subject ON deliveries (subject_id, number) WHERE subject_id IS NOT NULL;
CREATE INDEX deliveries_by_disposition ON deliveries (disposition, (+number));
CREATE INDEX deliveries_by_ref ON deliveries (ref) WHERE ref IS NOT NULL;
CREATE UNIQUE INDEX deliveries_by_old_hash ON deliveries (body_hash) WHERE body_hash IS NOT NULL;
