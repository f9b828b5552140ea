import type { Deposit } from '../accounts/sandbox-deposits.ts'
import type { Agreement } from '../agreements/sandbox-agreement.ts'
import type { SandboxContact, SandboxCustomer } from '../customers/sandbox-customer.ts'
import type { Token } from '../gateway/tokens.ts'
import type { Link, WebhookTarget } from '../payments/link.ts'
import type { Payout } from '../payouts/sandbox-payout.ts'
import type { Decimal } from '../values/decimal.ts'
import type { WebhookSender } from '../webhooks/webhook-sender.ts'
import type { FaultBook } from './api-faults.ts'
import type { Changes } from './changes.ts'
import type { TimerClock } from './clock.ts'
import type { SandboxSite } from './sandbox-sites.ts'

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
