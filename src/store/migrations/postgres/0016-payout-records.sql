-- compatible
-- Payouts that were made here, as their events left them. A process that does not have this file reads payouts from the payments API, and
-- keeps their callbacks without an effect; reads find what they told. `payouts` still tells the site of those that it makes.
CREATE TABLE payout_records (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  -- The merchant's own id of the batch.
  reference TEXT,
  method_code TEXT,
  -- Both null until they are known.
  currency TEXT,
  amount TEXT,
  -- Null while the payments API reports a status that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  provisional INTEGER NOT NULL DEFAULT 0,
  read_due_at BIGINT,
  read_class TEXT NOT NULL DEFAULT 'poll',
  read_failures INTEGER NOT NULL DEFAULT 0
);

-- By number, and by the instant at which it was made. Those by status alone have an expression, so that no planner takes them for another one.
CREATE INDEX payout_records_by_status ON payout_records ((status || ''), (+number));
CREATE INDEX payout_records_by_method ON payout_records (method_code, status, (+number));
CREATE INDEX payout_records_by_currency ON payout_records (currency, status, (+number));
CREATE INDEX payout_records_by_site ON payout_records (site, status, (+number));
CREATE INDEX payout_records_by_creation ON payout_records ((status || ''), created_at, number);
CREATE INDEX payout_records_by_method_and_creation ON payout_records (method_code, status, created_at, number);
CREATE INDEX payout_records_by_currency_and_creation ON payout_records (currency, status, created_at, number);
CREATE INDEX payout_records_by_site_and_creation ON payout_records (site, status, created_at, number);
CREATE INDEX payout_records_by_reference ON payout_records (reference, status, (+number)) WHERE reference IS NOT NULL;
CREATE INDEX payout_records_by_reference_and_creation ON payout_records (reference, status, created_at, number) WHERE reference IS NOT NULL;
CREATE INDEX payout_records_by_read ON payout_records (site, read_class, read_due_at, number) WHERE read_due_at IS NOT NULL;
CREATE INDEX payout_records_planned ON payout_records (number) WHERE read_due_at IS NOT NULL;
CREATE INDEX payout_records_in_doubt ON payout_records (updated_at) WHERE provisional = 1;

-- Who is paid, apart from the rest, so that it can be erased. Account numbers are masked.
CREATE TABLE payout_payees (
  payout_id TEXT COLLATE "C" PRIMARY KEY,
  -- Null once they are erased: what is reported of them later is dropped.
  payees_json TEXT,
  erased INTEGER NOT NULL DEFAULT 0
);

-- The events of payouts, apart from the others, so that a process that does not know them reads none. Their positions are those of the
-- whole log.
CREATE TABLE payout_events (
  position BIGINT PRIMARY KEY,
  stream_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  payout_json TEXT NOT NULL,
  recorded_at BIGINT NOT NULL,
  UNIQUE (stream_id, sequence)
);

CREATE INDEX payout_events_by_kind ON payout_events (kind, (+position));

-- How many payouts an erasure is about.
ALTER TABLE erasures ADD COLUMN payouts INTEGER NOT NULL DEFAULT 0;
