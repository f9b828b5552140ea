import { exponentOf, withDecimals } from '../money/money.ts'
import type { DirectPayin } from '../payments/direct-payin.ts'
import type { PaymentLink } from '../payments/payment-link.ts'
import type { Payer } from '../payments/payment-report.ts'
import type { Payment } from '../payments/payment.ts'

/** A payment as a line of a file. Amounts are exact decimals in `currency`; null is what is not known. */
export type ExportedPayment = {
  /** Day in UTC on which the payments API created it, as `2026-11-24`. */
  readonly day: string | null
  readonly currency: string
  /** As the payments API spells it. */
  readonly method: string | null
  readonly amount: string
  /** Amount with fees. */
  readonly total: string | null
  readonly paid: string | null
  readonly refunded: string | null
  readonly id: string
  readonly reference: string | null
  readonly site: string | null
  readonly link: string | null
  readonly owner: string | null
  readonly description: string | null
  readonly phase: string
  readonly status: string
  readonly createdAt: string | null
  readonly updatedAt: string
  /** Only in a file that has who paid. */
  readonly payerName?: string | null
  readonly payerEmail?: string | null
}

/** Whether a file has who paid: not at all, in clear text, or only that it is known. */
export type ExportedPayers = 'absent' | 'shown' | 'masked'

type RelatedRows = {
  readonly link: PaymentLink | null
  /** The direct payin that the payment was made by. */
  readonly payin: DirectPayin | null
  readonly payer: Payer | null
}

/** Stands for a name or an e-mail address that is known, and not to be shown. */
const MASK = '***'

/** Returns the line of a payment. Throws `TypeError` for a payment whose amount is not known, which lists do not have. */
export function exportedPayment(
  { id, details, phase, statusRaw, updatedAt }: Payment,
  { link, payin, payer }: RelatedRows,
  payers: ExportedPayers,
): ExportedPayment {
  const { currency, amount, total, paid, refunded, methodRaw, createdAt } = details
  if (currency === null || amount === null) throw new TypeError('A payment without an amount was exported.')
  const shown = (value: string) => withDecimals(value, exponentOf(currency))
  const known = (value: string | null) => (value === null ? null : shown(value))
  return {
    day: createdAt?.slice(0, 'YYYY-MM-DD'.length) ?? null,
    currency,
    method: methodRaw,
    amount: shown(amount),
    total: known(total),
    paid: known(paid),
    refunded: known(refunded),
    id,
    reference: link?.reference ?? payin?.reference ?? details.reference,
    site: link?.site ?? payin?.site ?? null,
    link: link?.id ?? null,
    owner: link?.ownerId ?? null,
    description: link?.description ?? null,
    phase,
    status: statusRaw,
    createdAt,
    updatedAt,
    ...payerOf(payer, payers),
  }
}

function payerOf(payer: Payer | null, payers: ExportedPayers): Pick<ExportedPayment, 'payerName' | 'payerEmail'> {
  if (payers === 'absent') return {}
  const [name, email] = [payer?.name ?? null, payer?.email ?? null]
  if (payers === 'shown') return { payerName: name, payerEmail: email }
  return { payerName: name === null ? null : MASK, payerEmail: email === null ? null : MASK }
}
