-- compatible
-- Gateway payments that were started here, as their events left them. A process that does not have this file starts them without a record, and
-- keeps their callbacks without an effect.
CREATE TABLE gateway_payments (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  ref TEXT NOT NULL UNIQUE,
  site TEXT NOT NULL,
  -- The merchant's own id of the order; null until it is known.
  order_id TEXT,
  -- Null while the last status is one that is not known.
  status TEXT,
  state_json TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deliveries INTEGER NOT NULL DEFAULT 0,
  provisional INTEGER NOT NULL DEFAULT 0
);

-- By number, and by the instant at which it was recorded. Those by status alone have an expression, so that no planner takes them for another one.
CREATE INDEX gateway_payments_by_status ON gateway_payments ((status || ''), (+number));
CREATE INDEX gateway_payments_by_order ON gateway_payments (order_id, status, (+number)) WHERE order_id IS NOT NULL;
CREATE INDEX gateway_payments_by_creation ON gateway_payments ((status || ''), created_at, number);
CREATE INDEX gateway_payments_by_order_and_creation ON gateway_payments (order_id, status, created_at, number) WHERE order_id IS NOT NULL;
CREATE INDEX gateway_payments_in_doubt ON gateway_payments (updated_at) WHERE provisional = 1;

-- Their events, apart from the others, so that a process that does not know them reads none. Their positions are those of the whole log.
CREATE TABLE gateway_payment_events (
  position BIGINT PRIMARY KEY,
  stream_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  kind TEXT NOT NULL,
  source TEXT NOT NULL,
  from_status TEXT,
  to_status TEXT NOT NULL,
  gateway_payment_json TEXT NOT NULL,
  recorded_at BIGINT NOT NULL,
  UNIQUE (stream_id, sequence)
);

CREATE INDEX gateway_payment_events_by_kind ON gateway_payment_events (kind, (+position));
