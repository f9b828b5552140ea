import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { startSandbox, type Sandbox } from 'payments-subgraph-sandbox'
import { fetch } from 'undici'
import { WebSocket } from 'ws'
import { issueDevelopmentToken } from './access/issue-token.ts'
import type { App } from './app-options.ts'
import { createApp } from './app.ts'
import { parseConfig } from './config.ts'
import { Secret } from './keys/key-ring.ts'
import { createLogger } from './observability/logger.ts'

/**
 * Prints the course of a payment from link to received: the sandbox replaces the payments API, the subgraph runs in this
 * process, and a client follows the link over a WebSocket while a customer pays on the hosted page. Exits with 0 when the
 * payment is received.
 */

const CREATE_LINK = `mutation ($input: CreatePaymentLinkInput!) {
  createPaymentLink(input: $input) {
    __typename
    ... on CreatePaymentLinkSuccess { link { id checkoutUrl expiresAt statusToken } }
    ... on PaymentsError { message retryable }
  }
}`

const FOLLOW = `subscription ($id: ID!, $statusToken: String) {
  paymentLinkUpdates(id: $id, statusToken: $statusToken) {
    kind
    event { toStatus receivedAt }
    link { state }
    payment { phase paid { value currency } }
  }
}`

type Link = { id: string; checkoutUrl: string; expiresAt: string; statusToken: string }
type Item = {
  kind: string
  event: { toStatus: string | null; receivedAt: string } | null
  link: { state: string } | null
  payment: { phase: string; paid: { value: string; currency: string } | null } | null
}

/** Longer than any payment takes in the sandbox, also on a machine that is busy with something else. */
const PATIENCE_MS = 120_000
/** Tries of what was refused and may be repeated, and the pause before each. */
const MOST_TRIES = 10
const AGAIN_MS = 1_000
/** Pause between two steps of the payment, slow enough to follow on screen. */
const STEP_MS = 600

const folder = mkdtempSync(join(tmpdir(), 'payments-demo-'))
const jwtSecret = randomBytes(32).toString('hex')
const deadline = setTimeout(() => {
  process.stderr.write('The payment was not received in time.\n')
  process.exit(1)
}, PATIENCE_MS)

const sandbox = await startSandbox({ paceMs: STEP_MS })
const app = await startApp(sandbox)
try {
  const link = await createLink(app)
  say('link', `${link.checkoutUrl}  (open until ${link.expiresAt})`)
  await followWhilePaying(app, link)
} catch (error) {
  process.stderr.write(`${reasonOf(error)}\n`)
  process.exitCode = 1
} finally {
  await app.close()
  await sandbox.close()
  rmSync(folder, { recursive: true })
  clearTimeout(deadline)
}

async function startApp({ url, sites, webhookSecret }: Sandbox): Promise<App> {
  const parsed = parseConfig({
    PORT: '0',
    UPSTREAM_URL: url,
    UPSTREAM_SITES: JSON.stringify(sites),
    WEBHOOK_SECRETS: webhookSecret,
    SIGNING_KEYS: randomBytes(32).toString('hex'),
    JWT_SECRETS: jwtSecret,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
    LOG_LEVEL: 'warn',
  })
  if (!parsed.ok || parsed.config.upstream.kind !== 'service') throw new Error('The demo is wrongly configured.')
  return createApp({ ...parsed.config, upstream: parsed.config.upstream }, { logger: createLogger({ level: 'warn' }) })
}

