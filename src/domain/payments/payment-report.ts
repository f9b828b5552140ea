import { compareDecimals, subtractDecimals, sumDecimals } from '../money/money.ts'
import type { Instructions } from './instructions.ts'

/**
 * The content of a webhook, or of the response to a read, about one payment, in the types of this project. Fields that the body omits, or
 * that are unreadable, are null.
 */
export type PaymentReport = {
  /** The upstream payment uuid. */
  readonly paymentId: string
  /** The upstream link uuid, if the body contains one besides the payment's. */
  readonly linkId: string | null
  readonly statusRaw: string
  readonly status: PaymentStatus | null
  readonly details: PaymentDetails
  readonly payer: Payer
  /** The reason of its latest refund. It may name the payer, so it is stored apart from the log. */
  readonly refundDescription?: string | null
  /** The reusable token of the card, which is stored only sealed and on request. It is a credential: no text shows it. */
  readonly cardToken?: { reveal(): string } | null
  /** The refund whose request it answers. */
  readonly requestedRefund?: RequestedRefund
}

/** Everything about a payment except its status and its payer. Decimals are plain digits. */
export type PaymentDetails = {
  readonly currency: string | null
  readonly amount: string | null
  readonly total: string | null
  readonly paid: string | null
  readonly refunded: string | null
  /** `total_amount` beside the refund: what the payment was before it. */
  readonly refundTotal: string | null
  readonly refundable: boolean | null
  /** Whether GST is added to the amount, and how much; reported of direct payins. */
  readonly gst: boolean | null
  readonly gstAmount: string | null
  readonly reference: string | null
  /** `payment_method` as received: a method code, or a short word such as `card`. */
  readonly methodRaw: string | null
  readonly card: CardDetails | null
  /** URL at which the customer completes 3-D Secure. */
  readonly threeDsUrl: string | null
  readonly failureCode: string | null
  readonly failureMessage: string | null
  /** The data that the customer needs to pay a direct payin, under the payments API's own names. */
  readonly instructions: Instructions | null
  /** ISO 8601 instants in UTC with milliseconds. */
  readonly expiresAt: string | null
  readonly createdAt: string | null
}

export type CardDetails = {
  readonly brand: string | null
  readonly type: string | null
  readonly last4: string | null
  readonly countryCode: string | null
}

/** The payer: stored separately, so that it can be protected, and erased, independently. */
export type Payer = { readonly name: string | null; readonly email: string | null }

/** The statuses that the payments API documents (docs/payments-api.md, section 3.2), in its own spelling. */
export const PAYMENT_STATUSES = [
  'pending',
  'authorised',
  'waiting',
  'received',
  'expired',
  'return_pending',
  'return_expired',
  'partially_refunded',
  'return_received',
  'return_rejected',
  'failed',
  'in_dispute',
  'dispute_lost',
] as const

export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]

/** The coarse statuses: a fixed set. */
export const PAYMENT_PHASES = [
  'IN_PROGRESS',
  'SUCCEEDED',
  'FAILED',
  'EXPIRED',
  'REFUNDING',
  'REFUNDED',
  'DISPUTED',
] as const

export type PaymentPhase = (typeof PAYMENT_PHASES)[number]

type StatusFacts = {
  /** Progress of the payment: a higher rank is newer, between equal ranks the order is open. */
  readonly rank: number
  readonly phase: PaymentPhase
  /** At rest: a later status is possible (a refund, a retry), but nothing is in progress. */
  readonly terminal: boolean
  /** The payments API may report it more than once for one payment, with the same bytes. */
  readonly repeatable: boolean
}

