import type { FastifyRequest } from 'fastify'
import { badRequest } from '../graphql/errors.ts'
import type { OperationRequest } from '../graphql/operation-text.ts'

const PARAMETERS: ReadonlySet<string> = new Set(['query', 'operationName', 'variables', 'extensions', 'documentId'])

/** The operation in a request: in the address of a GET, in the body of a POST. Throws a GraphQLError for what is none. */
export function requestIn({ method, url, body }: FastifyRequest): OperationRequest {
  if (method === 'GET') return readSearch(new URL(url, 'http://localhost').searchParams)
  if (typeof body !== 'string') throw badRequest('The body is missing.')
  return readBody(body)
}

/**
 * Reads the body of a POST. Throws a GraphQLError for what is no JSON object, and for one that says the same thing twice:
 * whoever checked it on its way here may have gone by the other one.
 */
function readBody(text: string): OperationRequest {
  const body = jsonIn(text)
  if (Array.isArray(body)) throw badRequest('Operations are taken one by one, not in batches.')
  if (typeof body !== 'object' || body === null) throw badRequest('The body must be a JSON object.')
  const keys = keysOf(text)
  if (new Set(keys).size < keys.length) throw badRequest('The body has a key twice.')
  return body
}

/** Reads the query part of a GET's address. Throws a GraphQLError for a parameter that is repeated or is no JSON. */
function readSearch(search: URLSearchParams): OperationRequest {
  const request: Record<string, unknown> = {}
  for (const [name, text] of search) {
    if (!PARAMETERS.has(name)) continue
    if (name in request) throw badRequest(`${name} is given twice.`)
    request[name] = name === 'variables' || name === 'extensions' ? jsonIn(text) : text
  }
  return request
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The request is not valid JSON.')
  }
}

/** The keys of the object that a valid JSON text is, in their order and with repeats. */
function keysOf(text: string): string[] {
  const keys: string[] = []
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at)
    if (character === '"') {
      const end = endOfString(text, at)
      if (depth === 1 && /^\s*:/.test(text.slice(end + 1, end + 20))) keys.push(JSON.parse(text.slice(at, end + 1)))
      at = end
    } else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
  }
  return keys
}

/** Where the string ends that begins at a position of a valid JSON text. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1
  return at
}
