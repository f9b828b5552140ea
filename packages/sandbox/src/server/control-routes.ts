import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AGREEMENT_STATUSES } from '../agreements/sandbox-agreement.ts'
import { isJsonRequest, rawBody, sendJson, sendNotFound } from '../api/json-answers.ts'
import type { ListOptions } from '../control/control-views.ts'
import { ControlError, type SandboxControl } from '../control/control.ts'
import { PAYMENT_STATUSES } from '../payments/link.ts'
import { PAYOUT_STATUSES } from '../payouts/sandbox-payout.ts'
import { runScenario } from '../scenarios/scenario.ts'
import { ScenarioError } from '../scenarios/trigger.ts'
import { LONGEST_DELAY_MS } from '../state/clock.ts'
import type { Changes, SandboxSite } from '../state/sandbox-store.ts'

/** Registers the control endpoints below `/sandbox`. They need no credentials: the sandbox is a tool for one machine. */
export function registerControl(server: FastifyInstance, control: SandboxControl): void {
  server.setErrorHandler(async (error, _request, reply) =>
    error instanceof ControlError
      ? sendJson(reply, error.httpStatus, { errors: { message: error.message } })
      : sendJson(reply, 500, { errors: { message: 'The control call failed.' } }),
  )
  server.setNotFoundHandler(async (_request, reply) => sendNotFound(reply, 'There is no such control endpoint.'))

  server.get('/about', async (_request, reply) => sendJson(reply, 200, control.about()))
  server.get('/state', async (request, reply) => sendJson(reply, 200, control.state(readList(request))))
  server.get('/webhooks', async (request, reply) =>
    sendJson(reply, 200, { records: control.webhooks(readList(request)) }),
  )
  server.get('/failures', async (_request, reply) => sendJson(reply, 200, control.failures()))
  server.get('/banks', async (_request, reply) => sendJson(reply, 200, { records: control.bankAccounts() }))
  server.get('/calls', async (request, reply) => sendJson(reply, 200, { records: control.calls(readList(request)) }))
  server.get('/faults', async (_request, reply) => sendJson(reply, 200, { records: control.faults() }))

  server.post('/clock', async (request, reply) => {
    const { advanceSeconds } = read(request, CLOCK)
    return sendJson(reply, 200, { now: await control.advance(advanceSeconds) })
  })
  for (const kind of ['links', 'payins', 'gateway_payments']) {
    server.post<Id>(`/${kind}/:id/status`, async (request, reply) => {
      const { status, ...options } = read(request, STATUS)
      return sendJson(reply, 200, await control.setStatus(request.params.id, status, options))
    })
    server.post<Id>(`/${kind}/:id/deliveries`, async (request, reply) =>
      sendJson(reply, 200, await control.deliver(request.params.id, read(request, WEBHOOK_FAULT))),
    )
  }
  server.post<Id>('/agreements/:id/status', async (request, reply) => {
    const { status, ...options } = read(request, AGREEMENT_STATUS)
    return sendJson(reply, 200, await control.setAgreementStatus(request.params.id, status, options))
  })
  server.post<Id>('/agreements/:id/deliveries', async (request, reply) =>
    sendJson(reply, 200, await control.deliverAgreement(request.params.id, read(request, AGREEMENT_WEBHOOK_FAULT))),
  )
  server.post<Id>('/payouts/:id/status', async (request, reply) => {
    const { status, ...options } = read(request, PAYOUT_STATUS)
    return sendJson(reply, 200, await control.setPayoutStatus(request.params.id, status, options))
  })
  server.post<Id>('/payouts/:id/deliveries', async (request, reply) =>
    sendJson(reply, 200, await control.deliverPayout(request.params.id, read(request, PAYOUT_WEBHOOK_FAULT))),
  )
  server.post<Id>('/webhooks/:id/resend', async (request, reply) => {
    read(request, NOTHING)
    return sendJson(reply, 200, await control.resend(request.params.id))
  })
  server.post('/reset', async (request, reply) => {
    read(request, NOTHING)
    control.reset()
    return noContent(reply)
  })
  server.post('/faults', async (request, reply) => {
    control.addFault(read(request, FAULT))
    return noContent(reply)
  })
  server.delete('/faults', async (_request, reply) => {
    control.clearFaults()
    return noContent(reply)
  })
}

type Id = { Params: { id: string } }

const TEN_YEARS_S = 10 * 366 * 24 * 3600

const LIST = z.object({
  limit: z.coerce.number().int().min(1).max(1000).exactOptional(),
  search: z.string().max(200).exactOptional(),
})
const NOTHING = z.object({})
const CLOCK = z.object({ advanceSeconds: z.number().nonnegative().max(TEN_YEARS_S) })
const STATUS = z.object({
  status: z.enum(PAYMENT_STATUSES),
  errorCode: z.string().exactOptional(),
  silent: z.boolean().exactOptional(),
  refundAmount: z.string().exactOptional(),
})
const AGREEMENT_STATUS = z.object({ status: z.enum(AGREEMENT_STATUSES), silent: z.boolean().exactOptional() })
const PAYOUT_STATUS = z.object({ status: z.enum(PAYOUT_STATUSES), silent: z.boolean().exactOptional() })
const WEBHOOK_FAULT_KIND = {
  kind: z.enum(['duplicate', 'late', 'forged', 'reordered']),
  count: z.int().min(1).max(1000).exactOptional(),
}
const WEBHOOK_FAULT = z.object({ ...WEBHOOK_FAULT_KIND, status: z.enum(PAYMENT_STATUSES).exactOptional() })
const AGREEMENT_WEBHOOK_FAULT = z.object({ ...WEBHOOK_FAULT_KIND, status: z.enum(AGREEMENT_STATUSES).exactOptional() })
const PAYOUT_WEBHOOK_FAULT = z.object({ ...WEBHOOK_FAULT_KIND, status: z.enum(PAYOUT_STATUSES).exactOptional() })
const FAULT = z.object({
  method: z.string().exactOptional(),
  path: z.string().startsWith('/').exactOptional(),
  times: z.int().min(1).exactOptional(),
  answer: z.union([
    z.enum(['hang', 'reset', 'drop-after']),
    z.object({ delayMs: z.number().nonnegative().max(LONGEST_DELAY_MS) }),
    z.object({
      status: z.int().min(200).max(599),
      body: z.unknown().exactOptional(),
      headers: z.record(z.string(), z.string()).exactOptional(),
    }),
  ]),
})

