import type { IncomingMessage } from 'node:http'
import { hasRepeatedKey } from 'payments-subgraph-lib/exact-json'
import type { OperationRequest } from '../../graphql/admission/read-request.ts'
import { badRequest } from '../../graphql/error-formatter.ts'
import { isEncoded } from '../../lib/content-encoding.ts'
import type { Exchange } from '../server/graphql-exchange.ts'
import { type HttpAnswer } from '../server/http-answer.ts'
import { problemAnswer } from '../server/problem.ts'

const PARAMETERS: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions', 'documentId'])

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * Returns the refusal of a POST before its body is read, null if it may be read: 415 if it is not JSON as text, since any page may send other
 * content types without a preflight, and the size of a compressed body is known only after it was expanded; 413 if it is too large.
 */
export function refusalOfBody({ headers }: IncomingMessage, maxBytes: number): HttpAnswer | null {
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': transfer } = headers
  // RFC 9110, section 12.5.3.
  if (isEncoded(headers['content-encoding'] ?? ''))
    return { ...problemAnswer(415, { headers: ['accept-encoding', 'identity'] }), closes: true }
  if (Number(length) > maxBytes) return TOO_LARGE
  const isJson = type === undefined ? transfer === undefined && Number(length) === 0 : JSON_TYPE.test(type)
  return isJson ? null : { ...problemAnswer(415), closes: true }
}

export const TOO_LARGE: HttpAnswer = { ...problemAnswer(413), closes: true }

/** Returns the operation of a request: from the query string of a GET, or the body of a POST. Throws a GraphQLError if there is none. */
export function operationIn({ request: { method, url = '' }, body }: Exchange): OperationRequest {
  if (method === 'GET') return readSearch(new URL(url, 'http://localhost').searchParams)
  if (body === null) throw badRequest('The body is missing.')
  return readBody(body)
}

/**
 * Reads the body of a POST. Throws a GraphQLError if it is not a JSON object, or if a key is repeated, including within the
 * variables: a proxy that checked the body may have read the other value.
 */
function readBody(text: string): OperationRequest {
  const body = jsonIn('The body', text)
  if (Array.isArray(body)) throw badRequest('Batches are not supported: send one operation for each request.')
  if (typeof body !== 'object' || body === null) throw badRequest('The body must be a JSON object.')
  return body
}

/** Reads the query string of a GET. Throws a GraphQLError for a parameter that is repeated or is not valid JSON. */
function readSearch(search: URLSearchParams): OperationRequest {
  const request: Record<string, unknown> = {}
  for (const [name, text] of search) {
    if (!PARAMETERS.has(name)) continue
    if (name in request) throw badRequest(`${name} is given twice.`)
    request[name] = name === 'variables' || name === 'extensions' ? jsonIn(name, text) : text
  }
  return request
}

function jsonIn(name: string, text: string): unknown {
  const json = parsed(text)
  if (hasRepeatedKey(text, json)) throw badRequest(`${name} has a key twice.`)
  return json
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The request is not valid JSON.')
  }
}
