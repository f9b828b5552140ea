/** All scopes of a client's token, in the spelling of the schema's `@requiresScopes`. */
export const ALL_SCOPES = [
  'payments:read',
  'payments:write',
  'payments:refund',
  'payments:pii',
  'payments:risk',
  'payments:erase',
  'payments:reconcile',
  'agreements:read',
  'agreements:write',
  'payouts:read',
  'payouts:write',
  'payouts:pii',
  'customers:read',
  'customers:write',
  'customers:pii',
  'balances:read',
  'banks:lookup',
  'webhooks:replay',
  'sandbox:simulate',
] as const

/** One scope of a client. */
export type Scope = (typeof ALL_SCOPES)[number]

const KNOWN: ReadonlySet<string> = new Set(ALL_SCOPES)

/** Returns whether a text is one of our scopes. */
export function isScope(text: string): text is Scope {
  return KNOWN.has(text)
}
