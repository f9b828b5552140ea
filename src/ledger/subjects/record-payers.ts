import type { Table } from '../../store/rows/table.ts'

/** A payer; fields that the payments API has not reported are null. */
type PayerFields = Readonly<Record<string, string | null>>

/** Returns whether a payer has any field. */
export function isNamed(payer: PayerFields): boolean {
  return Object.values(payer).some((value) => value !== null)
}

type PayerRow<Payer> = { readonly id: string; readonly payer: Payer; readonly erased: boolean }

/** Records the payer of a payment or an agreement, unless it was erased; fields that are not reported are unchanged. */
export function savePayer<Payer extends PayerFields>(
  payers: Pick<Table<PayerRow<Payer>, 'id'>, 'first' | 'put'>,
  { id, payer }: { readonly id: string; readonly payer: Payer },
): void {
  if (!isNamed(payer)) return
  const known = payers.first('id', id)
  if (known?.erased === true) return
  payers.put({ id, payer: mergePayers(payer, known?.payer), erased: false })
}

/** Returns the first payer, with missing fields from the second. */
export function mergePayers<Payer extends PayerFields>(first: Payer, second: Payer | undefined): Payer {
  if (second === undefined) return first
  const fields = Object.entries(first).map(([name, value]) => [name, value ?? second[name] ?? null])
  return Object.fromEntries(fields) as Payer
}
