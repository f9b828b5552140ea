/** Reads the facts that never change. Throws when the sandbox does not respond. */
export async function readFacts(): Promise<Facts> {
  const [about, magic, banks] = await Promise.all([
    read<About>('/about'),
    read<Magic>('/failures'),
    read<{ records: Bank[] }>('/banks'),
  ])
  return { about, magic, banks: banks.records }
}

/** Reads the current state, newest entries first. Throws when the sandbox does not respond. */
export async function readSnapshot({ search, limit }: Query): Promise<Snapshot> {
  const query = `?${new URLSearchParams({ limit: String(limit), ...(search === '' ? {} : { search }) }).toString()}`
  const [state, webhooks, calls, faults] = await Promise.all([
    read<State>(`/state${query}`),
    read<{ records: Webhook[] }>(`/webhooks${query}`),
    read<{ records: Call[] }>(`/calls${query}`),
    read<{ records: Fault[] }>('/faults'),
  ])
  return { state, webhooks: webhooks.records, calls: calls.records, faults: faults.records }
}

/** The responses to the deliveries of a webhook fault. */
export type Deliveries = { readonly armed: boolean; readonly deliveries: readonly Attempt[] }

/** Calls a control endpoint and returns its response. Throws an error with the sandbox's message when it refuses. */
export async function change<Answer>(path: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  return answerOf(await fetch(`/sandbox${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
}

/** What the page can create. */
export type NewThing = {
  readonly currency: string
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Creates something as an application would. Returns the response of the interface. Throws an error with its problems when it refuses. */
export async function create(thing: NewThing): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await change<{ status: number; body: Record<string, unknown> }>('/requests', thing)
  if (status === 200) return body
  throw new Error(`The interface answered ${status}: ${JSON.stringify(body)}`)
}

/** Removes every fault. */
export async function clearFaults(): Promise<void> {
  await answerOf(await fetch('/sandbox/faults', { method: 'DELETE' }))
}

async function read<Answer>(path: string): Promise<Answer> {
  return answerOf(await fetch(`/sandbox${path}`))
}

async function answerOf<Answer>(response: Response): Promise<Answer> {
  const text = await response.text()
  const answer = (text === '' ? null : JSON.parse(text)) as Answer & { errors?: { message?: string } }
  if (!response.ok) throw new Error(answer?.errors?.message ?? `The sandbox answered ${response.status}.`)
  return answer
}

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

type Payin = Link & { readonly total: string }

export type GatewayPayment = Link & { readonly paymentId: number; readonly orderId: string }

type Agreement = Moving & {
  readonly id: number
  readonly paymentAgreementId: string
  readonly clientTransactionId: string
  readonly limitAmount: string
}

type Payout = Moving & {
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

type Contact = {
  readonly siteId: string
  readonly email: string
  readonly createdAt: string
  readonly checks: readonly string[]
}

type Deposit = {
  readonly siteId: string
  readonly currency: string
  readonly amount: string
  readonly at: string
}

type Counters = Readonly<
  Record<
    | 'links'
    | 'payins'
    | 'gatewayPayments'
    | 'agreements'
    | 'payouts'
    | 'contacts'
    | 'deposits'
    | 'calls'
    | 'webhooks'
    | 'faultsLeft',
    number
  >
>

type State = {
  readonly now: string
  readonly counters: Counters
  readonly links: readonly Link[]
  readonly payins: readonly Payin[]
  readonly gatewayPayments: readonly GatewayPayment[]
  readonly agreements: readonly Agreement[]
  readonly payouts: readonly Payout[]
  readonly contacts: readonly Contact[]
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

type Call = {
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

type Fault = {
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

type Magic = {
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

type Bank = {
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

/** Number of entries of each list that are read at first, and number that each further read adds. */
export const PAGE_SIZE = 50

/** The part of the lists to read. */
export type Query = { readonly search: string; readonly limit: number }
