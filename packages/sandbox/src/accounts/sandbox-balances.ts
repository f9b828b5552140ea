import { recordedAmount } from '../methods/methods.ts'
import { paidAmount, paymentMethod } from '../payments/payment-object.ts'
import { type Link, owedTotal, methodOf } from '../state/link.ts'
import { handledAmount, isUnderWay, type Payout } from '../state/payout.ts'
import { type Deposit } from '../state/sandbox-store.ts'
import type { SandboxStore, SandboxSite } from '../state/sandbox-store.ts'
import {
  addDecimals,
  compareDecimals,
  decimal,
  subtractDecimals,
  type Decimal,
  jsonNumber,
  parseDecimal,
} from '../values/decimal.ts'
import { Fields, type JsonObject, type Problems } from '../values/request-fields.ts'

/** The balance of a site in one currency (gap sheet, section 24). */
export type Balance = {
  readonly available: Decimal
  readonly incoming: Decimal
  readonly outgoing: Decimal
  readonly reserve: Decimal
  readonly withdrawable: Decimal
}

/**
 * Computes the balance from the opening balance, deposits, payments and payouts. A deposit counts as incoming and available
 * at once (docs/payments-api.md, section 4.8); a payment is incoming from its approval until the funds arrive. Money that a
 * refund or a payout has requested is outgoing and not available. Nothing is held in reserve.
 */
export function balanceOf(store: SandboxStore, siteId: string, currency: string): Balance {
  const payments = [...store.links.values()].filter(
    (link) => link.siteId === siteId && link.request.currency === currency,
  )
  const payouts = [...store.payouts.values()].filter(
    (payout) => payout.siteId === siteId && payout.currency === currency,
  )
  const deposits = store.deposits.filter((deposit) => deposit.siteId === siteId && deposit.currency === currency)
  const deposited = sum(deposits.map(({ amount }) => amount))
  const outgoing = addDecimals(sum(payments.map(refundUnderWay)), sum(payouts.filter(isUnderWay).map(handledAmount)))
  const gone = sum(payouts.filter(({ status }) => status === 'completed').map(handledAmount))
  const earned = addDecimals(addDecimals(store.openingBalance, deposited), sum(payments.map(keptAmount)))
  const available = subtractDecimals(subtractDecimals(earned, gone), outgoing)
  return {
    available,
    incoming: addDecimals(deposited, sum(payments.filter(isApproved).map(owedTotal))),
    outgoing,
    reserve: ZERO,
    withdrawable: compareDecimals(available, ZERO) > 0 ? available : ZERO,
  }
}

const ZERO = decimal('0')

function sum(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce(addDecimals, ZERO)
}

function isApproved({ payment }: Link): boolean {
  return payment?.status === 'authorised' || payment?.status === 'waiting'
}

/** The amount of a payment that was received and not paid back; 0 for a lost dispute (docs/payments-api.md, section 3.2). */
function keptAmount(link: Link): Decimal {
  const { payment } = link
  if (payment === undefined || payment.status === 'dispute_lost') return ZERO
  return subtractDecimals(paidAmount(link, payment.status), payment.refund?.refunded ?? ZERO)
}

function refundUnderWay({ payment }: Link): Decimal {
  if (payment?.status !== 'return_pending' || payment.refund === undefined) return ZERO
  return subtractDecimals(payment.refund.requested, payment.refund.refunded)
}

/** One movement of a balance. The names of the kinds are the sandbox's own, but for `payment` (gap sheet, section 24). */
type Movement = {
  readonly id: string
  readonly kind: 'payment' | 'refund' | 'payout' | 'top-up'
  readonly amount: Decimal
  readonly method: string | null
  readonly at: Date
}

/** Returns the movements of a site's balance in an interval, both ends inclusive, newest first. */
export function movementsOf(
  store: SandboxStore,
  siteId: string,
  { currency, from, to }: { currency: string; from: Date; to: Date },
): Movement[] {
  const deposits = store.deposits
    .filter((deposit) => deposit.siteId === siteId && deposit.currency === currency)
    .map(({ amount, at }, index): Movement => ({ id: `deposit${index + 1}`, kind: 'top-up', amount, method: null, at }))
  const links = [...store.links.values()].filter((link) => link.siteId === siteId && link.request.currency === currency)
  const payouts = [...store.payouts.values()].filter(
    (payout) => payout.siteId === siteId && payout.currency === currency,
  )
  return [...deposits, ...links.flatMap(ofPayment), ...payouts.flatMap(ofPayout)]
    .filter(({ at }) => at >= from && at <= to)
    .sort((one, other) => other.at.getTime() - one.at.getTime())
}

