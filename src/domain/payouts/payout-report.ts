import type { MethodKind, MethodRequirements } from '../methods/payin-method.ts'
import { compareDecimals } from '../money/money.ts'

/** The statuses of a batch (gap sheet, section 19), in the payments API's spelling. */
export const PAYOUT_STATUSES = ['created', 'processing', 'scheduled', 'completed', 'expired'] as const

export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

/**
 * The payments API's report about one batch of payouts, in a callback or a response. Fields that the body omits, or that are unreadable,
 * are null. Amounts are plain digits, instants ISO 8601 in UTC with milliseconds.
 */
export type PayoutReport = {
  /** The upstream uuid; of a v1 payout `v1-` and its number. */
  readonly id: string
  readonly statusRaw: string
  readonly status: PayoutStatus | null
  readonly totalAmount: string | null
  /** What came back of it, and how many of its transactions failed: of v1 payouts alone. */
  readonly totalRefund: string | null
  readonly failedTransactions: number | null
  readonly currency: string | null
  readonly methodCode: string | null
  readonly description: string | null
  readonly reference: string | null
  readonly scheduledAt: string | null
  /** As received, with the payments API's prefix. Its end shows the cause, e.g. `_PAYOUT1` for an insufficient balance. */
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly transactions: readonly PayoutTransaction[]
  /** The payees of the transactions, apart from them: they are stored apart, and can be erased. */
  readonly payees: readonly PayoutPayee[]
  /** The webhook URL of the batch. If its creation was not answered, the batch is found by this URL. */
  readonly endpointUrl: string | null
}

export type PayoutTransaction = {
  /** The upstream uuid; without one, the id of the batch and the place in it, such as `OHXTEF9M.1`. */
  readonly id: string
  readonly amount: string | null
  /** In the payments API's own word, of which one is documented: `settled`. */
  readonly statusRaw: string | null
  readonly errorMessage: string | null
  readonly createdAt: string | null
}

/** Who is paid by a transaction. The account number is already masked: only its end is known. */
export type PayoutPayee = {
  readonly transactionId: string
  readonly name: string | null
  readonly accountNumberMasked: string | null
  /** The PayID, masked as well; of v1 payouts alone. */
  readonly payIdMasked: string | null
  /** Of a v1 payout the bank-state-branch number. */
  readonly bankCode: string | null
}

/** Returns a name with the first letter of each part and a mask of fixed length: `A*** P***`. At most three parts are shown. */
export function maskedName(name: string | null): string | null {
  const parts = name?.split(/\s+/).filter((part) => part !== '') ?? []
  if (parts.length === 0) return null
  return parts
    .slice(0, 3)
    .map(([first = '']) => `${first}***`)
    .join(' ')
}

/** A payout method of the merchant's account (docs/payments-api.md, section 2.6). */
export type PayoutMethod = {
  /** Opaque: new codes appear without notice. */
  readonly code: string
  /** Upper-case currency code. */
  readonly currency: string
  /** ISO 3166 alpha-2 code; null if the code does not have the usual format. */
  readonly countryCode: string | null
  readonly kind: MethodKind
  readonly kindRaw: string
}

export type PayoutBank = { readonly code: string; readonly name: string; readonly shortName: string | null }

/** The required fields and limits of a payout method, and the banks that it reaches. */
export type PayoutMethodRequirements = MethodRequirements & { readonly banks: readonly PayoutBank[] }

/** Everything about a payout except its status and its payees. Values that the payments API has not reported are null. */
export type PayoutFacts = Omit<PayoutReport, 'id' | 'statusRaw' | 'status' | 'payees' | 'endpointUrl'> & {
  /** When the payments API accepted a cancellation that was requested here; null without one. */
  readonly cancelledAt: string | null
}

/** A report, and the instant of an accepted cancellation if it is the response to one. */
export type ReportedPayout = PayoutReport & { readonly cancelledAt?: string | undefined }

/** The facts of a payout before its first report. */
export const NOTHING_KNOWN: PayoutFacts = {
  totalAmount: null,
  totalRefund: null,
  failedTransactions: null,
  currency: null,
  methodCode: null,
  description: null,
  reference: null,
  scheduledAt: null,
  errorCode: null,
  errorMessage: null,
  transactions: [],
  cancelledAt: null,
}

/**
 * Returns the known facts with those of a report. Facts that the report omits, or only spells in another way, stay unchanged. An error
 * is that of a status: with another status it ends, unless the report repeats it.
 */
