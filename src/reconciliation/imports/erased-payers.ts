import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import { erasureHashes } from '../../keys/erasure-hash.ts'
import type { KeyRing } from '../../keys/key-ring.ts'
import type { ErasureStore } from '../../store/store.ts'

export type ErasedPayersOptions = {
  readonly erasures: Pick<ErasureStore, 'page'>
  readonly keys: KeyRing
}

/** Erasures of the addresses of one page of a list that are looked at, newest first. */
const MOST_ERASURES = 500

/**
 * Returns a function that tells whether the payer of a payment was erased by the e-mail address after the payment was made: then the
 * payments API still has the payer's data, and an import must not bring them back. A payment without a known time of creation counts as
 * made before. It finds erasures as long as the signing key of that time is listed.
 */
export async function findErasedPayers(
  { erasures, keys }: ErasedPayersOptions,
  reports: readonly PaymentReport[],
): Promise<(report: PaymentReport) => boolean> {
  const hashes = new Map<string, readonly string[]>()
  for (const { payer } of reports)
    if (payer.email !== null) hashes.set(payer.email, erasureHashes(keys, 'EMAIL', payer.email))
  if (hashes.size === 0) return () => false
  const found = await erasures.page(
    { limit: MOST_ERASURES, before: null },
    { valueHashes: [...new Set([...hashes.values()].flat())] },
  )
  return ({ payer, details: { createdAt } }) => {
    const own = payer.email === null ? [] : (hashes.get(payer.email) ?? [])
    return found.some(
      ({ valueHash, requestedAt }) => own.includes(valueHash) && (createdAt === null || createdAt <= requestedAt),
    )
  }
}
