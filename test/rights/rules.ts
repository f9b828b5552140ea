import { readFileSync } from 'node:fs'
import { Kind, parse, valueFromASTUntyped, type FieldDefinitionNode } from 'graphql'
import { isScope, type Scope } from '../../src/access/caller.ts'
import { NODE_FIELDS, type NodeType } from '../../src/graphql/arguments/arguments.ts'
import type { Ask } from './asks.ts'
import { OWNER, type CallerKind } from './callers.ts'
import { EMPTY, type Outcome, type Verdict } from './cells.ts'

/** One of the inner lists must be satisfied, with all of its scopes. */
type ScopeRule = readonly (readonly Scope[])[]

/** The fields that require scopes, as the schema declares them. */
export const GUARDED: ReadonlyMap<string, ScopeRule> = new Map(guardedFields(readFileSync('schema.graphql', 'utf8')))

/** Scopes that resolvers require beyond the directives, and the outcome without them. */
const OWN_RULES: Readonly<Record<string, { readonly needs: Scope; readonly otherwise: Outcome }>> = {
  'PaymentEvent.agreement': { needs: 'agreements:read', otherwise: 'null' },
  'PaymentEvent.payout': { needs: 'payouts:read', otherwise: 'null' },
  'PaymentWebhookDelivery.agreement': { needs: 'agreements:read', otherwise: 'null' },
  'PaymentWebhookDelivery.payout': { needs: 'payouts:read', otherwise: 'null' },
  'PaymentStreamItem.agreement': { needs: 'agreements:read', otherwise: 'null' },
  'PaymentStreamItem.payout': { needs: 'payouts:read', otherwise: 'null' },
  'PaymentFailure.code': { needs: 'payments:risk', otherwise: 'masked' },
}

/** Root fields for the owner or the holder of a status token; for other callers without the scope the object does not exist. */
const OWNED: Readonly<Record<string, { readonly needs: Scope; readonly otherwise: Outcome }>> = {
  'Query.paymentLink': { needs: 'payments:read', otherwise: 'null' },
  'Query.payment': { needs: 'payments:read', otherwise: 'null' },
  'Query.paymentAgreement': { needs: 'agreements:read', otherwise: 'null' },
  'Subscription.paymentLinkUpdates': { needs: 'payments:read', otherwise: 'NOT_FOUND' },
  'Subscription.paymentUpdates': { needs: 'payments:read', otherwise: 'NOT_FOUND' },
  'Subscription.paymentAgreementUpdates': { needs: 'agreements:read', otherwise: 'NOT_FOUND' },
}

/** Lists that have what the owner owns for callers without any scope, and everything for callers with this one. */
const LISTS: Readonly<Record<string, Scope>> = {
  'Query.paymentLinks': 'payments:read',
  'Query.payments': 'payments:read',
  'Query.paymentAgreements': 'agreements:read',
}

/** What of a page without rows shows nothing. */
const EMPTY_PAGE: readonly (readonly [RegExp, Outcome])[] = [
  [/Connection\.(edges|nodes)$/, EMPTY],
  [/^PageInfo\.(start|end)Cursor$/, 'null'],
]

const FOR_THE_ROUTER = new Set(['Query._service', 'Query._entities'])

/** The scope that a caller other than the owner needs to receive an entity; entities of other types are public. */
const ENTITIES: Readonly<Record<string, Scope>> = {
  PaymentLink: 'payments:read',
  Payment: 'payments:read',
  PaymentEvent: 'payments:read',
  PaymentAgreement: 'agreements:read',
  GatewayPayment: 'payments:read',
  PaymentPayout: 'payouts:read',
  PaymentRefund: 'payments:read',
  PayoutTransaction: 'payouts:read',
  PaymentCustomer: 'customers:read',
  PaymentContact: 'customers:read',
  PayoutMethod: 'payouts:read',
}

const FOLLOWED = 'Subscription.paymentAgreementUpdates'

/** Returns a function that gives the expected outcome of each field of an operation for a caller. */
export function verdictOn(caller: CallerKind, ask: Ask): Verdict {
  const has = (scope: Scope) => caller.scopes?.includes(scope) === true
  const holds = caller.statusToken && ask.statusToken !== undefined
  const owns = caller.subject === OWNER
  return (field) => {
    const coordinate = field === 'Query.paymentsNode' ? byIdField(ask) : field
    if (FOR_THE_ROUTER.has(coordinate) && !caller.router) return 'UNAUTHENTICATED'
    // The router receives the list; in it, an entity that the caller may not see is null, with an error or without.
    if (coordinate === 'Query._entities' && !findsEntity(ask, owns, has))
      return refusalOfEntity(caller, ask.member ?? '') ?? 'data'
    const rule = GUARDED.get(coordinate)
    if (rule !== undefined && !rule.some((scopes) => scopes.every(has)))
      return caller.scopes === null ? 'UNAUTHENTICATED' : 'FORBIDDEN'
    const listed = LISTS[ask.coordinate]
    if (listed !== undefined && coordinate === ask.coordinate && caller.scopes === null) return 'UNAUTHENTICATED'
    if (listed !== undefined && coordinate === ask.coordinate && caller.scopes?.length !== 0 && !has(listed))
      return 'FORBIDDEN'
    if (listed !== undefined && !has(listed) && !owns)
      return EMPTY_PAGE.find(([pattern]) => pattern.test(coordinate))?.[1] ?? null
    const owned = OWNED[coordinate]
    if (owned !== undefined && !has(owned.needs) && !owns && !holds) return owned.otherwise
    // Who may follow an agreement is shown it.
    if (coordinate === 'PaymentStreamItem.agreement' && ask.coordinate === FOLLOWED) return null
    const own = OWN_RULES[coordinate]
    return own === undefined || has(own.needs) ? null : own.otherwise
  }
}

/** Returns the field that reads the type of a node by its id: the rights are the same. */
function byIdField({ member }: Ask): string {
  return `Query.${NODE_FIELDS[member as NodeType]}`
}

/** Types of entities that nobody owns: the right to read one is the same for all of them. */
const UNOWNED_ENTITIES = new Set([
  'PaymentPayout',
  'PayoutMethod',
  'PayoutTransaction',
  'PaymentCustomer',
  'PaymentContact',
  'GatewayPayment',
])

/** Returns the code of the error beside an entity that the caller may not read, the same for those that do not exist; null for none. */
export function refusalOfEntity({ scopes }: CallerKind, member: string): Outcome | null {
  if (scopes === null) return 'UNAUTHENTICATED'
  return UNOWNED_ENTITIES.has(member) ? 'FORBIDDEN' : null
}

function findsEntity(
  { member = '', needs, owned = false }: Ask,
  owns: boolean,
  has: (scope: Scope) => boolean,
): boolean {
  const needed = needs ?? ENTITIES[member]
  return needed === undefined || has(needed) || (owned && owns)
}

function guardedFields(sdl: string): [string, ScopeRule][] {
  return parse(sdl).definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION
      ? (definition.fields ?? []).flatMap((field): [string, ScopeRule][] => {
          const scopes = scopesOf(field)
          return scopes === null ? [] : [[`${definition.name.value}.${field.name.value}`, scopes]]
        })
      : [],
  )
}

function scopesOf({ directives = [] }: FieldDefinitionNode): ScopeRule | null {
  const argument = directives.find(({ name }) => name.value === 'requiresScopes')?.arguments?.[0]
  if (argument === undefined) return null
  return (valueFromASTUntyped(argument.value) as string[][]).map((all) => all.filter(isScope))
}