export function mergeFacts(known: PayoutFacts & { readonly statusRaw?: string }, said: ReportedPayout): PayoutFacts {
  const hasEnded = known.statusRaw !== said.statusRaw
  return {
    totalAmount: newerDecimal(known.totalAmount, said.totalAmount),
    totalRefund: newerDecimal(known.totalRefund, said.totalRefund),
    failedTransactions: said.failedTransactions ?? known.failedTransactions,
    currency: known.currency ?? said.currency,
    methodCode: known.methodCode ?? said.methodCode,
    description: said.description ?? known.description,
    reference: said.reference ?? known.reference,
    scheduledAt: said.scheduledAt ?? known.scheduledAt,
    errorCode: said.errorCode ?? (hasEnded ? null : known.errorCode),
    errorMessage: said.errorMessage ?? (hasEnded ? null : known.errorMessage),
    transactions: mergeTransactions(known.transactions, said.transactions),
    cancelledAt: known.cancelledAt ?? said.cancelledAt ?? null,
  }
}

/** Returns the known facts with those that are missing. */
export function filledIn(known: PayoutFacts, said: ReportedPayout): PayoutFacts {
  return {
    totalAmount: known.totalAmount ?? said.totalAmount,
    totalRefund: known.totalRefund ?? said.totalRefund,
    failedTransactions: known.failedTransactions ?? said.failedTransactions,
    currency: known.currency ?? said.currency,
    methodCode: known.methodCode ?? said.methodCode,
    description: known.description ?? said.description,
    reference: known.reference ?? said.reference,
    scheduledAt: known.scheduledAt ?? said.scheduledAt,
    errorCode: known.errorCode,
    errorMessage: known.errorMessage,
    transactions: fillTransactions(known.transactions, said.transactions),
    cancelledAt: known.cancelledAt,
  }
}

/** Returns all transactions, the known ones first, each with what the report says of it. */
function mergeTransactions(
  known: readonly PayoutTransaction[],
  said: readonly PayoutTransaction[],
): readonly PayoutTransaction[] {
  const reported = new Map(said.map((transaction) => [transaction.id, transaction]))
  const ids = new Set(known.map(({ id }) => id))
  const merged = known.map((transaction) => mergeTransaction(transaction, reported.get(transaction.id)))
  return [...merged, ...said.filter(({ id }) => !ids.has(id))]
}

function mergeTransaction(known: PayoutTransaction, said: PayoutTransaction | undefined): PayoutTransaction {
  if (said === undefined) return known
  const hasEnded = said.statusRaw !== null && said.statusRaw !== known.statusRaw
  return {
    id: known.id,
    amount: newerDecimal(known.amount, said.amount),
    statusRaw: said.statusRaw ?? known.statusRaw,
    errorMessage: said.errorMessage ?? (hasEnded ? null : known.errorMessage),
    createdAt: known.createdAt ?? said.createdAt,
  }
}

/** Returns the known transactions with their missing values and the missing transactions. */
function fillTransactions(
  known: readonly PayoutTransaction[],
  said: readonly PayoutTransaction[],
): readonly PayoutTransaction[] {
  const filled = known.map((transaction) => {
    const reported = said.find(({ id }) => id === transaction.id)
    return reported === undefined ? transaction : mergeTransaction(reported, transaction)
  })
  return mergeTransactions(
    filled,
    said.filter(({ id }) => filled.every((transaction) => transaction.id !== id)),
  )
}

/** Returns the new amount, in the known spelling if it is the same. */
function newerDecimal(known: string | null, said: string | null): string | null {
  return said === null || (known !== null && compareDecimals(known, said) === 0) ? known : said
}

export function sameFacts(state: PayoutFacts, facts: PayoutFacts): boolean {
  const [before, now] = [state.transactions, facts.transactions]
  return (
    PLAIN_KEYS.every((key) => state[key] === facts[key]) &&
    before.length === now.length &&
    before.every((transaction, index) => TRANSACTION_KEYS.every((key) => transaction[key] === now[index]?.[key]))
  )
}

/** Returns whether a known value would be replaced by another, in the batch or in one of its transactions, which are in the same order. */
export function replaces(state: PayoutFacts, facts: PayoutFacts): boolean {
  const isReplaced = <Value>(a: Value | null, b: Value | null | undefined): boolean => a !== null && a !== b
  return (
    PLAIN_KEYS.some((key) => isReplaced(state[key], facts[key])) ||
    state.transactions.some((transaction, index) =>
      TRANSACTION_KEYS.some((key) => isReplaced(transaction[key], facts.transactions[index]?.[key])),
    )
  )
}

const PLAIN_KEYS = [
  'totalAmount',
  'totalRefund',
  'failedTransactions',
  'currency',
  'methodCode',
  'description',
  'reference',
  'scheduledAt',
  'errorCode',
  'errorMessage',
  'cancelledAt',
] as const satisfies readonly (keyof PayoutFacts)[]
const TRANSACTION_KEYS = ['id', 'amount', 'statusRaw', 'errorMessage', 'createdAt'] as const