const FACTS: Readonly<Record<PaymentStatus, StatusFacts>> = {
  pending: { rank: 0, phase: 'IN_PROGRESS', terminal: false, repeatable: true },
  authorised: { rank: 1, phase: 'IN_PROGRESS', terminal: false, repeatable: false },
  waiting: { rank: 2, phase: 'IN_PROGRESS', terminal: false, repeatable: false },
  failed: { rank: 3, phase: 'FAILED', terminal: true, repeatable: true },
  expired: { rank: 3, phase: 'EXPIRED', terminal: true, repeatable: true },
  received: { rank: 4, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  return_pending: { rank: 5, phase: 'REFUNDING', terminal: false, repeatable: true },
  return_rejected: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  return_expired: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  partially_refunded: { rank: 5, phase: 'SUCCEEDED', terminal: true, repeatable: true },
  in_dispute: { rank: 5, phase: 'DISPUTED', terminal: false, repeatable: true },
  return_received: { rank: 6, phase: 'REFUNDED', terminal: true, repeatable: false },
  dispute_lost: { rank: 6, phase: 'DISPUTED', terminal: true, repeatable: false },
}

/** From this rank on the payment is paid: no webhook changes it back to an unpaid status by itself. */
export const PAID_RANK = 4
/** At this rank a payment is final. */
export const FINAL_RANK = 6

/** Undocumented spellings of documented statuses on other pages of the payments API (gap sheet, C2). */
const OTHER_SPELLINGS: ReadonlyMap<string, PaymentStatus> = new Map([
  ['refunded', 'return_received'],
  ['canceled', 'expired'],
])

const KNOWN_STATUSES: ReadonlySet<string> = new Set(PAYMENT_STATUSES)

/** Returns the documented status for a received value; null for a status that this version does not recognise. */
export function recogniseStatus(raw: string): PaymentStatus | null {
  return KNOWN_STATUSES.has(raw) ? (raw as PaymentStatus) : (OTHER_SPELLINGS.get(raw) ?? null)
}

/** Returns rank, phase, finality and repeatability of a status. */
export function factsOf(status: PaymentStatus): StatusFacts {
  return FACTS[status]
}

/**
 * One refund of a payment. The payments API reports a status and a total of the payment, and no refund by itself (gap sheet, section 12):
 * refunds are told apart by what both do.
 */
export type Refund = {
  /** 1, 2, 3 ... within its payment. */
  readonly number: number
  readonly state: 'PENDING' | 'SETTLED' | 'REJECTED' | 'EXPIRED'
  /** Plain digits, in the currency of the payment; null while the payments API does not tell it. */
  readonly amount: string | null
  /** ISO 8601 instant in UTC: when the command was sent, or when the request was first reported; null if only its end was reported. */
  readonly requestedAt: string | null
  /** ISO 8601 instant in UTC of the event that ended it; null while it is pending, and for what ended before refunds were recorded. */
  readonly settledAt: string | null
  /** The command that requested it; null for one that was made elsewhere, or whose command has not been answered. */
  readonly commandId: string | null
  /** Sequence of the event that first showed it. */
  readonly since: number
  /** Sequence of the event that last changed it. */
  readonly version: number
}

/** Returns the id of a refund. */
export function refundId(paymentId: string, { number }: Pick<Refund, 'number'>): string {
  return `${paymentId}-${number}`
}

/** A refund that a command has requested, and that the payments API has accepted. */
export type RequestedRefund = {
  readonly commandId: string
  /** Plain digits; null for the whole remaining amount. */
  readonly amount: string | null
  /** ISO 8601 instant in UTC. */
  readonly requestedAt: string
  /** Version of the payment when the command was recorded. */
  readonly subjectVersion: number
}

/** Maximum number of refunds that a payment contains: the latest ones. Events contain the others. */
export const MOST_REFUNDS = 50

type State = {
  readonly status: PaymentStatus | null
  readonly details: Pick<PaymentDetails, 'amount' | 'paid' | 'refunded'>
}

type Recorded = State & {
  readonly version: number
  readonly refunds?: readonly Refund[]
}

/** Returns the refunds of a payment, oldest first. */
export function refundsOf(payment: Pick<Recorded, 'refunds'>): readonly Refund[] {
  return payment.refunds ?? []
}

type Step = {
  readonly before: State | null
  readonly after: State
  readonly sequence: number
  /** ISO 8601 instant in UTC. */
  readonly at: string
}

/** Returns the refunds of a payment after a change, oldest first; `requested` is the refund that the change answers, if it does. */
export function refundsAfter(
  before: Recorded | null,
  after: State,
  recorded: { readonly sequence: number; readonly at: string; readonly requested: RequestedRefund | null },
): readonly Refund[] {
  const { sequence, at, requested } = recorded
  const found = reported(before === null ? [] : refundsOf(before), { before, after, sequence, at })
  const refunds = requested === null ? found : claimed(found, requested, sequence)
  return refunds.slice(-MOST_REFUNDS)
}

/** Assigns a refund that was first shown since the command was recorded to this command; otherwise it is a pending one of its own. */
function claimed(refunds: readonly Refund[], requested: RequestedRefund, sequence: number): readonly Refund[] {
  const { commandId, amount, requestedAt, subjectVersion } = requested
  const mine = refunds.find(
    (refund) => refund.commandId === null && refund.since > subjectVersion && fits(refund.amount, amount),
  )
  if (mine === undefined)
    return [...refunds, { ...pending(refunds, sequence), amount, requestedAt, commandId } satisfies Refund]
  const known = { ...mine, amount: amount ?? mine.amount, requestedAt, commandId, version: sequence }
  return refunds.map((refund) => (refund === mine ? known : refund))
}

function fits(shown: string | null, asked: string | null): boolean {
  return shown === null || asked === null || compareDecimals(shown, asked) === 0
}

/** Returns the refunds as a status and a total of the payment show them. */
function reported(refunds: readonly Refund[], step: Step): readonly Refund[] {
  const { status } = step.after
  if (status === 'return_pending') return whilePending(refunds, step)
  if (status === 'return_rejected') return cameToNothing(refunds, 'REJECTED', step)
  if (status === 'return_expired') return cameToNothing(refunds, 'EXPIRED', step)
  const isRefunded = status === 'partially_refunded' || status === 'return_received'
  return (isRefunded && isNew(step)) || isPositive(grownIn(step)) ? paidOut(refunds, step) : refunds
}

function whilePending(refunds: readonly Refund[], step: Step): readonly Refund[] {
  const { sequence, at } = step
  const grown = grownIn(step)
  const open = refunds.filter(isOpen)
  const unknown = open.find(({ amount }) => amount === null)
  if (open.length === 0) {
    if (!isNew(step) && !isPositive(grown)) return refunds
    const amount = isPositive(grown) ? grown : null
    return [...refunds, { ...pending(refunds, sequence), amount, requestedAt: at }]
  }
  if (!isPositive(grown)) return refunds
  if (unknown !== undefined)
    return refunds.map((refund) => (refund === unknown ? { ...refund, amount: grown, version: sequence } : refund))
  const more = unexplained(refunds, step)
  return isPositive(more) ? [...refunds, { ...pending(refunds, sequence), amount: more, requestedAt: at }] : refunds
}

/**
 * A rejection or an expiry ends every pending refund: the payments API has one status for all of them. Without a pending one it is of a refund
 * that was settled: its money has come back.
 */
function cameToNothing(refunds: readonly Refund[], state: 'REJECTED' | 'EXPIRED', step: Step): readonly Refund[] {
  if (!isNew(step)) return refunds
  const { sequence: version, at: settledAt } = step
  const open = refunds.filter(isOpen)
  const ended = open.length > 0 ? open : undone(refunds, step)
  if (ended.length === 0) return [...refunds, { ...pending(refunds, version), state, settledAt }]
  return refunds.map((refund) => (ended.includes(refund) ? { ...refund, state, settledAt, version } : refund))
}

/** Returns the settled refunds that came back: all, if the total has lost them all; the one of the amount that it has lost; or the latest. */
function undone(refunds: readonly Refund[], { before, after }: Step): readonly Refund[] {
  const settled = refunds.filter(({ state }) => state === 'SETTLED')
  const lost = before === null ? '0' : subtractDecimals(totalOf(before), totalOf(after))
  const isLost = (amount: string | null) => amount !== null && isPositive(lost) && compareDecimals(amount, lost) === 0
  if (isLost(amountsOf(settled))) return settled
  const one = settled.findLast(({ amount }) => isLost(amount)) ?? settled.at(-1)
  return one === undefined ? [] : [one]
}

/** Pending refunds are settled oldest first, as far as the total reaches, and one at least; what remains of it was refunded elsewhere. */
function paidOut(refunds: readonly Refund[], step: Step): readonly Refund[] {
  const { sequence: version, at: settledAt, after } = step
  const settled = { state: 'SETTLED', settledAt, version } as const
  const open = refunds.filter(isOpen)
  if (open.length === 0) {
    const amount = isPositive(grownIn(step)) ? grownIn(step) : uncounted(refunds, after)
    const isShown = amount === null ? refunds.length === 0 : isPositive(amount)
    return isShown ? within([...refunds, { ...pending(refunds, version), ...settled, amount }], step) : refunds
  }
  const reached = open.filter((refund, index) => index === 0 || isReached(refunds, open.slice(0, index + 1), after))
  const rest = newlyPaid(refunds, step)
  const others = sumDecimals(reached.map(({ amount }) => amount ?? '0'))
  const blank = rest === null ? null : subtractDecimals(rest, others)
  const ended = refunds.map((refund) =>
    reached.includes(refund)
      ? { ...refund, ...settled, amount: refund.amount ?? (blank !== null && isPositive(blank) ? blank : null) }
      : refund,
  )
  const more = unexplained(ended, step)
  const all = isPositive(more) ? [...ended, { ...pending(ended, version), ...settled, amount: more }] : ended
  return within(all, step)
}

/** Where more would be out than was paid, earlier refunds came back without a report: the latest of them, as many as it takes. */
function within(refunds: readonly Refund[], step: Step): readonly Refund[] {
  const whole = wholeOf(step.after)
  const settled = refunds.filter(({ state }) => state === 'SETTLED')
  const earlier = settled.findLast(({ version }) => version < step.sequence)
  if (whole === null || earlier === undefined || compareDecimals(amountsOf(settled), whole) <= 0) return refunds
  const back = { ...earlier, state: 'REJECTED', settledAt: step.at, version: step.sequence } as const
  return within(
    refunds.map((refund) => (refund === earlier ? back : refund)),
    step,
  )
}

function isReached(refunds: readonly Refund[], open: readonly Refund[], after: State): boolean {
  if (after.status === 'return_received') return true
  const rest = uncounted(refunds, after)
  return rest !== null && open.every(({ amount }) => amount !== null) && compareDecimals(amountsOf(open), rest) <= 0
}

/**
 * Returns the part of the total that no settled refund explains; null if the total is unknown, or if it contains refunds that are no longer
 * listed.
 */
function uncounted(refunds: readonly Refund[], { status, details }: State): string | null {
  const { refunded } = details
  const whole = status === 'return_received' ? wholeOf({ details }) : null
  const total = refunded !== null && isPositive(refunded) ? refunded : whole
  if (total === null || (refunds[0]?.number ?? 1) > 1) return null
  return subtractDecimals(total, amountsOf(refunds.filter(({ state }) => state === 'SETTLED')))
}

function wholeOf({ details: { paid, amount } }: Pick<State, 'details'>): string | null {
  return paid !== null && isPositive(paid) ? paid : amount
}

/** Returns what the settlement of pending refunds has paid out. The total may still have a refund that came back. */
function newlyPaid(refunds: readonly Refund[], step: Step): string | null {
  const [rest, grown] = [uncounted(refunds, step.after), grownIn(step)]
  return rest !== null && isPositive(grown) && compareDecimals(grown, rest) < 0 ? grown : rest
}

/**
 * Returns by how much the total has grown without a refund that explains it. A rejected or expired refund may still be part of the total: then
 * nothing is unexplained, so that no refund is shown that was not made.
 */
function unexplained(refunds: readonly Refund[], step: Step): string {
  const grown = grownIn(step)
  const left = subtractDecimals(totalOf(step.after), amountsOf(refunds))
  return compareDecimals(grown, left) < 0 ? grown : left
}

function pending(refunds: readonly Refund[], sequence: number): Refund {
  const number = (refunds.at(-1)?.number ?? 0) + 1
  const unknown = { amount: null, requestedAt: null, settledAt: null, commandId: null }
  return { number, state: 'PENDING', ...unknown, since: sequence, version: sequence }
}

function isOpen({ state }: Refund): boolean {
  return state === 'PENDING'
}

function isNew({ before, after }: Step): boolean {
  return before?.status !== after.status
}

function grownIn({ before, after }: Step): string {
  return subtractDecimals(totalOf(after), before === null ? '0' : totalOf(before))
}

function totalOf({ details }: State): string {
  return details.refunded ?? '0'
}

function amountsOf(refunds: readonly Refund[]): string {
  return sumDecimals(refunds.map(({ amount }) => amount ?? '0'))
}

function isPositive(amount: string): boolean {
  return compareDecimals(amount, '0') > 0
}
