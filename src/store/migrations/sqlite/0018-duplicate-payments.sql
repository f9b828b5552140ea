-- compatible
-- The payments of each order that hold its money, by a hash of site, owner and reference; the order of a payment is looked up when it is paid.
-- Rows of orders that are older than the keys of deliveries are pruned with them.
CREATE TABLE paid_orders (
  id TEXT PRIMARY KEY,
  payment_ids TEXT NOT NULL,
  several_expected INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX paid_orders_by_age ON paid_orders (updated_at);

-- Payments that came although their order was paid already, or although their link had expired.
CREATE TABLE duplicate_payments (
  payment_id TEXT PRIMARY KEY,
  other_id TEXT,
  reason TEXT NOT NULL,
  found_at INTEGER NOT NULL,
  resolved_at INTEGER,
  resolution TEXT
) WITHOUT ROWID;

-- 1: it is such a payment, and not resolved.
ALTER TABLE payments ADD COLUMN duplicate INTEGER NOT NULL DEFAULT 0;

CREATE INDEX payments_duplicate ON payments ((+number)) WHERE duplicate = 1 AND amount_known = 1;
