import type { Deposit } from '../accounts/deposits.ts'
import type { Agreement } from '../agreements/agreement.ts'
import type { Token } from '../gateway/tokens.ts'
import type { Link, WebhookTarget } from '../payments/link.ts'
import type { Payout } from '../payouts/payout.ts'
import type { Decimal } from '../values/decimal.ts'
import type { WebhookSender } from '../webhooks/webhook-sender.ts'
import type { Changes } from './changes.ts'
import type { TimerClock } from './clock.ts'
import type { FaultBook } from './faults.ts'
import type { SandboxSite } from './sites.ts'

/**
 * A call to the interface, as the sandbox remembers it; without secrets, query and body. `status` is that of the answer,
 * null while or because there is none; `fault` tells that the call met one.
 */
export type ApiCall = {
  method: string
  path: string
  at: string
  appId: string | null
  status: number | null
  fault: boolean
}

/** All that one sandbox is made of; each route and each step works on this. */
export type SandboxStore = {
  /** http://host:port, known once the server listens. */
  origin: string
  readonly sites: readonly SandboxSite[]
  /** Whether the credentials are those that every sandbox has, which are no secret. */
  readonly isFixed: { readonly sites: boolean; readonly webhookSecret: boolean }
  readonly webhookSecret: string
  readonly defaultWebhook: WebhookTarget | undefined
  readonly webhookForm: 'flat' | 'nested'
  readonly paceMs: number
  /** How long the payer takes to answer a new agreement, in milliseconds of the sandbox clock. */
  readonly mandateMs: number
  readonly signAgreementCallbacks: boolean
  /** What each site has in each of its currencies before anything happens. */
  readonly openingBalance: Decimal
  readonly clock: TimerClock
  readonly sender: WebhookSender
  /** Links, payins and gateway payments by uuid: they share one machine of statuses. */
  readonly links: Map<string, Link>
  /** By the numeric id. */
  readonly agreements: Map<number, Agreement>
  readonly payouts: Map<string, Payout>
  readonly deposits: Deposit[]
  /** The access tokens of the gateway by their text. */
  readonly tokens: Map<string, Token>
  readonly calls: ApiCall[]
  readonly faults: FaultBook
  readonly changes: Changes
}
