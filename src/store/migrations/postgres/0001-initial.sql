-- breaking
-- Instants are milliseconds since the epoch, truth values are 0 or 1, and documents are JSON text, as on SQLite.
-- Every list is paged by `number`, newest first; the log is read by `position`, oldest first.
-- Ids that lists are sorted by, and what is compared with them, are sorted by their bytes, whatever the server's language.

CREATE TABLE meta (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  log_id TEXT NOT NULL,
  opened_at BIGINT NOT NULL,
  -- Last sign of life of a process that held the database.
  heartbeat_at BIGINT
);

INSERT INTO meta (id, log_id, opened_at) VALUES (1, replace(gen_random_uuid()::text, '-', ''), 0);

-- The one row that every append locks and raises: positions come in the order of the commits.
CREATE TABLE log_head (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  position BIGINT NOT NULL
);

INSERT INTO log_head (id, position) VALUES (1, 0);

CREATE TABLE events (
  position BIGINT PRIMARY KEY,
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
  agreement_json TEXT,
  recorded_at BIGINT NOT NULL,
  delivery_id TEXT,
  UNIQUE (stream_id, sequence)
);

CREATE INDEX events_by_stream ON events (stream_id, position);
CREATE INDEX events_by_payment ON events (payment_id, position) WHERE payment_id IS NOT NULL;
CREATE INDEX events_by_link ON events (link_ref, position) WHERE link_ref IS NOT NULL;
CREATE INDEX events_by_agreement ON events (agreement_id, position) WHERE agreement_id IS NOT NULL;
CREATE INDEX events_by_kind ON events (kind, position);

CREATE TABLE deliveries (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  body_hash TEXT NOT NULL UNIQUE,
  ref TEXT,
  subject_id TEXT,
  status_raw TEXT,
  disposition TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  first_received_at BIGINT NOT NULL,
  last_received_at BIGINT NOT NULL,
  event_id TEXT,
  body TEXT
);

CREATE INDEX deliveries_by_subject ON deliveries (subject_id, number) WHERE subject_id IS NOT NULL;
CREATE INDEX deliveries_by_disposition ON deliveries (disposition, number);

CREATE TABLE payments (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  link_ref TEXT,
  -- Upstream uuid of the link that the bodies name: it finds the link when that is recorded later than the payment.
  named_link_id TEXT,
  state_json TEXT NOT NULL,
  phase TEXT NOT NULL,
  rank INTEGER NOT NULL,
  amount_known INTEGER NOT NULL CHECK (amount_known IN (0, 1)),
  reference TEXT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  -- When the service last told what is true, in an answer or by creating the row.
  confirmed_at BIGINT NOT NULL DEFAULT 0,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_failures INTEGER NOT NULL DEFAULT 0,
  -- The doubt of a payment, out of its document, so that the longest doubt is found without reading them all. By its text: in
  -- a string of the document the quotes would be escaped, and the server's own JSON refuses documents with \u0000 in them.
  provisional INTEGER GENERATED ALWAYS AS (CASE WHEN strpos(state_json, '"provisional":true') > 0 THEN 1 ELSE 0 END) STORED
);

CREATE INDEX payments_by_phase ON payments (phase, number);
CREATE INDEX payments_by_reference ON payments (reference, number) WHERE reference IS NOT NULL;
CREATE INDEX payments_by_update ON payments (updated_at);
CREATE INDEX payments_by_link ON payments (link_ref) WHERE link_ref IS NOT NULL;
CREATE INDEX payments_by_named_link ON payments (named_link_id) WHERE named_link_id IS NOT NULL;
CREATE INDEX payments_by_read ON payments (read_due_at, id) WHERE read_due_at IS NOT NULL;
CREATE INDEX payments_in_doubt ON payments (updated_at) WHERE provisional = 1;
-- Rank 6 is final: nothing can follow it.
CREATE INDEX payments_unfinal ON payments (confirmed_at, id) WHERE rank < 6;

-- Who pays lies apart, so that it can be erased without touching anything else.
CREATE TABLE payment_payers (
  payment_id TEXT COLLATE "C" PRIMARY KEY REFERENCES payments (id),
  name TEXT,
  email TEXT
);

CREATE TABLE links (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
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
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  expired INTEGER NOT NULL CHECK (expired IN (0, 1)),
  payment_id TEXT COLLATE "C" REFERENCES payments (id),
  payment_phase TEXT,
  confirmed_at BIGINT NOT NULL DEFAULT 0,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_failures INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX links_by_reference ON links (reference, number);
CREATE INDEX links_by_creation ON links (created_at);
CREATE INDEX links_by_phase ON links (payment_phase, number);
CREATE INDEX links_unpaid_by_expiry ON links (expires_at) WHERE payment_id IS NULL;
CREATE INDEX links_by_payment ON links (payment_id) WHERE payment_id IS NOT NULL;
CREATE INDEX links_by_read ON links (read_due_at, id) WHERE read_due_at IS NOT NULL;
CREATE INDEX links_unfinal ON links (confirmed_at, id) WHERE payment_id IS NULL AND expired = 0;

CREATE TABLE payins (
  payment_id TEXT COLLATE "C" PRIMARY KEY REFERENCES payments (id),
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  owner_id TEXT,
  reference TEXT NOT NULL,
  requested_value TEXT NOT NULL,
  requested_currency TEXT NOT NULL,
  method_code TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE INDEX payins_by_reference ON payins (reference);

CREATE TABLE agreements (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  service_id TEXT,
  client_transaction_id TEXT UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  site TEXT NOT NULL,
  -- Null while the service reports a status that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_failures INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX agreements_by_status ON agreements (status, number);
CREATE INDEX agreements_by_creation ON agreements (created_at);
CREATE INDEX agreements_by_read ON agreements (read_due_at, id) WHERE read_due_at IS NOT NULL;

-- Who pays lies apart, so that it can be erased without touching anything else.
CREATE TABLE agreement_payers (
  agreement_id TEXT COLLATE "C" PRIMARY KEY REFERENCES agreements (id),
  name TEXT,
  bsb TEXT,
  account_number_masked TEXT,
  pay_id_masked TEXT,
  pay_id_type TEXT
);

CREATE TABLE commands (
  id TEXT PRIMARY KEY,
  mutation TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  state TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  ref TEXT NOT NULL,
  owner TEXT NOT NULL,
  lease_until BIGINT NOT NULL,
  sent_at BIGINT NOT NULL,
  result_json TEXT,
  UNIQUE (mutation, key)
);

CREATE INDEX commands_by_lease ON commands (state, lease_until);
CREATE INDEX commands_by_age ON commands (state, sent_at);

-- Outlives its command: a webhook may still come to the address of an attempt that has been forgotten.
CREATE TABLE command_refs (
  ref TEXT PRIMARY KEY,
  command_id TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  sent_at BIGINT NOT NULL,
  -- What the correlator was made for.
  kind TEXT NOT NULL,
  -- The credentials that the service was asked with.
  site TEXT
);

CREATE INDEX command_refs_by_command ON command_refs (command_id, attempt);

-- Which process may do what only one may do at a time.
CREATE TABLE leases (
  name TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  until BIGINT NOT NULL
);
