-- breaking
-- Instants are milliseconds since the epoch, truth values are 0 or 1, and documents are JSON text.
-- Every list is paged by `number`, newest first; the log is read by `position`, oldest first.

CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  log_id TEXT NOT NULL,
  opened_at INTEGER NOT NULL
) STRICT;

INSERT INTO meta (id, log_id, opened_at) VALUES (1, lower(hex(randomblob(16))), 0);

-- The one row that every append locks and raises: positions come in the order of the commits.
CREATE TABLE log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  position INTEGER NOT NULL
) STRICT;

INSERT INTO log_head (id, position) VALUES (1, 0);

CREATE TABLE events (
  position INTEGER PRIMARY KEY,
  stream_id TEXT NOT NULL,
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT,
  link_ref TEXT,
  payment_id TEXT,
  agreement_id TEXT,
  payment_json TEXT,
  recorded_at INTEGER NOT NULL,
  delivery_id TEXT,
  UNIQUE (stream_id, sequence)
) STRICT;

CREATE INDEX events_by_stream ON events (stream_id, position);
CREATE INDEX events_by_payment ON events (payment_id, position) WHERE payment_id IS NOT NULL;
CREATE INDEX events_by_link ON events (link_ref, position) WHERE link_ref IS NOT NULL;
CREATE INDEX events_by_kind ON events (kind, position);

CREATE TABLE deliveries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  body_hash TEXT NOT NULL UNIQUE,
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

CREATE INDEX deliveries_by_subject ON deliveries (subject_id, number) WHERE subject_id IS NOT NULL;
CREATE INDEX deliveries_by_disposition ON deliveries (disposition, number);

CREATE TABLE payments (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  link_ref TEXT,
  -- Upstream uuid of the link that the bodies name: it finds the link when that is recorded later than the payment.
  named_link_id TEXT,
  state_json TEXT NOT NULL,
  phase TEXT NOT NULL,
  rank INTEGER NOT NULL,
  amount_known INTEGER NOT NULL CHECK (amount_known IN (0, 1)),
  reference TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at INTEGER,
  read_failures INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX payments_by_phase ON payments (phase, number);
CREATE INDEX payments_by_reference ON payments (reference, number) WHERE reference IS NOT NULL;
CREATE INDEX payments_by_update ON payments (updated_at);
CREATE INDEX payments_by_link ON payments (link_ref) WHERE link_ref IS NOT NULL;
CREATE INDEX payments_by_named_link ON payments (named_link_id) WHERE named_link_id IS NOT NULL;
CREATE INDEX payments_by_read ON payments (read_due_at) WHERE read_due_at IS NOT NULL;

-- Who pays lies apart, so that it can be erased without touching anything else.
CREATE TABLE payment_payers (
  payment_id TEXT PRIMARY KEY REFERENCES payments (id),
  name TEXT,
  email TEXT
) STRICT;

CREATE TABLE links (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  site TEXT NOT NULL,
  reference TEXT NOT NULL,
  checkout_url TEXT NOT NULL,
  requested_value TEXT NOT NULL,
  requested_currency TEXT NOT NULL,
  description TEXT NOT NULL,
  method_code TEXT,
  owner_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  expired INTEGER NOT NULL CHECK (expired IN (0, 1)),
  payment_id TEXT REFERENCES payments (id),
  payment_phase TEXT,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at INTEGER,
  read_failures INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX links_by_reference ON links (reference, number);
CREATE INDEX links_by_creation ON links (created_at);
CREATE INDEX links_by_phase ON links (payment_phase, number);
CREATE INDEX links_unpaid_by_expiry ON links (expires_at) WHERE payment_id IS NULL;
CREATE INDEX links_by_payment ON links (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX links_by_read ON links (read_due_at) WHERE read_due_at IS NOT NULL;

CREATE TABLE commands (
  id TEXT PRIMARY KEY,
  mutation TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  ref TEXT NOT NULL,
  owner TEXT NOT NULL,
  lease_until INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  result_json TEXT,
  UNIQUE (mutation, key)
) STRICT;

CREATE INDEX commands_by_lease ON commands (state, lease_until);

-- Outlives its command: a webhook may still come to the address of an attempt that has been forgotten.
CREATE TABLE command_refs (
  ref TEXT PRIMARY KEY,
  command_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;
