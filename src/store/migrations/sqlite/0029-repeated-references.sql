-- compatible
-- Most references occur once. Such a payment is found by the index of the search, and needs no place by phase: only payments whose
-- reference may be that of others, too, are in the indexes of lists. This is decided when a payment is inserted. A process of the version
-- before lists the payments of a reference without an index.
ALTER TABLE payments ADD COLUMN reference_repeats INTEGER NOT NULL DEFAULT 1;

DROP INDEX payments_by_reference;
DROP INDEX payments_by_reference_and_update;
DROP INDEX payments_search_reference;
CREATE INDEX payments_by_reference ON payments (reference, (phase || ''), (+number))
  WHERE amount_known = 1 AND reference IS NOT NULL AND reference_repeats = 1;
CREATE INDEX payments_by_reference_and_update ON payments (reference, (phase || ''), updated_at)
  WHERE amount_known = 1 AND reference IS NOT NULL AND reference_repeats = 1;
CREATE INDEX payments_search_reference ON payments (lower(reference), reference_repeats) WHERE reference IS NOT NULL;
