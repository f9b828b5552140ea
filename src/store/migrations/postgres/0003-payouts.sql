-- compatible
-- The account that pays a payout which was made here: the payments API does not tell it by the payout's id.
CREATE TABLE payouts (
  id TEXT NOT NULL PRIMARY KEY,
  site TEXT NOT NULL
);
