-- compatible
-- 1: the payer was erased, and what is reported of it later is dropped. The other columns are null then.
ALTER TABLE payment_payers ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agreement_payers ADD COLUMN erased INTEGER NOT NULL DEFAULT 0;

-- Requests to erase payers.
CREATE TABLE erasures (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  -- What the payers are found by: PAYMENT, LINK, AGREEMENT, OWNER or EMAIL.
  kind TEXT NOT NULL,
  -- The id, the owner or the e-mail address; null once the erasure is done.
  value TEXT,
  -- Keyed hash of the value.
  value_hash TEXT NOT NULL,
  -- Subject of the token of the request.
  requested_by TEXT,
  requested_at INTEGER NOT NULL,
  -- Where it continues; null at its start and once it is done.
  cursor TEXT,
  payments INTEGER NOT NULL DEFAULT 0,
  agreements INTEGER NOT NULL DEFAULT 0,
  payers INTEGER NOT NULL DEFAULT 0,
  done_at INTEGER
) STRICT;

CREATE INDEX erasures_running ON erasures (kind, value) WHERE done_at IS NULL;

-- What is erased by an e-mail address or an owner is found without reading the others.
CREATE INDEX payment_payers_by_email ON payment_payers (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX links_by_owner ON links (owner_id, (+number)) WHERE owner_id IS NOT NULL;
CREATE INDEX payins_by_owner ON payins (owner_id, (payment_id || '')) WHERE owner_id IS NOT NULL;