/** Acts as a shop's back end: one mutation, with a token that has `payments:write`. */
async function createLink({ url }: App): Promise<Link> {
  const token = await issueDevelopmentToken(new Secret(jwtSecret), {
    scopes: ['payments:write'],
    subject: 'shop',
    ttlSeconds: 60,
  })
  const input = {
    idempotencyKey: 'demo-1',
    reference: 'order-1815',
    amount: { value: '125.50', currency: 'AUD' },
    description: 'Two tickets',
    customer: { email: 'ada@example.test', firstName: 'Ada', lastName: 'Payer' },
    methodCode: 'au_card_aud',
  }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const body = JSON.stringify({ query: CREATE_LINK, variables: { input } })
  for (let tries = 1; ; tries += 1) {
    // The idempotency key prevents a second link.
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body })
    const { data, errors = [] } = (await response.json()) as Created
    const refused = { link: undefined, message: errors[0]?.message, retryable: response.status === 503 }
    const { link, message = '', retryable = false } = data?.createPaymentLink ?? refused
    if (link !== undefined) return link
    if (!retryable || tries === MOST_TRIES) throw new Error(`No link was made: ${message}`)
    say('not yet', `${message} Again in ${AGAIN_MS / 1_000} s.`)
    await sleep(AGAIN_MS)
  }
}

type Created = {
  readonly data?: {
    readonly createPaymentLink: { readonly link?: Link; readonly message?: string; readonly retryable?: boolean }
  } | null
  readonly errors?: readonly { readonly message: string }[]
}

/** Acts as a status page: without a client token, with the link's status token only. */
async function followWhilePaying({ url }: App, { id, statusToken, checkoutUrl }: Link): Promise<void> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: MOST_TRIES,
    shouldRetry: () => true,
  })
  let isPaid = false
  const follow = async () => {
    const items = client.iterate<{ paymentLinkUpdates: Item }>({ query: FOLLOW, variables: { id, statusToken } })
    for await (const { data, errors } of items) {
      const item = data?.paymentLinkUpdates
      if (item === undefined) throw new Error(errors?.[0]?.message ?? 'The stream gave nothing.')
      tell(item)
      // A stream that was interrupted catches up once more, and a snapshot may be all that it says of the payment.
      if (item.kind === 'CAUGHT_UP' && !isPaid) await pay(checkoutUrl)
      if (item.kind === 'CAUGHT_UP') isPaid = true
      if (item.event?.toStatus === 'received' || item.link?.state === 'PAID') return
    }
  }
  for (let tries = 1; ; tries += 1) {
    try {
      await follow()
      break
    } catch (error) {
      if (!isRefusal(error) || tries === MOST_TRIES) throw error
      say('refused', `${reasonOf(error)} Again in ${AGAIN_MS / 1_000} s.`)
      await sleep(AGAIN_MS)
    }
  }
  await client.dispose()
}

/** Whether a stream was refused because of overload: nothing of it was started. */
function isRefusal(error: unknown): boolean {
  const errors = Array.isArray(error) ? (error as { readonly extensions?: { readonly code?: unknown } }[]) : []
  return errors.some(({ extensions }) => extensions?.code === 'OVERLOADED')
}

/** Acts as the customer on the hosted page. */
async function pay(checkoutUrl: string): Promise<void> {
  say('customer', 'pays on the hosted page')
  const response = await fetch(`${checkoutUrl}/pay`, { method: 'POST', body: new URLSearchParams({}) })
  if (!response.ok) throw new Error(`The hosted page answered ${response.status}.`)
}

function tell({ kind, event, link, payment }: Item): void {
  if (event === null || event.toStatus === null)
    return say(kind.toLowerCase(), link === null ? '' : `link ${link.state}`)
  const delay = Date.now() - Date.parse(event.receivedAt)
  const paid = payment?.paid == null ? '' : `, paid ${payment.paid.value} ${payment.paid.currency}`
  say(event.toStatus, `${payment?.phase}${paid}, link ${link?.state}  (${delay} ms after the webhook)`)
}

/** Converts a rejection of the WebSocket client to text: an error of the operation, or the event that closed the socket. */
function reasonOf(error: unknown): string {
  if (Array.isArray(error)) return error.map(reasonOf).join('\n')
  if (error instanceof Error) return error.message
  const { message, code, reason } = { ...(error as { message?: unknown; code?: unknown; reason?: unknown }) }
  return typeof message === 'string' ? message : `The socket was closed: ${String(code)} ${String(reason)}`
}

function say(what: string, more: string): void {
  process.stdout.write(`${what.padEnd(12)} ${more}\n`)
}
