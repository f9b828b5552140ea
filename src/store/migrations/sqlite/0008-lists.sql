-- breaking
-- Every list is answered from an index, whatever is asked of it. Two indexes are kept from being taken for each other: the
-- number as an expression is the order of a list, for which the table itself is not read through; the phase as one belongs to a
-- reference, which is looked up first.
-- An index of SQLite ends in the row's number by itself.

-- The reference that the payment's link or payin was made with, where the payment carries another one or none.
ALTER TABLE payments ADD COLUMN other_reference TEXT;

UPDATE payments SET other_reference = (SELECT l.reference FROM links l WHERE l.ref = payments.link_ref)
  WHERE EXISTS (SELECT 1 FROM links l WHERE l.ref = payments.link_ref AND l.reference IS NOT payments.reference);

UPDATE payments SET other_reference = (SELECT p.reference FROM payins p WHERE p.payment_id = payments.id)
  WHERE id IN (SELECT p.payment_id FROM payins p) AND other_reference IS NULL
    AND reference IS NOT (SELECT p.reference FROM payins p WHERE p.payment_id = payments.id);

DROP INDEX payments_by_phase;
DROP INDEX payments_by_reference;
DROP INDEX payments_by_update;
DROP INDEX payins_by_reference;

-- Only payments of which the amount is known are listed.
CREATE INDEX payments_by_phase ON payments (phase, (+number)) WHERE amount_known = 1;
CREATE INDEX payments_by_update ON payments (phase, updated_at) WHERE amount_known = 1;
CREATE INDEX payments_by_reference ON payments (reference, (phase || ''), (+number))
  WHERE amount_known = 1 AND reference IS NOT NULL;
CREATE INDEX payments_by_reference_and_update ON payments (reference, (phase || ''), updated_at)
  WHERE amount_known = 1 AND reference IS NOT NULL;
CREATE INDEX payments_by_other_reference ON payments (other_reference, (phase || ''), (+number))
  WHERE amount_known = 1 AND other_reference IS NOT NULL;
CREATE INDEX payments_by_other_reference_and_update ON payments (other_reference, (phase || ''), updated_at)
  WHERE amount_known = 1 AND other_reference IS NOT NULL;

DROP INDEX links_by_reference;
DROP INDEX links_by_creation;
DROP INDEX links_by_phase;
DROP INDEX links_unpaid_by_expiry;
DROP INDEX links_by_payment;

-- A link has the phase of its payment; without one it is OPEN until the payments API has said that it is over.
CREATE INDEX links_by_phase
  ON links ((coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END)), (+number));
CREATE INDEX links_by_creation
  ON links ((coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END)), created_at);
CREATE INDEX links_by_reference
  ON links (reference, (coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END) || ''), (+number));
CREATE INDEX links_by_reference_and_creation
  ON links (reference, (coalesce(payment_phase, CASE expired WHEN 1 THEN 'EXPIRED' ELSE 'OPEN' END) || ''), created_at);
-- Of those that are OPEN, the few whose time is over.
CREATE INDEX links_open_by_expiry ON links (expires_at) WHERE payment_phase IS NULL AND expired = 0;

DROP INDEX agreements_by_creation;
DROP INDEX agreements_by_status;
CREATE INDEX agreements_by_status ON agreements (status, (+number));
CREATE INDEX agreements_by_creation ON agreements (status, created_at);

-- All events about a payment, a link or an agreement lie in one stream, which is looked up first.
DROP INDEX events_by_payment;
DROP INDEX events_by_link;
DROP INDEX events_by_agreement;
DROP INDEX events_by_kind;
CREATE INDEX events_by_kind ON events (kind, (+position));

DROP INDEX deliveries_by_disposition;
CREATE INDEX deliveries_by_disposition ON deliveries (disposition, (+number));
-- What was told at the address of a command.
CREATE INDEX deliveries_by_ref ON deliveries (ref) WHERE ref IS NOT NULL;
