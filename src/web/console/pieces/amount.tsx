import { formatAmount } from '../../../client/index.ts'

export type AmountValue = { readonly value: string; readonly currency: string; readonly exponent: number }

/** An exact amount in the user's locale; a dash for none. */
export function Amount({ of }: { readonly of: AmountValue | null | undefined }) {
  return of === null || of === undefined ? <>–</> : <span class="amount">{amountText(of)}</span>
}

/** Returns an exact amount in the user's locale as text. */
export function amountText(amount: AmountValue): string {
  return formatAmount(amount, navigator.language)
}
