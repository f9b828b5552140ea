-- compatible
-- What a refund of ours has besides its payment's state: its key, and a reason, which may name the payer and is erased with it. They outlive
-- the command, whose key can be used again after a month.
CREATE TABLE refund_requests (
  command_id TEXT PRIMARY KEY,
  payment_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  -- Null once it is erased.
  reason TEXT
);

CREATE INDEX refund_requests_by_payment ON refund_requests (payment_id);
