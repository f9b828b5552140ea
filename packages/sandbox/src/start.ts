/**
 * The sandbox: an emulator of the payments API for development, tests and demonstrations. It has its own HTTP server, its
 * own state and its own clock, and does not depend on the subgraph.
 *
 * It does not emulate:
 * - TLS for its own URLs, and the requirement of TLS for webhook URLs; reachability from the internet.
 * - Rate limits, quotas, request sizes and response times of the payments API.
 * - Real money rules: fees, exchange, settlement times and reserves; `total` is the amount plus, for a payin that requests
 *   it, its tax. Balances are sums over all events since the start. A refund never waits for balance.
 * - The limits of the live methods: apart from the documented ones they are plausible values of the sandbox's own.
 * - The 3DS protocol, card data, wallets and handsets: each is one button. Links need no mobile number and payins accept
 *   any, so a number on another network cannot fail.
 * - Capture: an authorised card payment proceeds automatically.
 * - The banks behind agreements and payouts: the payer's name or the payout amount selects the outcome. An agreement draws
 *   no payments, an amendment takes effect at once, and account numbers are checked only for their form.
 * - Treasury accounts: a deposit to any account number is in the first currency of the site.
 * - QR payloads other than VietQR, which are placeholder texts. A link has its code in `pay_code`, as a payin does; for
 *   links this is not documented.
 * - Cards with tokens, spreadsheets of v1 payouts, and the look-ups of QR images and branch codes.
 * - Undocumented requests and responses, such as the refund of a link; where the sandbox supports them, it follows the
 *   sibling endpoints.
 * - The signatures of agreement callbacks, unless `signAgreementCallbacks` is set: it is not known whether the payments API
 *   signs them. Payout and gateway webhooks are signed.
 * - Bounds: everything is kept until it is reset, in memory and, with `statePath`, in a file.
 *
 * The control endpoints have no credentials; requests under a foreign host name, and changes from pages of other origins, are
 * rejected. Listen on the loopback address only.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bareHost } from 'payments-subgraph-lib/known-hosts'
import { createControl, type SandboxControl } from './control/control.ts'
import { keepState } from './saved/saved-state.ts'
import { buildServer } from './server/sandbox-server.ts'
import { TimerClock, type SandboxClock } from './state/clock.ts'
import { FaultBook, Changes, DEFAULT_SITES, type SandboxSite, type SandboxStore } from './state/sandbox-store.ts'
import { WebhookSender } from './state/webhook-sender.ts'
import { decimal } from './values/decimal.ts'

export type SandboxOptions = {
  /** Default 127.0.0.1. */
  host?: string
  /** Default 0: any free port. */
  port?: number
  /**
   * Host names, besides `host` and those of this machine, under which the sandbox may be reached, and to which it sends
   * webhooks, such as the name of a container. Default: none.
   */
  allowedHosts?: readonly string[]
  /** Default: `DEFAULT_SITES`, one site per currency. */
  sites?: SandboxSite[]
  /** The merchant's Webhook Secret Key. Default: a fixed value, for the sandbox only. */
  webhookSecret?: string
  /** The merchant's registered webhook URL, for links that name none. Default: none, and such links send no webhooks. */
  defaultWebhook?: { endpointUrl: string; authorizationHeader?: string }
  /** `flat` is the form of docs/payments-api.md, section 6.2; `nested` that of the gap sheet, section 25.2. */
  webhookForm?: 'flat' | 'nested'
  /** Milliseconds of the sandbox clock between the automatic steps of a payment or payout. Default 400. */
  paceMs?: number
  /** Milliseconds of the sandbox clock until the payer answers a new agreement. Default 5000 (gap sheet, section 2). */
  mandateMs?: number
  /** Signs the callbacks of agreements like webhooks. Default false: the document promises no signature. */
  signAgreementCallbacks?: boolean
  /** Opening balance of each site in each of its currencies, as a decimal. Default 100000000. */
  openingBalance?: string
  /** Start time of the sandbox clock. Default: now. */
  startAt?: Date
  /** A SQLite file that keeps the state over a restart. Default: none, and all data is lost when the sandbox closes. */
  statePath?: string
}

