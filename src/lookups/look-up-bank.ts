import { checkVietQr } from '../domain/accounts/vietqr.ts'
import type { Sites } from '../upstream/client/sites.ts'
import type { UpstreamClient } from '../upstream/client/upstream-client.ts'
import type { BankAccount } from '../upstream/wire/wire-accounts.ts'
import { type QrFailure, type ReadFailure, faultOf, readFailure } from './operation-outcome.ts'

export type BankLookupOutcome = { readonly kind: 'done'; readonly account: BankAccount } | QrFailure | ReadFailure

/**
 * Looks up the account behind a VietQR payload. The payload is validated first; an invalid one is not sent (docs/payments-api.md,
 * section 4.7).
 */
export async function lookUpBank(
  { upstream, sites }: { upstream: Pick<UpstreamClient, 'lookupBankByQr'>; sites: Sites },
  qrContent: string,
): Promise<BankLookupOutcome> {
  const checked = checkVietQr(qrContent)
  if (!checked.ok) return { kind: 'invalid-qr', position: checked.position, message: checked.message }
  const site = sites.forCurrency('VND')
  if (site === null) return { kind: 'upstream-unavailable', retryAfterSeconds: null }
  try {
    return { kind: 'done', account: await upstream.lookupBankByQr(site, qrContent) }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return readFailure(fault, site.id)
  }
}
