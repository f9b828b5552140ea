-- compatible
-- Payouts with one reference are listed by method, currency and site, too: a shared reference can have thousands of payouts, of which few
-- meet the other conditions. The reference is an expression, so that no planner takes these indexes for those of the reference alone.

-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payout_records_by_group
  ON payout_records ((reference || ''), (coalesce(method_code, '') || ' ' || coalesce(currency, '') || ' ' || site), status, (+number)) WHERE reference IS NOT NULL;

-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payout_records_by_group_and_creation
  ON payout_records ((reference || ''), (coalesce(method_code, '') || ' ' || coalesce(currency, '') || ' ' || site), status, created_at, number) WHERE reference IS NOT NULL;
