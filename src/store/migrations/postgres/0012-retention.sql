-- compatible
-- Events and deliveries are partitioned by month, so that old ones can be dropped. Their rows so far become the first partition, which
-- ends with the month after this one; that of the last row counts if the clock of the nodes is ahead.
DO $$
DECLARE
  last BIGINT := greatest(
    (extract(epoch FROM now()) * 1000)::BIGINT,
    (SELECT recorded_at FROM events ORDER BY position DESC LIMIT 1),
    (SELECT first_received_at FROM deliveries ORDER BY number DESC LIMIT 1)
  );
  bound BIGINT := extract(epoch FROM date_trunc('month', to_timestamp(last / 1000) AT TIME ZONE 'UTC') + interval '2 months') * 1000;
BEGIN
  EXECUTE format('ALTER TABLE events ADD CONSTRAINT events_first_bound CHECK (recorded_at < %s) NOT VALID', bound);
  EXECUTE format('ALTER TABLE deliveries ADD CONSTRAINT deliveries_first_bound CHECK (first_received_at < %s) NOT VALID', bound);
END $$;

-- step, long
-- Without a valid constraint the table would be read while it is attached, and nobody could write meanwhile.
ALTER TABLE events VALIDATE CONSTRAINT events_first_bound;
ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_first_bound;

-- step, short
ALTER TABLE events RENAME TO events_first;
ALTER INDEX events_by_kind RENAME TO events_first_by_kind;
CREATE TABLE events (LIKE events_first INCLUDING DEFAULTS) PARTITION BY RANGE (recorded_at);
CREATE INDEX events_by_kind ON events (kind, (+position));

ALTER TABLE deliveries RENAME TO deliveries_first;
ALTER INDEX deliveries_by_subject RENAME TO deliveries_first_by_subject;
ALTER INDEX deliveries_by_disposition RENAME TO deliveries_first_by_disposition;
ALTER INDEX deliveries_by_ref RENAME TO deliveries_first_by_ref;
-- Partitions cannot have an identity of their parent (PostgreSQL 15), but its default.
ALTER TABLE deliveries_first ALTER COLUMN number DROP IDENTITY;
CREATE TABLE deliveries (LIKE deliveries_first INCLUDING DEFAULTS) PARTITION BY RANGE (first_received_at);
CREATE SEQUENCE deliveries_number OWNED BY deliveries.number;
SELECT setval('deliveries_number', (SELECT coalesce(max(number), 0) + 1 FROM deliveries_first), false);
ALTER TABLE deliveries ALTER COLUMN number SET DEFAULT nextval('deliveries_number');
CREATE INDEX deliveries_by_subject ON deliveries (subject_id, number) WHERE subject_id IS NOT NULL;
CREATE INDEX deliveries_by_disposition ON deliveries (disposition, (+number));
CREATE INDEX deliveries_by_ref ON deliveries (ref, number) WHERE ref IS NOT NULL;

DO $$
DECLARE
  bound TEXT;
BEGIN
  SELECT substring(pg_get_constraintdef(oid) FROM '\d+') INTO bound FROM pg_constraint
    WHERE conrelid = 'events_first'::regclass AND conname = 'events_first_bound';
  EXECUTE format('ALTER TABLE events ATTACH PARTITION events_first FOR VALUES FROM (MINVALUE) TO (%s)', bound);
  EXECUTE format('ALTER TABLE deliveries ATTACH PARTITION deliveries_first FOR VALUES FROM (MINVALUE) TO (%s)', bound);
END $$;
ALTER TABLE events_first DROP CONSTRAINT events_first_bound;
ALTER TABLE deliveries_first DROP CONSTRAINT deliveries_first_bound;

-- For rows of months for which no partition was made, such as those of a node whose clock is months ahead. A unique constraint of
-- all partitions would have to include the month; only one transaction writes at a time, and it looks each key up.
CREATE TABLE events_other PARTITION OF events (PRIMARY KEY (position), UNIQUE (stream_id, sequence)) DEFAULT;
CREATE TABLE deliveries_other PARTITION OF deliveries (PRIMARY KEY (number), UNIQUE (id)) DEFAULT;
CREATE UNIQUE INDEX deliveries_other_by_old_hash ON deliveries_other (body_hash) WHERE body_hash IS NOT NULL;

-- Position of the last event that was pruned: the log can be read after it.
ALTER TABLE log_head ADD COLUMN horizon BIGINT NOT NULL DEFAULT 0;

-- Of streams with pruned events, the sequence of the last one, so that a later event gets the next.
CREATE TABLE pruned_streams (
  stream_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
);

CREATE VIEW stream_sequences AS
  SELECT stream_id, sequence FROM events UNION ALL SELECT stream_id, sequence FROM pruned_streams;

-- Keys of pruned deliveries, by which a repeat is recognised.
CREATE TABLE pruned_deliveries (
  id TEXT PRIMARY KEY,
  disposition TEXT NOT NULL,
  received_at BIGINT NOT NULL
);

CREATE INDEX pruned_deliveries_by_age ON pruned_deliveries (received_at);

-- Archived rows, in ranges of the position of events and of the number of deliveries.
CREATE TABLE archives (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The end of their unit: a month, or a partition.
  until BIGINT NOT NULL,
  first BIGINT NOT NULL,
  last BIGINT NOT NULL,
  count INTEGER NOT NULL,
  -- Name of the file; null if the rows were discarded.
  file TEXT,
  -- Of the lines before compression; null without a file.
  sha256 TEXT,
  archived_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX archives_by_end ON archives (kind, until, last);
