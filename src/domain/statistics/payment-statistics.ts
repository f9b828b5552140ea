import { kindOf, type MethodKind, parseMethodCode } from '../methods/payin-method.ts'
import { type FailureCategory, recogniseFailure } from '../payments/failures/failure-codes.ts'
import { PAID_RANK, type PaymentPhase, type PaymentStatus } from '../payments/payment-report.ts'
import type { Payment } from '../payments/payment.ts'

/** What payments are grouped by. Each has few values, whatever is reported, so that the number of groups is bounded. */
export type StatisticsGroup = {
  readonly currency: string
  /** Id of the site; null if it is not recorded. */
  readonly site: string | null
  /** Null while the method is not known. */
  readonly methodKind: MethodKind | null
  readonly phase: PaymentPhase
  /** Null for a status that this version does not recognise. */
  readonly status: PaymentStatus | null
  /** Null for a payment that has not failed, or without a code. */
  readonly failureCategory: FailureCategory | null
}

/** The amounts that are added up. */
export const SUMS = ['amount', 'total', 'paid', 'refunded'] as const

/** Upper bounds in seconds of the times from the creation of a link to its payment; longer times are counted behind them. */
export const PAID_WITHIN_SECONDS = [15, 30, 60, 120, 180, 300, 600, 1_800, 3_600, 21_600, 86_400] as const

/** Counts of payments, each 0 or 1 for one payment. */
export const COUNTS = ['payments', 'paid_payments', 'unpaid_payments', 'duplicates', 'needing_attention'] as const

/** Sums as whole units and millionths. */
export const AMOUNTS: readonly string[] = SUMS.flatMap((name) => [`${name}_units`, `${name}_millionths`])

/** Counts of payments by the time until they were paid. */
export const TIMES: readonly string[] = [...PAID_WITHIN_SECONDS.map((most) => `paid_within_${most}`), 'paid_later']

/** The figures of a group, in the order of `figuresOf`. */
export const FIGURES: readonly string[] = [...COUNTS, ...AMOUNTS, ...TIMES]

/** What a payment is counted by besides its state. */
export type CountedPayment = {
  readonly state: Payment
  readonly methodCode: string | null
  readonly site: string | null
  /** Milliseconds since the epoch at which it was first recorded. */
  readonly recordedAt: number
  readonly duplicate: boolean
  /** Milliseconds from the creation of its link to the record of its payment; null if it was not paid through a link. */
  readonly paidAfterMs: number | null
}

/** Returns the group that a payment is counted in; null for one that is not listed, because its amount is not known. */
export function groupOf({ state, methodCode, site }: CountedPayment): StatisticsGroup | null {
  const { details, phase, status } = state
  const { currency, amount, methodRaw, failureCode } = details
  if (currency === null || amount === null) return null
  const word = methodRaw === null ? null : kindOf(methodRaw).kind
  return {
    currency,
    site,
    methodKind: methodCode === null ? word : parseMethodCode(methodCode).kind,
    phase,
    status,
    failureCategory: failureCode === null ? null : recogniseFailure(failureCode).category,
  }
}

/** Returns the instant at which a payment is counted: when the payments API created it, or when it was first recorded if that is not known. */
export function countedAt({ state, recordedAt }: CountedPayment): number {
  const { createdAt } = state.details
  return createdAt === null ? recordedAt : Date.parse(createdAt)
}

/** Refunds that were denied or not carried out, and open disputes: somebody has to do something. */
const NEED_ATTENTION: ReadonlySet<PaymentStatus | null> = new Set(['in_dispute', 'return_rejected', 'return_expired'])

/** Returns the figures of one payment, in the order of `FIGURES`. */
export function figuresOf({ state, duplicate, paidAfterMs }: CountedPayment): number[] {
  const { details, rank, phase, status } = state
  const counts = [
    true,
    rank >= PAID_RANK,
    phase === 'FAILED' || phase === 'EXPIRED',
    duplicate,
    duplicate || NEED_ATTENTION.has(status),
  ]
  const within = paidAfterMs === null ? null : PAID_WITHIN_SECONDS.findIndex((most) => paidAfterMs <= most * 1_000)
  const times = PAID_WITHIN_SECONDS.map((_, index) => index === within)
  return [
    ...counts.map(Number),
    ...SUMS.flatMap((name) => partsOf(details[name])),
    ...[...times, within === -1].map(Number),
  ]
}

const MILLIONTHS = 6
/** Digits before the point up to which the parts of an amount are exact numbers. */
const MOST_DIGITS = 15

/** Returns the whole units and the millionths of a decimal; nothing for one that is not known, or larger than any amount of money. */
function partsOf(decimal: string | null): readonly [number, number] {
  const match = decimal === null ? null : /^(-?)(\d+)(?:\.(\d*))?$/.exec(decimal)
  if (match === null) return [0, 0]
  const [, minus = '', digits = '', decimals = ''] = match
  const whole = digits.replace(/^0+/, '')
  if (whole.length > MOST_DIGITS) return [0, 0]
  const sign = minus === '' ? 1 : -1
  // Without a negative zero, which no column has.
  return [sign * Number(whole) + 0, sign * Number(decimals.slice(0, MILLIONTHS).padEnd(MILLIONTHS, '0')) + 0]
}

/** Returns the decimal of a sum of whole units and of millionths. */
export function decimalOf(units: bigint, millionths: bigint): string {
  const scale = 10n ** BigInt(MILLIONTHS)
  const sum = units * scale + millionths
  const size = sum < 0n ? -sum : sum
  const padded = String(size % scale).padStart(MILLIONTHS, '0')
  const decimals = padded.slice(0, Array.from(padded).findLastIndex((digit) => digit !== '0') + 1)
  return `${sum < 0n ? '-' : ''}${size / scale}${decimals === '' ? '' : `.${decimals}`}`
}

/** Counts of payments by the time from the creation of their link: one for each of `PAID_WITHIN_SECONDS`, and the longer ones. */
export type PaidTimes = readonly number[]

/**
 * Returns the seconds within which a share (0 to 1) of the payments were paid, interpolated within the range that it falls into; null without
 * payments. Of times beyond the last bound only that is known.
 */
export function quantileSeconds(times: PaidTimes, share: number): number | null {
  const total = times.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let before = 0
  for (const [index, most] of PAID_WITHIN_SECONDS.entries()) {
    const count = times[index] ?? 0
    const least = PAID_WITHIN_SECONDS[index - 1] ?? 0
    if (count > 0 && before + count >= share * total)
      return Math.ceil(least + ((most - least) * (share * total - before)) / count)
    before += count
  }
  return PAID_WITHIN_SECONDS.at(-1) ?? null
}
