import type { Deposit } from '../accounts/sandbox-deposits.ts'
import type { Agreement } from '../agreements/sandbox-agreement.ts'
import type { SandboxContact, SandboxCustomer } from '../customers/sandbox-customer.ts'
import type { Token } from '../gateway/tokens.ts'
import { DIRECT_CURRENCIES } from '../methods/methods-v2.ts'
import { CATALOGUE_CURRENCIES } from '../methods/methods.ts'
import type { Link, WebhookTarget } from '../payments/link.ts'
import type { Payout } from '../payouts/sandbox-payout.ts'
import type { Decimal } from '../values/decimal.ts'
import type { WebhookSender } from '../webhooks/webhook-sender.ts'
import type { FaultBook } from './api-faults.ts'
import type { TimerClock } from './clock.ts'

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
