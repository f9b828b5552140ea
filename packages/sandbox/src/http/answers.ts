import { parseExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { isJsonObject, type JsonObject, type Problems } from '../values/request-fields.ts'
import type { Answer, Call } from './server.ts'

/** Returns JSON in which numbers keep their original digits. */
export function json(status: number, body: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: stringifyExactJson(body),
  }
}

/** 401 of the interface (gap sheet, section 1). */
export function notAuthorised(): Answer {
  return json(401, { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } })
}

/** 400 without a body, as for a request that is not JSON (gap sheet, section 1). */
export function badRequest(): Answer {
  return { status: 400 }
}

/** 400 for an invalid query (gap sheet, section 1). */
export function badQuery(message: string): Answer {
  return json(400, { errors: { code: 'BAD_REQUEST', message } })
}

/** 404 of the interface (gap sheet, section 1). */
export function notFound(message: string): Answer {
  return json(404, { errors: { message } })
}

/** 422 with one problem per field, or with all of them in one message (gap sheet, section 1, forms A and B). */
export function unprocessable(problems: Problems | string): Answer {
  return json(422, { errors: typeof problems === 'string' ? { message: problems } : problems })
}

/** Returns the JSON object in the body of a call; undefined when the content type, the JSON or the shape is wrong. */
export function readJsonObject(call: Call): JsonObject | undefined {
  if (!isJson(call)) return undefined
  try {
    const value = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(call.body))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether the content type of a call is JSON. */
export function isJson({ request }: Call): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
}