export type Sandbox = {
  /** The base URL of the interface; ends in `/api`. */
  url: string
  /** http://host:port */
  origin: string
  sites: SandboxSite[]
  webhookSecret: string
  clock: SandboxClock
  control: SandboxControl
  /** Resolves when no delivery is in flight and no work is due; does not wait for later steps and retries. */
  settle(): Promise<void>
  /** Stops timers, deliveries and connections at once. */
  close(): Promise<void>
}

const DEFAULT_WEBHOOK_SECRET = 'sandbox-webhook-secret'
const DEFAULT_PACE_MS = 400
const DEFAULT_MANDATE_MS = 5000
const DEFAULT_BALANCE = '100000000'

/**
 * Starts a sandbox and resolves when it listens. Rejects when it cannot listen on the address, and with `TypeError` when the
 * opening balance is not a decimal.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const closing = new AbortController()
  const hosts = hostsOf(options)
  const store = createWorld(options, hosts)
  const control = createControl(store)
  const server = buildServer(store, control, { closing: closing.signal, hosts })
  server.listen({ host: options.host ?? '127.0.0.1', port: options.port ?? 0 })
  await once(server, 'listening')
  store.origin = originOf(server.address() as AddressInfo)
  // Only the process that has the port writes the file.
  const saveState = await kept(options.statePath, store, server)
  return {
    url: `${store.origin}/api`,
    origin: store.origin,
    sites: [...store.sites],
    webhookSecret: store.webhookSecret,
    clock: store.clock,
    control,
    settle: () => settle(store),
    close: async () => {
      closing.abort()
      saveState()
      store.clock.close()
      await Promise.all([store.sender.close(), closed(server)])
    },
  }
}

function createWorld(options: SandboxOptions, hosts: readonly string[]): SandboxStore {
  const changes = new Changes()
  const whenChanged = (): void => changes.note()
  const clock = new TimerClock(options.startAt, whenChanged)
  const sender = new WebhookSender({ clock, hosts, whenChanged })
  clock.waitFor(() => sender.idle())
  return {
    origin: '',
    sites: options.sites ?? DEFAULT_SITES,
    isFixed: { sites: options.sites === undefined, webhookSecret: options.webhookSecret === undefined },
    webhookSecret: options.webhookSecret ?? DEFAULT_WEBHOOK_SECRET,
    defaultWebhook: options.defaultWebhook,
    webhookForm: options.webhookForm ?? 'flat',
    paceMs: options.paceMs ?? DEFAULT_PACE_MS,
    mandateMs: options.mandateMs ?? DEFAULT_MANDATE_MS,
    signAgreementCallbacks: options.signAgreementCallbacks ?? false,
    openingBalance: decimal(options.openingBalance ?? DEFAULT_BALANCE),
    clock,
    sender,
    links: new Map(),
    agreements: new Map(),
    agreementsMade: 0,
    payouts: new Map(),
    customers: new Map(),
    contacts: new Map(),
    deposits: [],
    tokens: new Map(),
    calls: [],
    faults: new FaultBook(),
    changes,
  }
}

/** Restores and keeps the state if there is a file for it. Closes the server and rejects if the file cannot be used. */
async function kept(path: string | undefined, store: SandboxStore, server: Server): Promise<() => void> {
  if (path === undefined) return () => undefined
  try {
    return keepState(store, path)
  } catch (cause) {
    await closed(server)
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new SandboxStateError(`The state of the sandbox cannot be kept in ${path}: ${reason}`, path, cause)
  }
}

/** Closes the server with its connections. */
async function closed(server: Server): Promise<void> {
  server.close().closeAllConnections()
  await once(server, 'close')
}

class SandboxStateError extends Error {
  override readonly name = 'SandboxStateError'
  /** The file. */
  readonly statePath: string
  constructor(message: string, statePath: string, cause: unknown) {
    super(message, { cause })
    this.statePath = statePath
  }
}

async function settle(store: SandboxStore): Promise<void> {
  while (store.clock.runDue().length > 0 || store.sender.busy) await store.sender.idle()
}

function hostsOf({ host, allowedHosts = [], defaultWebhook }: SandboxOptions): string[] {
  const registered = URL.parse(defaultWebhook?.endpointUrl ?? '')?.hostname
  return [host, registered && bareHost(registered), ...allowedHosts].filter((name) => name !== undefined)
}

function originOf({ address, port, family }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
