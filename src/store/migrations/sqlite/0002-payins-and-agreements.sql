-- compatible
-- What a correlator was made for. Every one that is on record so far was made for a link.
ALTER TABLE command_refs ADD COLUMN kind TEXT NOT NULL DEFAULT 'link';

-- The credentials that the service was asked with; null where it was asked before this was kept.
ALTER TABLE command_refs ADD COLUMN site TEXT;

CREATE INDEX command_refs_by_command ON command_refs (command_id, attempt);

CREATE INDEX commands_by_age ON commands (state, sent_at);

-- Last sign of life of the process that held the database.
ALTER TABLE meta ADD COLUMN heartbeat_at INTEGER;

-- When the service last told what is true, in an answer or by creating the row.
ALTER TABLE payments ADD COLUMN confirmed_at INTEGER NOT NULL DEFAULT 0;

UPDATE payments SET confirmed_at = created_at;

-- Rank 6 is final: nothing can follow it.
CREATE INDEX payments_unfinal ON payments (confirmed_at, id) WHERE rank < 6;

ALTER TABLE links ADD COLUMN confirmed_at INTEGER NOT NULL DEFAULT 0;

UPDATE links SET confirmed_at = created_at;

CREATE INDEX links_unfinal ON links (confirmed_at, id) WHERE payment_id IS NULL AND expired = 0;

CREATE TABLE payins (
  payment_id TEXT PRIMARY KEY REFERENCES payments (id),
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  owner_id TEXT,
  reference TEXT NOT NULL,
  requested_value TEXT NOT NULL,
  requested_currency TEXT NOT NULL,
  method_code TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX payins_by_reference ON payins (reference);

CREATE TABLE agreements (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  service_id TEXT,
  client_transaction_id TEXT UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  stream_id TEXT NOT NULL,
  site TEXT NOT NULL,
  -- Null while the service reports a status that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  read_due_at INTEGER,
  read_failures INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX agreements_by_status ON agreements (status, number);
CREATE INDEX agreements_by_creation ON agreements (created_at);
CREATE INDEX agreements_by_read ON agreements (read_due_at) WHERE read_due_at IS NOT NULL;

-- Who pays lies apart, so that it can be erased without touching anything else.
CREATE TABLE agreement_payers (
  agreement_id TEXT PRIMARY KEY REFERENCES agreements (id),
  name TEXT,
  bsb TEXT,
  account_number_masked TEXT,
  pay_id_masked TEXT,
  pay_id_type TEXT
) STRICT;

ALTER TABLE events ADD COLUMN agreement_json TEXT;

CREATE INDEX events_by_agreement ON events (agreement_id, position) WHERE agreement_id IS NOT NULL;
