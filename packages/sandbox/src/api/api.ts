import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FaultAnswer, siteOf, type SandboxSite, type ApiCall, type SandboxStore } from '../state/sandbox-store.ts'
import { pathOf, sendJson, sendNotAuthorised, sendNotFound } from './json-answers.ts'

/** A group of endpoints; each is registered below `/api`, after the checks for credentials and faults. */
export type ApiGroup = (api: FastifyInstance, store: SandboxStore) => void

const sites = new WeakMap<FastifyRequest, SandboxSite>()
const calls = new WeakMap<FastifyRequest, ApiCall>()
/** Requests that get no response. */
const dropped = new WeakSet<FastifyRequest>()

/**
 * Registers the interface below `/api`. Every call is recorded, may trigger a fault, and must carry the header pair of a
 * site (docs/payments-api.md, section 5). `closing` aborts the calls that a fault keeps open.
 */
export function registerApi(api: FastifyInstance, store: SandboxStore, { groups, closing }: ApiOptions): void {
  api.addHook('onRequest', async (request, reply) => {
    const call = remember(store, request)
    const fault = store.faults.take(request.method, pathOf(request))
    call.fault = fault !== undefined
    store.changes.note()
    if (fault !== undefined && (await suffer(fault, { request, reply, closing }))) return reply
    const site = siteOf(store.sites, header(request, 'app-id'), header(request, 'secret-key'))
    if (site === undefined) return sendNotAuthorised(reply)
    sites.set(request, site)
    return undefined
  })
  api.addHook('onSend', async (request, reply) => {
    // An answer tells the clock by which its instants are to be read; a fault may carry another one.
    if (!reply.hasHeader('date')) reply.header('date', store.clock.now().toUTCString())
    if (dropped.has(request)) request.raw.socket.destroy()
  })
  api.addHook('onResponse', async (request, reply) => {
    const call = calls.get(request)
    if (call !== undefined && !dropped.has(request)) call.status = reply.statusCode
    store.changes.note()
  })
  api.setErrorHandler<Error & { statusCode?: number }>(async (error, _request, reply) =>
    sendJson(reply, error.statusCode ?? 500, { errors: { message: 'The request cannot be handled.' } }),
  )
  api.setNotFoundHandler(async (_request, reply) => sendNotFound(reply, 'There is no such endpoint.'))
  for (const register of groups) register(api, store)
}

export type ApiOptions = { groups: readonly ApiGroup[]; closing: AbortSignal }

/** Returns the site whose credentials a call below `/api` carries. */
export function callersSite(request: FastifyRequest): SandboxSite {
  const site = sites.get(request)
  if (site === undefined) throw new Error('The call did not pass the check of its credentials.')
  return site
}

function remember(store: SandboxStore, request: FastifyRequest): ApiCall {
  const call: ApiCall = {
    method: request.method,
    path: pathOf(request),
    at: store.clock.now().toISOString(),
    appId: header(request, 'app-id') ?? null,
    status: null,
    fault: false,
  }
  store.calls.push(call)
  calls.set(request, call)
  return call
}

/** Applies a fault to a call. Returns true when the call is finished afterwards. */
async function suffer(fault: FaultAnswer, { request, reply, closing }: Suffering): Promise<boolean> {
  if (fault === 'drop-after') {
    dropped.add(request)
    return false
  }
  if (fault === 'hang' || fault === 'reset') {
    dropped.add(request)
    reply.hijack()
    if (fault === 'reset') request.raw.socket.resetAndDestroy()
    return true
  }
  if ('delayMs' in fault) {
    await delay(fault.delayMs, undefined, { signal: closing }).catch(() => undefined)
    return false
  }
  sendFault(fault, reply)
  return true
}

type Suffering = { request: FastifyRequest; reply: FastifyReply; closing: AbortSignal }

function sendFault(
  { status, body, headers = {} }: Extract<FaultAnswer, { status: number }>,
  reply: FastifyReply,
): void {
  reply.code(status)
  if (typeof body === 'string') reply.type('text/html').headers(headers).send(body)
  else if (body === undefined) reply.headers(headers).send()
  else reply.type('application/json').headers(headers).send(JSON.stringify(body))
}

/** Returns the first value of a request header. */
export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
