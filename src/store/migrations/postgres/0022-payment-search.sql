-- compatible
-- Payments and links are searched by the beginning of a text, in any case: their references, and the name and e-mail address of the payer.
-- Compared by bytes: in the order of a language the texts with one beginning are not adjacent.

-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_search_reference ON payments ((lower(reference) COLLATE "C"))
  WHERE reference IS NOT NULL;

-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payments_search_other_reference ON payments ((lower(other_reference) COLLATE "C"))
  WHERE other_reference IS NOT NULL;

-- step, outside a transaction
-- Of links with a payment, the payment is found.
CREATE INDEX CONCURRENTLY IF NOT EXISTS links_search_reference ON links ((lower(reference) COLLATE "C"))
  WHERE payment_id IS NULL;

-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_payers_search_name ON payment_payers ((lower(name) COLLATE "C"))
  WHERE name IS NOT NULL;

-- step, outside a transaction
-- What follows the first word of a name; the whole name if it is one word.
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_payers_search_last_name
  ON payment_payers ((lower(substr(name, strpos(name, ' ') + 1)) COLLATE "C")) WHERE name IS NOT NULL;

-- step, outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_payers_search_email ON payment_payers ((lower(email) COLLATE "C"))
  WHERE email IS NOT NULL;
