-- compatible
-- Position of the last event that was pruned: the log can be read after it.
ALTER TABLE log_head ADD COLUMN horizon INTEGER NOT NULL DEFAULT 0;

-- Of streams with pruned events, the sequence of the last one, so that a later event gets the next.
CREATE TABLE pruned_streams (
  stream_id TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE VIEW stream_sequences AS
  SELECT stream_id, sequence FROM events UNION ALL SELECT stream_id, sequence FROM pruned_streams;

-- Keys of pruned deliveries, by which a repeat is recognised.
CREATE TABLE pruned_deliveries (
  id TEXT PRIMARY KEY,
  disposition TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pruned_deliveries_by_age ON pruned_deliveries (received_at);

-- Archived rows, in ranges of the position of events and of the number of deliveries.
CREATE TABLE archives (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  -- The end of their unit: a month, or a partition.
  until INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  count INTEGER NOT NULL,
  -- Name of the file; null if the rows were discarded.
  file TEXT,
  -- Of the lines before compression; null without a file.
  sha256 TEXT,
  archived_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX archives_by_end ON archives (kind, until, last);
