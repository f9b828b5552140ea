import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseExactJson, stringifyExactJson } from '../../lib/exact-json.ts'
import { isJsonObject } from '../values/request-fields.ts'
import type { JsonObject, Problems } from '../values/request-fields.ts'

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
