import { ALL_SCOPES, type Scope } from '../../src/access/caller.ts'

/** A kind of caller. */
export type CallerKind = {
  readonly name: string
  /** The name in the header of a column. */
  readonly label: string
  /** Scopes of the caller's token; null for a caller without a token. */
  readonly scopes: readonly Scope[] | null
  readonly subject: string | null
  /** Whether the caller sends the status token of the requested object, where a field takes one. */
  readonly statusToken: boolean
  /** Whether the caller sends the router's secret. */
  readonly router: boolean
}

export const OWNER = 'customer-7'
export const ROUTER_SECRET = 'router-secret-of-the-tests-0123456789'

/** Combinations of scopes that give access to more than each scope alone. */
const TOGETHER: readonly (readonly Scope[])[] = [
  ['payments:read', 'payments:write'],
  ['payments:read', 'payments:pii'],
  ['payments:write', 'payments:pii'],
  ['payments:read', 'payments:risk'],
  ['payments:read', 'payments:card-token'],
  ['payments:read', 'payments:reconcile'],
  ['payments:read', 'agreements:read'],
  ['payments:read', 'payments:risk', 'agreements:read'],
  ['agreements:read', 'agreements:write'],
  ['agreements:read', 'payments:pii'],
  ['payouts:read', 'payments:pii'],
  ['payouts:read', 'payouts:pii'],
  ['payments:read', 'payouts:read'],
  ['customers:read', 'customers:pii'],
  ['payments:read', 'webhooks:replay'],
]

/** Short labels keep a table of all callers readable. */
const SHORT: Readonly<Record<Scope, string>> = {
  'payments:read': 'p:r',
  'payments:write': 'p:w',
  'payments:refund': 'refund',
  'payments:pii': 'pii',
  'payments:risk': 'risk',
  'payments:card-token': 'card',
  'payments:erase': 'erase',
  'payments:reconcile': 'reconcile',
  'agreements:read': 'a:r',
  'agreements:write': 'a:w',
  'payouts:read': 'po:r',
  'payouts:write': 'po:w',
  'payouts:pii': 'po:pii',
  'customers:read': 'c:r',
  'customers:write': 'c:w',
  'customers:pii': 'c:pii',
  'balances:read': 'bal',
  'banks:lookup': 'bank',
  'webhooks:replay': 'replay',
  'sandbox:simulate': 'sim',
}

const NOBODY: CallerKind = {
  name: 'nobody',
  label: 'nobody',
  scopes: null,
  subject: null,
  statusToken: false,
  router: false,
}

/** A caller with all rights that owns nothing. */
const EVERYTHING: CallerKind = { ...holder('everything', ALL_SCOPES), router: true }

/** Every kind of caller, each with the fewest rights of its kind. */
export const CALLERS: readonly CallerKind[] = [
  NOBODY,
  { ...NOBODY, name: 'stranger', label: 'stranger', scopes: [], subject: 'stranger' },
  { ...NOBODY, name: 'owner', label: 'owner', scopes: [], subject: OWNER },
  { ...NOBODY, name: 'status token', label: 'token', statusToken: true },
  { ...NOBODY, name: 'router', label: 'router', router: true },
  { ...NOBODY, name: 'router for owner', label: 'r+owner', scopes: [], subject: OWNER, router: true },
  ...ALL_SCOPES.map((scope) => holder(scope, [scope])),
  ...TOGETHER.map((scopes) => holder(scopes.join(' + '), scopes)),
  EVERYTHING,
]

/** The same callers through the router. */
export const THROUGH_ROUTER: readonly CallerKind[] = CALLERS.map(throughRouter)

/** Returns the caller as a gateway presents it. */
export function throughRouter(caller: CallerKind): CallerKind {
  return { ...caller, router: true }
}

/** Returns whether a caller has all rights. */
export function seesEverything({ name }: CallerKind): boolean {
  return name === EVERYTHING.name
}

function holder(name: string, scopes: readonly Scope[]): CallerKind {
  const label = scopes === ALL_SCOPES ? 'all' : scopes.map((scope) => SHORT[scope]).join('+')
  return { name, label, scopes, subject: 'back-office', statusToken: false, router: false }
}