/** Requires the JSON content type, because a page of another origin cannot send it without a CORS preflight. */
function read<T>(request: FastifyRequest, schema: z.ZodType<T>): T {
  if (!isJsonRequest(request)) throw new ControlError(415, 'The body must be sent as application/json.')
  const parsed = schema.safeParse(parse(rawBody(request).toString()))
  if (!parsed.success) throw new ControlError(422, z.prettifyError(parsed.error))
  return parsed.data
}

function readList(request: FastifyRequest): ListOptions {
  const parsed = LIST.safeParse(request.query)
  if (!parsed.success) throw new ControlError(422, z.prettifyError(parsed.error))
  return parsed.data
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ControlError(400, 'The body is not JSON.')
  }
}

function noContent(reply: FastifyReply): FastifyReply {
  return reply.code(204).send()
}

/** What the page can create: the calls that create something, each with its body. */
const REQUEST = z.object({
  currency: z.string(),
  path: z.enum([
    '/v3/payin_links',
    '/v2/payins',
    '/v1/pay_to/payment_agreement',
    '/v2/payouts',
    '/v2/contacts',
    '/v1/simulate_deposit',
  ]),
  body: z.record(z.string(), z.unknown()),
})

/**
 * `POST /sandbox/requests`: sends a request to the interface with the credentials of a currency's site, as an application would, so that the page
 * can create things where the credentials are not shown. Answers with the status and the body of the response.
 */
export function registerRequests(server: FastifyInstance, sites: readonly SandboxSite[]): void {
  server.post('/requests', async (request, reply) => {
    const { currency, path, body } = read(request, REQUEST)
    const site = sites.find(({ currencies }) => currencies.includes(currency))
    if (site === undefined) throw new ControlError(422, `No site has the currency ${currency}.`)
    const answer = await server.inject({
      method: 'POST',
      url: `/api${path}`,
      headers: { 'app-id': site.appId, 'secret-key': site.secretKey, host: request.headers.host ?? '' },
      payload: body,
    })
    return sendJson(reply, 200, { status: answer.statusCode, body: parse(answer.body) })
  })
}

/**
 * `POST /sandbox/scenarios`: runs a scenario against this sandbox. Answers with the steps that were begun, and with the error that ended it, or null.
 */
export function registerScenarios(server: FastifyInstance, origin: () => string): void {
  server.post('/scenarios', async (request, reply) => {
    const { text } = read(request, z.object({ text: z.string() }))
    const steps: string[] = []
    const onStep = (_number: number, step: string) => void steps.push(step)
    try {
      await runScenario(text, { origin: origin(), onStep })
      return sendJson(reply, 200, { steps, error: null })
    } catch (error) {
      if (error instanceof ScenarioError) return sendJson(reply, 200, { steps, error: error.message })
      throw error
    }
  })
}

/** Maximum number of concurrent listeners. */
const MOST_LISTENERS = 64

/** Changes within this many milliseconds are sent as one event. */
const AT_MOST_EVERY_MS = 50

/** Reconnection delay in milliseconds that the feed sends to listeners. */
const RECONNECT_MS = 1000

/** Interval of keep-alive comments in milliseconds; writing one detects closed connections. */
const KEEP_ALIVE_MS = 15_000

/**
 * `GET /sandbox/changes`: server-sent events, one at the start and one after each change. An event says that something
 * changed, not what, so that a slow listener misses nothing and needs no buffer.
 */
export function registerChanges(server: FastifyInstance, changes: Changes, closing: AbortSignal): void {
  server.get('/sandbox/changes', async (_request, reply) => {
    if (changes.listeners >= MOST_LISTENERS)
      return sendJson(reply.header('retry-after', '5'), 503, { errors: { message: 'Too many are listening.' } })
    reply.hijack()
    sendChanges(reply.raw, changes, closing)
    return reply
  })
}

function sendChanges(response: ServerResponse, changes: Changes, closing: AbortSignal): void {
  let sentVersion = -1
  let pause: NodeJS.Timeout | undefined
  const send = (): void => {
    pause = undefined
    if (sentVersion === changes.version || response.writableNeedDrain) return
    sentVersion = changes.version
    response.write(`id: ${sentVersion}\nevent: change\ndata: {"version":${sentVersion}}\n\n`)
  }
  const sendSoon = (): void => {
    pause ??= setTimeout(send, AT_MOST_EVERY_MS)
  }
  const stopListening = changes.listen(sendSoon)
  const keepAlive = setInterval(() => response.writableNeedDrain || response.write(':\n\n'), KEEP_ALIVE_MS)
  const end = (): void => void response.end()
  closing.addEventListener('abort', end, { once: true })
  response.on('drain', sendSoon)
  response.once('close', () => {
    stopListening()
    clearInterval(keepAlive)
    clearTimeout(pause)
    closing.removeEventListener('abort', end)
  })
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-store, no-transform',
    'x-content-type-options': 'nosniff',
  })
  response.write(`retry: ${RECONNECT_MS}\n`)
  send()
}
