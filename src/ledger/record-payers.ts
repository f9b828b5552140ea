/** Who pays: each field is null where the payments API has not told it. */
type PayerFields = Readonly<Record<string, string | null>>

/** Whether anything is told of a payer. */
export function isNamed(payer: PayerFields): boolean {
  return Object.values(payer).some((value) => value !== null)
}

/** The first payer, with what only the second tells. */
export function mergePayers<Payer extends PayerFields>(first: Payer, second: Payer | undefined): Payer {
  if (second === undefined) return first
  const fields = Object.entries(first).map(([name, value]) => [name, value ?? second[name] ?? null])
  return Object.fromEntries(fields) as Payer
}
