/** What the normalised caches of Apollo Client and urql need to know of the types. It imports neither. */
import { keyedByCode, possibleTypes, replacedFields, withoutKey } from './generated/cache-types.ts'

/** The object types of each interface and union: `possibleTypes` of Apollo Client's `InMemoryCache`, and of `cacheExchange`. */
export { possibleTypes }

type Data = Readonly<Record<string, unknown>>

type TypePolicy = {
  keyFields?: ((data: Data) => string[] | false) | false
  merge?: boolean
  fields?: Record<string, { merge: false }>
}

/** Types without a key whose fields never contradict each other, however old: an amount keeps its currency, and an event what it knew. */
const MERGED: ReadonlySet<string> = new Set(['PaymentAmount', 'PaymentSnapshot'])

/**
 * `typePolicies` of Apollo Client's `InMemoryCache`: the key of each type that has no `id`. Objects without a key, lists and JSON are replaced
 * as a whole, so that none is put together from two states.
 *
 * @example
 * const cache = new InMemoryCache({ possibleTypes, typePolicies })
 * cache.policies.addTypePolicies({ Query: { fields: { payments: relayStylePagination(['filter']) } } })
 */
export const typePolicies: Record<string, TypePolicy> = policies()

function policies(): Record<string, TypePolicy> {
  const all: Record<string, TypePolicy> = {}
  for (const name of keyedByCode)
    all[name] = { keyFields: ({ code }) => (code === undefined ? false : ['code']), merge: false }
  for (const name of withoutKey) all[name] = { keyFields: false, merge: MERGED.has(name) }
  for (const [name, fields] of Object.entries(replacedFields)) {
    const replaced = fields.map((field): [string, { merge: false }] => [field, { merge: false }])
    all[name] = { ...all[name], fields: Object.fromEntries(replaced) }
  }
  return all
}

type KeyOf = (data: Data) => string | null

/**
 * `keys` of `cacheExchange` of urql's Graphcache: the key of each type that has no `id`; null for objects that belong to the one that
 * contains them.
 *
 * @example
 * cacheExchange({ keys, possibleTypes })
 */
export const keys: Record<string, KeyOf> = Object.fromEntries([
  ...keyedByCode.map((name): [string, KeyOf] => [name, ({ code }) => (typeof code === 'string' ? code : null)]),
  ...withoutKey.map((name): [string, KeyOf] => [name, () => null]),
])
