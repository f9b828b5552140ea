/** A payer; fields that the payments API has not reported are null. */
type PayerFields = Readonly<Record<string, string | null>>

/** Returns whether a payer has any field. */
export function isNamed(payer: PayerFields): boolean {
  return Object.values(payer).some((value) => value !== null)
}

/** Returns the first payer, with missing fields from the second. */
export function mergePayers<Payer extends PayerFields>(first: Payer, second: Payer | undefined): Payer {
  if (second === undefined) return first
  const fields = Object.entries(first).map(([name, value]) => [name, value ?? second[name] ?? null])
  return Object.fromEntries(fields) as Payer
}
