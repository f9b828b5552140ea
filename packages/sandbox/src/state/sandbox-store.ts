import { randomBytes, randomInt } from 'node:crypto'
import { DIRECT_CURRENCIES, CATALOGUE_CURRENCIES } from '../methods/methods.ts'
import type { Decimal } from '../values/decimal.ts'
import type { WebhookTarget } from '../values/request-fields.ts'
import type { Agreement } from './agreement.ts'
import type { TimerClock } from './clock.ts'
import type { SandboxContact, SandboxCustomer } from './customer.ts'
import type { Link } from './link.ts'
import type { Payout } from './payout.ts'
import type { WebhookSender } from './webhook-sender.ts'

/**
 * A recorded call to the interface, without secrets, query and body. `status` is that of the response, null when there is
 * none (yet); `fault` says that a fault applied to the call.
 */
export type ApiCall = {
  method: string
  path: string
  at: string
  appId: string | null
  status: number | null
  fault: boolean
}

/** The complete state of one sandbox, shared by all routes and steps. */
export type SandboxStore = {
  /** http://host:port, known once the server listens. */
  origin: string
  readonly sites: readonly SandboxSite[]
  /** Whether the credentials are the fixed defaults of every sandbox, which are not secret. */
  readonly isFixed: { readonly sites: boolean; readonly webhookSecret: boolean }
  readonly webhookSecret: string
  readonly defaultWebhook: WebhookTarget | undefined
  readonly webhookForm: 'flat' | 'nested'
  readonly paceMs: number
  /** Delay of the payer's response to a new agreement, in milliseconds of the sandbox clock. */
  readonly mandateMs: number
  readonly signAgreementCallbacks: boolean
  /** Opening balance of each site in each of its currencies. */
  readonly openingBalance: Decimal
  readonly clock: TimerClock
  readonly sender: WebhookSender
  /** Links, payins and gateway payments by uuid: they share one state machine. */
  readonly links: Map<string, Link>
  /** Agreements by numeric id. */
  readonly agreements: Map<number, Agreement>
  /** How many agreements were ever created: their ids are never used again, also after a reset. */
  agreementsMade: number
  readonly payouts: Map<string, Payout>
  readonly customers: Map<string, SandboxCustomer>
  /** Contacts by site and e-mail address. */
  readonly contacts: Map<string, SandboxContact>
  readonly deposits: Deposit[]
  /** The access tokens of the gateway by token text. */
  readonly tokens: Map<string, Token>
  readonly calls: ApiCall[]
  readonly faults: FaultBook
  readonly changes: Changes
}

/** An access token of the gateway; it belongs to the site that requested it. */
export type Token = { readonly siteId: string; readonly expiresAt: Date }

/** A simulated deposit into the treasury account of a site. */
export type Deposit = {
  readonly siteId: string
  readonly currency: string
  readonly accountNumber: string
  readonly amount: Decimal
  readonly at: Date
}

/** Notifies listeners that the state of a sandbox has changed; listeners read the new state themselves. */
export class Changes {
  #version = 0
  readonly #listeners = new Set<() => void>()

  /** Number of changes since the start. */
  get version(): number {
    return this.#version
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** Counts a change and calls every listener. */
  note(): void {
    this.#version += 1
    for (const listener of this.#listeners) listener()
  }

  /** Calls `listener` at each change. Returns the function that removes the listener. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

/** One site of the merchant: its credentials and their currencies (docs/payments-api.md, section 5). */
export type SandboxSite = { id: string; appId: string; secretKey: string; currencies: string[] }

/** Returns the site with this header pair, or undefined when either header is wrong. */
export function siteOf(
  sites: readonly SandboxSite[],
  appId: string | undefined,
  secretKey: string | undefined,
): SandboxSite | undefined {
  return sites.find((site) => site.appId === appId && site.secretKey === secretKey)
}

/** One site per currency of the method lists, with the same credentials in every sandbox. */
export const DEFAULT_SITES: SandboxSite[] = [...CATALOGUE_CURRENCIES, ...DIRECT_CURRENCIES].map((currency) => {
  const id = currency.toLowerCase()
  return { id, appId: `sandbox-${id}`, secretKey: `sandbox-secret-${id}`, currencies: [currency] }
})

/** The effect of a fault on a call: replaces or delays the regular response, or cuts the connection. */
export type FaultAnswer =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { delayMs: number }
  /** Never responds. */
  | 'hang'
  /** Resets the connection before any work is done. */
  | 'reset'
  /** Does the work, then cuts the connection. */
  | 'drop-after'

/**
 * A fault for the next matching calls. `method`: default any. `path`: with or without `/api`, without a query; a `*` at the
 * end matches any rest; default any. `times`: default 1.
 */
export type Fault = { method?: string; path?: string; times?: number; answer: FaultAnswer }

/** A fault that will apply to the next `left` matching calls. */
export type ActiveFault = { method: string | null; path: string | null; left: number; answer: FaultAnswer }

/** The faults that have not been used up; the first match applies. */
export class FaultBook {
  #pending: { fault: Fault; left: number }[] = []

  add(fault: Fault): void {
    this.#pending.push({ fault, left: fault.times ?? 1 })
  }

  clear(): void {
    this.#pending = []
  }

  /** Returns the faults that have not been used up, in order. */
  list(): ActiveFault[] {
    return this.#pending.map(({ fault: { method, path, answer }, left }) => ({
      method: method ?? null,
      path: path ?? null,
      left,
      answer,
    }))
  }

  /** Number of faults that have not been used up. */
  get left(): number {
    return this.#pending.reduce((sum, entry) => sum + entry.left, 0)
  }

  /** Uses the fault that matches this call, if any. `path` is the call's own, from `/api` on. */
  take(method: string, path: string): FaultAnswer | undefined {
    const entry = this.#pending.find(({ fault }) => matches(fault, method, path))
    if (entry === undefined) return undefined
    entry.left -= 1
    this.#pending = this.#pending.filter(({ left }) => left > 0)
    return entry.fault.answer
  }
}

function matches(fault: Fault, method: string, path: string): boolean {
  if (fault.method !== undefined && fault.method.toUpperCase() !== method) return false
  if (fault.path === undefined) return true
  const pattern = fault.path.startsWith('/api') ? fault.path : `/api${fault.path}`
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Returns an identifier in the form of the payments API: 8 upper-case letters and digits (gap sheet, section 10). */
export function newUuid(isTaken: (uuid: string) => boolean): string {
  for (;;) {
    const uuid = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
    if (!isTaken(uuid)) return uuid
  }
}

/** Returns a reusable card token (docs/payments-api.md, section 6.2). */
export function newToken(): string {
  return `tok_${randomBytes(12).toString('hex')}`
}
