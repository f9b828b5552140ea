/** What is pruned when it is old: events by the instant at which they were recorded, deliveries by that of their first receipt. */
export type PrunedKind = 'events' | 'payout_events' | 'gateway_payment_events' | 'deliveries'

/** What payers are found by: the id of a payment, link, agreement or payout, the owner of links, payins and agreements, or an e-mail address. */
export type ErasureKind = 'PAYMENT' | 'LINK' | 'AGREEMENT' | 'PAYOUT' | 'OWNER' | 'EMAIL'
