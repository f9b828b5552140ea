import Negotiator from 'negotiator'
import { negotiated } from './negotiated.ts'

/** The media types of a response to GraphQL over HTTP. */
const JSON_TYPE = 'application/json'
const GRAPHQL_TYPE = 'application/graphql-response+json'

/**
 * Returns the `content-type` of the response to a request with this `accept` header: the preferred one, JSON if both are equal. Null
 * if it accepts neither. https://graphql.github.io/graphql-over-http/draft/#sec-Accept
 */
export function responseType(accept: string | undefined): string | null {
  if (accept === undefined || accept === '*/*' || accept === JSON_TYPE) return `${JSON_TYPE}; charset=utf-8`
  return preferredType(accept)
}

const preferredType = negotiated((accept) => {
  const [preferred] = new Negotiator({ headers: { accept } }).mediaTypes([JSON_TYPE, GRAPHQL_TYPE])
  return preferred === undefined ? null : `${preferred}; charset=utf-8`
})
