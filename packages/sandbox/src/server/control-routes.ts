import type { ServerResponse } from 'node:http'
import { fetch } from 'undici'
import { z } from 'zod'
import type { ListOptions } from '../control/control-views.ts'
import { ControlError, type SandboxControl } from '../control/control.ts'
import { isJson, json } from '../http/answers.ts'
import type { Answer, Call, Routes } from '../http/server.ts'
import { runScenario } from '../scenarios/scenario.ts'
import { ScenarioError } from '../scenarios/trigger.ts'
import { AGREEMENT_STATUSES } from '../state/agreement.ts'
import { LONGEST_DELAY_MS } from '../state/clock.ts'
import { PAYMENT_STATUSES } from '../state/link.ts'
import { PAYOUT_STATUSES } from '../state/payout.ts'
import type { Changes, SandboxStore } from '../state/sandbox-store.ts'

/** Adds the control endpoints below `/sandbox`. They need no credentials: the sandbox is a tool for one machine. */
export function addControlRoutes(routes: Routes, control: SandboxControl): void {
  routes.get('/sandbox/about', () => json(200, control.about()))
  routes.get('/sandbox/state', (call) => json(200, control.state(readList(call))))
  routes.get('/sandbox/webhooks', (call) => json(200, { records: control.webhooks(readList(call)) }))
  routes.get('/sandbox/failures', () => json(200, control.failures()))
  routes.get('/sandbox/banks', () => json(200, { records: control.bankAccounts() }))
  routes.get('/sandbox/calls', (call) => json(200, { records: control.calls(readList(call)) }))
  routes.get('/sandbox/faults', () => json(200, { records: control.faults() }))

  routes.post('/sandbox/clock', async (call) => {
    const { advanceSeconds } = read(call, CLOCK)
    return json(200, { now: await control.advance(advanceSeconds) })
  })
  for (const kind of ['links', 'payins', 'gateway_payments']) {
    routes.post(`/sandbox/${kind}/:id/status`, async (call) => {
      const { status, ...options } = read(call, STATUS)
      return json(200, await control.setStatus(idOf(call), status, options))
    })
    routes.post(`/sandbox/${kind}/:id/deliveries`, async (call) =>
      json(200, await control.deliver(idOf(call), read(call, WEBHOOK_FAULT))),
    )
  }
  routes.post('/sandbox/agreements/:id/status', async (call) => {
    const { status, ...options } = read(call, AGREEMENT_STATUS)
    return json(200, await control.setAgreementStatus(idOf(call), status, options))
  })
  routes.post('/sandbox/agreements/:id/deliveries', async (call) =>
    json(200, await control.deliverAgreement(idOf(call), read(call, AGREEMENT_WEBHOOK_FAULT))),
  )
  routes.post('/sandbox/payouts/:id/status', async (call) => {
    const { status, ...options } = read(call, PAYOUT_STATUS)
    return json(200, await control.setPayoutStatus(idOf(call), status, options))
  })
  routes.post('/sandbox/payouts/:id/deliveries', async (call) =>
    json(200, await control.deliverPayout(idOf(call), read(call, PAYOUT_WEBHOOK_FAULT))),
  )
  routes.post('/sandbox/webhooks/:id/resend', async (call) => {
    read(call, NOTHING)
    return json(200, await control.resend(idOf(call)))
  })
  routes.post('/sandbox/reset', (call) => {
    read(call, NOTHING)
    control.reset()
    return NO_CONTENT
  })
  routes.post('/sandbox/faults', (call) => {
    control.addFault(read(call, FAULT))
    return NO_CONTENT
  })
  routes.delete('/sandbox/faults', () => {
    control.clearFaults()
    return NO_CONTENT
  })
}

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

const NO_CONTENT: Answer = { status: 204 }

function idOf({ params }: Call): string {
  return params['id'] ?? ''
}

/** Requires the JSON content type, because a page of another origin cannot send it without a CORS preflight. */
function read<T>(call: Call, schema: z.ZodType<T>): T {
  if (!isJson(call)) throw new ControlError(415, 'The body must be sent as application/json.')
  const parsed = schema.safeParse(parse(call.body.toString()))
  if (!parsed.success) throw new ControlError(422, z.prettifyError(parsed.error))
  return parsed.data
}

function readList({ query }: Call): ListOptions {
  const parsed = LIST.safeParse(Object.fromEntries(query))
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
export function addRequestsRoute(routes: Routes, store: SandboxStore): void {
  routes.post('/sandbox/requests', async (call) => {
    const { currency, path, body } = read(call, REQUEST)
    const site = store.sites.find(({ currencies }) => currencies.includes(currency))
    if (site === undefined) throw new ControlError(422, `No site has the currency ${currency}.`)
    const answer = await fetch(`${store.origin}/api${path}`, {
      method: 'POST',
      headers: { 'app-id': site.appId, 'secret-key': site.secretKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return json(200, { status: answer.status, body: parse(await answer.text()) })
  })
}

/**
 * `POST /sandbox/scenarios`: runs a scenario against this sandbox. Answers with the steps that were begun, and with the error that ended it, or null.
 */
export function addScenariosRoute(routes: Routes, store: SandboxStore): void {
  routes.post('/sandbox/scenarios', async (call) => {
    const { text } = read(call, z.object({ text: z.string() }))
    const steps: string[] = []
    const onStep = (_number: number, step: string) => void steps.push(step)
    try {
      await runScenario(text, { origin: store.origin, onStep })
      return json(200, { steps, error: null })
    } catch (error) {
      if (error instanceof ScenarioError) return json(200, { steps, error: error.message })
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
export function addChangesRoute(routes: Routes, changes: Changes, closing: AbortSignal): void {
  routes.get('/sandbox/changes', ({ response }) => {
    if (changes.listeners < MOST_LISTENERS) return sendChanges(response, changes, closing)
    const { headers, ...answer } = json(503, { errors: { message: 'Too many are listening.' } })
    return { ...answer, headers: { ...headers, 'retry-after': '5' } }
  })
}

function sendChanges(response: ServerResponse, changes: Changes, closing: AbortSignal): undefined {
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
