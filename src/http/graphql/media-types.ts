import { LRUCache } from 'lru-cache'
import Negotiator from 'negotiator'

/** The media types of a response to GraphQL over HTTP. */
const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'
/** Browsers and libraries send few different values. */
const MAX_TEXTS = 256
const MAX_CHARACTERS = 256

const chosen = new LRUCache<string, { readonly type: string | null }>({ max: MAX_TEXTS })

/**
 * Returns the `content-type` of the response to a request with this `accept` header: the preferred one, JSON if both are equal. Null
 * if it accepts neither. https://graphql.github.io/graphql-over-http/draft/#sec-Accept
 */
export function responseType(accept: string | undefined): string | null {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return `${JSON_TYPE}; charset=utf-8`
  const known = chosen.get(accept)
  if (known !== undefined) return known.type
  const [preferred] = new Negotiator({ headers: { accept } }).mediaTypes([JSON_TYPE, GRAPHQL_TYPE])
  const type = preferred === undefined ? null : `${preferred}; charset=utf-8`
  if (accept.length <= MAX_CHARACTERS) chosen.set(accept, { type })
  return type
}
