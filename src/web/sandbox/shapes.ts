/** What the page reads of the control endpoints' answers. The sandbox is a neighbour, so its own types are not taken. */

export type Change = { readonly status: string; readonly at: string; readonly silent: boolean }

type Moving = {
  readonly siteId: string
  readonly status: string
  readonly createdAt: string
  readonly nextStepAt: string | null
  readonly history: readonly Change[]
}

export type Link = Moving & {
  readonly uuid: string
  readonly paymentUuid: string | null
  readonly currency: string
  readonly amount: string
  readonly methodCode: string | null
  readonly description: string
  readonly externalId: string | null
  readonly errorCode: string | null
  readonly refund: { readonly requested: string; readonly refunded: string } | null
  readonly expiresAt: string
  readonly paymentUrl: string
}

export type Payin = Link & { readonly total: string }

export type GatewayPayment = Link & { readonly paymentId: number; readonly orderId: string }

export type Agreement = Moving & {
  readonly id: number
  readonly paymentAgreementId: string
  readonly clientTransactionId: string
  readonly limitAmount: string
}

export type Payout = Moving & {
  readonly uuid: string
  /** Of v1 payouts alone. */
  readonly number: number | null
  readonly currency: string
  readonly totalAmount: string
  readonly methodCode: string
  readonly description: string
  readonly externalId: string | null
  readonly errorCode: string | null
  readonly transactions: readonly { readonly uuid: string; readonly amount: string; readonly status: string }[]
}

export type Deposit = {
  readonly siteId: string
  readonly currency: string
  readonly amount: string
  readonly at: string
}

export type Counters = Readonly<
  Record<
    | 'links'
    | 'payins'
    | 'gatewayPayments'
    | 'agreements'
    | 'payouts'
    | 'deposits'
    | 'calls'
    | 'webhooks'
    | 'faultsLeft',
    number
  >
>

export type State = {
  readonly now: string
  readonly counters: Counters
  readonly links: readonly Link[]
  readonly payins: readonly Payin[]
  readonly gatewayPayments: readonly GatewayPayment[]
  readonly agreements: readonly Agreement[]
  readonly payouts: readonly Payout[]
  readonly deposits: readonly Deposit[]
}

export type Attempt = {
  readonly at: string
  readonly durationMs: number
  readonly status?: number
  readonly error?: string
  readonly resent?: true
}

export type Webhook = {
  readonly id: string
  readonly subject: string
  readonly kind: string
  readonly status: string
  readonly url: string
  readonly body: string
  readonly signature: string | null
  readonly attempts: readonly Attempt[]
  readonly outcome: string
  readonly nextAttemptAt: string | null
}

export type Call = {
  readonly method: string
  readonly path: string
  readonly at: string
  readonly appId: string | null
  readonly status: number | null
  readonly fault: boolean
}

export type FaultAnswer =
  | 'hang'
  | 'reset'
  | 'drop-after'
  | { readonly delayMs: number }
  | { readonly status: number; readonly body?: unknown }

export type Fault = {
  readonly method: string | null
  readonly path: string | null
  readonly left: number
  readonly answer: FaultAnswer
}

export type About = {
  readonly url: string
  readonly sites: readonly {
    readonly id: string
    readonly appId: string
    readonly secretKey: string | null
    readonly currencies: readonly string[]
  }[]
  readonly webhookSecret: string | null
  readonly statuses: Readonly<Record<'payments' | 'refunds' | 'agreements' | 'payouts', readonly string[]>>
}

type MagicAmount = { readonly amount: string; readonly zeroDecimalAmount: string }

export type Magic = {
  readonly failures: readonly (MagicAmount & {
    readonly code: string
    readonly message: string
    readonly lastName: string
  })[]
  readonly threeDs: MagicAmount & { readonly lastName: string }
  readonly refunds: readonly string[]
  readonly payers: { readonly reject: string; readonly wait: string }
  readonly payouts: readonly (MagicAmount & { readonly effect: string })[]
}

export type Bank = {
  readonly bankName: string
  readonly accountNumber: string
  readonly accountName: string
  readonly qrContent: string
}

/** The facts that never change while the sandbox runs. */
export type Facts = { readonly about: About; readonly magic: Magic; readonly banks: readonly Bank[] }

/** The current state. */
export type Snapshot = {
  readonly state: State
  readonly webhooks: readonly Webhook[]
  readonly calls: readonly Call[]
  readonly faults: readonly Fault[]
}

/** The part of the lists to read. */
export type Query = { readonly search: string; readonly limit: number }