/** A movement as the payments API shows it (gap sheet, section 24). */
export function movementRecord({ id, kind, amount, method, at }: Movement, currency: string): object {
  const isIn = kind === 'payment' || kind === 'top-up'
  return {
    id: `txn_${id}`,
    amount: jsonNumber(amount),
    request_type: isIn ? 'money_in' : 'money_out',
    transaction_type: kind,
    currency,
    payment_method: method,
    status: 'done',
    reference_id: `ref_${id}`,
    balance_detail: {
      outgoing: jsonNumber(isIn ? ZERO : amount),
      total: jsonNumber(amount),
      fees: jsonNumber(ZERO),
    },
    created_at: at.toISOString(),
  }
}

function ofPayment(link: Link): Movement[] {
  const { payment } = link
  if (payment === undefined) return []
  const method = paymentMethod(methodOf(link))
  const received = payment.history.find(({ status }) => status === 'received')
  const returned = payment.history.findLast(
    ({ status }) => status === 'return_received' || status === 'partially_refunded',
  )
  return [
    ...(received === undefined
      ? []
      : [
          { id: payment.uuid, kind: 'payment', amount: paidAmount(link, 'received'), method, at: received.at } as const,
        ]),
    ...(returned === undefined || payment.refund === undefined
      ? []
      : [
          { id: `${payment.uuid}r`, kind: 'refund', amount: payment.refund.refunded, method, at: returned.at } as const,
        ]),
  ]
}

function ofPayout(payout: Payout): Movement[] {
  const completed = payout.history.find(({ status }) => status === 'completed')
  if (completed === undefined) return []
  const amount = handledAmount(payout)
  return [{ id: payout.uuid, kind: 'payout', amount, method: payout.request.methodCode, at: completed.at }]
}

/**
 * Validates the body of a simulated deposit (docs/payments-api.md, section 4.8). The deposit is in the site's first
 * currency.
 */
export function readDeposit(
  body: JsonObject,
  { currencies }: SandboxSite,
): { deposit: Pick<Deposit, 'currency' | 'accountNumber' | 'amount'> } | { problems: Problems } {
  const fields = new Fields(body)
  const currency = currencies[0] ?? ''
  for (const name of REMITTER) {
    const text = fields.optionalText(name)
    if (currency === 'JPY' && text !== undefined && !HALF_WIDTH_KATAKANA.test(text))
      fields.fail(name, 'must be in half-width katakana')
  }
  fields.optionalText('remarks')
  const accountNumber = fields.text('account_number')
  const amount = readAmount(fields, currency)
  return fields.isClean ? { deposit: { currency, accountNumber, amount } } : { problems: fields.problems }
}

/** Records a deposit. */
export function bookDeposit(
  store: SandboxStore,
  site: SandboxSite,
  deposit: Pick<Deposit, 'currency' | 'accountNumber' | 'amount'>,
): void {
  const amount = recordedAmount(deposit.amount, deposit.currency)
  store.deposits.push({ ...deposit, amount, siteId: site.id, at: store.clock.now() })
}

const REMITTER = ['remitter_name', 'remitter_bank_name', 'remitter_branch_name'] as const
/** With the other characters of bank files, and spaces between the parts of a name (gap sheet, section 13). */
const HALF_WIDTH_KATAKANA = /^(?! )(?=.*[\uff66-\uff9f])[\uff61-\uff9f0-9A-Z().,/ -]+(?<! )$/
const PLAIN = /^\d+(?:\.\d+)?$/

function readAmount(fields: Fields, currency: string): Decimal {
  const text = fields.text('amount')
  if (text === '') return ZERO
  const amount = PLAIN.test(text) ? parseDecimal(text) : undefined
  if (amount === undefined) fields.fail('amount', 'is not a decimal')
  else if (compareDecimals(amount, ZERO) <= 0) fields.fail('amount', 'must be greater than 0')
  else if (currency === 'JPY' && text.includes('.')) fields.fail('amount', 'must be in whole units')
  return amount ?? ZERO
}
