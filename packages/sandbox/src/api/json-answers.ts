import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import { parseExactJson, stringifyExactJson } from 'payments-subgraph-lib/exact-json'
import { createHostCheck } from 'payments-subgraph-lib/known-hosts'
import { isJsonObject, type JsonObject, type Problems } from '../values/request-fields.ts'

/** Sends JSON in which numbers keep their original digits. */
export function sendJson(reply: FastifyReply, status: number, body: unknown): FastifyReply {
  return reply.code(status).type('application/json').send(stringifyExactJson(body))
}

/** 401 of the interface (gap sheet, section 1). */
export function sendNotAuthorised(reply: FastifyReply): FastifyReply {
  return sendJson(reply, 401, { errors: { code: 'REQUIRE_LOGIN', message: 'Not Authorised' } })
}

/** 400 without a body, as for a request that is not JSON (gap sheet, section 1). */
export function sendBadRequest(reply: FastifyReply): FastifyReply {
  return reply.code(400).send()
}

/** 400 for an invalid query (gap sheet, section 1). */
export function sendBadQuery(reply: FastifyReply, message: string): FastifyReply {
  return sendJson(reply, 400, { errors: { code: 'BAD_REQUEST', message } })
}

/** 404 of the interface (gap sheet, section 1). */
export function sendNotFound(reply: FastifyReply, message: string): FastifyReply {
  return sendJson(reply, 404, { errors: { message } })
}

/** 422 with one problem per field (gap sheet, section 1, form A). */
export function sendProblems(reply: FastifyReply, problems: Problems): FastifyReply {
  return sendJson(reply, 422, { errors: problems })
}

/** 422 with all problems in one message (gap sheet, section 1, form B). */
export function sendProblem(reply: FastifyReply, message: string): FastifyReply {
  return sendJson(reply, 422, { errors: { message } })
}

/** Returns the JSON object in a request body; undefined when the content type, the JSON or the shape is wrong. */
export function readJsonObject(request: FastifyRequest): JsonObject | undefined {
  if (!isJsonRequest(request)) return undefined
  try {
    const value = parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(rawBody(request)))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a request's content type is JSON. */
export function isJsonRequest(request: FastifyRequest): boolean {
  return /^application\/json\s*(?:;|$)/i.test(request.headers['content-type'] ?? '')
}

/** The bytes of a request's body; empty when it has no body. */
export function rawBody(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

/** The path of a request without its query. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? ''
}

/** Rejects requests to a name that is not one of `hosts` or of this machine: none of the endpoints is for pages of other names. */
export function guardHosts(server: FastifyInstance, hosts: readonly string[]): void {
  const isKnownHost = createHostCheck(hosts)
  server.addHook('onRequest', async ({ raw }, reply) =>
    isKnownHost(raw)
      ? undefined
      : sendJson(reply, 403, { errors: { message: 'The sandbox is not known by this host name.' } }),
  )
}

/** Rejects changes that a page of another origin requests, at endpoints without credentials. */
export function guardOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', async (request, reply) =>
    request.method === 'GET' || isOurOrigin(request)
      ? undefined
      : sendJson(reply, 403, { errors: { message: 'A page of another origin may change nothing here.' } }),
  )
}

/** Programs send no Origin header; browsers send it with every request except plain reads. */
function isOurOrigin({ headers: { origin, host } }: FastifyRequest): boolean {
  if (origin === undefined) return true
  const page = URL.parse(origin)
  return page !== null && page.origin === origin && page.host === host
}
