-- compatible
-- Payments and links are searched by the beginning of a text, in any case: their references, and the name and e-mail address of the payer.
CREATE INDEX payments_search_reference ON payments (lower(reference)) WHERE reference IS NOT NULL;
CREATE INDEX payments_search_other_reference ON payments (lower(other_reference)) WHERE other_reference IS NOT NULL;
-- Of links with a payment, the payment is found.
CREATE INDEX links_search_reference ON links (lower(reference)) WHERE payment_id IS NULL;
CREATE INDEX payment_payers_search_name ON payment_payers (lower(name)) WHERE name IS NOT NULL;
-- What follows the first word of a name; the whole name if it is one word.
CREATE INDEX payment_payers_search_last_name ON payment_payers (lower(substr(name, instr(name, ' ') + 1))) WHERE name IS NOT NULL;
