import type { ImportSpan } from '../../domain/imports/import-plan.ts'
import type { ImportedList } from '../../domain/imports/imported-lists.ts'
import type { PaymentReport } from '../../domain/payments/payment-report.ts'
import { newCorrelationId } from '../../keys/derived-secrets.ts'
import { erasureHashes, type KeyRing } from '../../keys/key-ring.ts'
import type { FoundEntries, FoundPayment, ErasureStore, Page, PageCursor, PayerErasure } from '../../store/port.ts'
import { spanQuery } from '../../upstream/client/exchange-checks.ts'
import type { Site } from '../../upstream/client/sites.ts'
import type { UpstreamClient } from '../../upstream/upstream-client.ts'

export type ListPageOptions = ErasedPayersOptions & {
  readonly upstream: Pick<UpstreamClient, 'listPayinLinks' | 'listPayins' | 'searchAgreements' | 'listPayouts'>
}

type Wanted = ImportSpan & { readonly list: ImportedList; readonly page: number }

type ListPage = { readonly found: FoundEntries; readonly totalPages: number | null }

/** Reads one page of a list of a site, without entries that are unreadable. Rejects with an `UpstreamFault`. */
export async function readListPage(
  options: ListPageOptions,
  site: Site,
  { list, page, ...span }: Wanted,
): Promise<ListPage> {
  const { upstream } = options
  switch (list) {
    case 'LINKS': {
      const { entries, totalPages } = await upstream.listPayinLinks(site, { ...spanQuery(span), page })
      return { found: { list, entries: await foundPayments(options, { site, isLink: true, entries }) }, totalPages }
    }
    case 'PAYINS': {
      const { entries, totalPages } = await upstream.listPayins(site, { ...span, page })
      return { found: { list, entries: await foundPayments(options, { site, isLink: false, entries }) }, totalPages }
    }
    case 'AGREEMENTS': {
      const { entries, totalPages, nextPage } = await upstream.searchAgreements(site, { ...span, page })
      const found = entries.map(({ report, endpointUrl }) => ({
        report,
        site: site.id,
        ref: refOf(endpointUrl),
        newRef: newCorrelationId(),
      }))
      return { found: { list, entries: found }, totalPages: totalPages ?? nextPage ?? page }
    }
    default: {
      const { payouts, totalPages } = await upstream.listPayouts(site, { ...span, page })
      const found = payouts.map((report) => ({
        report,
        site: site.id,
        ref: refOf(report.endpointUrl),
        newRef: newCorrelationId(),
      }))
      return { found: { list, entries: found }, totalPages }
    }
  }
}

type Listed = { readonly report: PaymentReport; readonly endpointUrl: string | null }

/** Returns payments with what their record depends on. */
export async function foundPayments(
  options: ErasedPayersOptions,
  { site, isLink, entries }: { readonly site: Site; readonly isLink: boolean; readonly entries: readonly Listed[] },
): Promise<FoundPayment[]> {
  const isErased = await findErasedPayers(
    options,
    entries.map(({ report }) => report),
  )
  return entries.map(({ report, endpointUrl }) => ({
    report,
    site: site.id,
    ref: refOf(endpointUrl),
    isLink,
    isPayerErased: isErased(report),
  }))
}

/** The form of a webhook URL that was made here, also under an earlier public address. */
const OWN_URL = /\/webhooks\/[a-z]+\/([\w-]{1,64})$/

/** Returns the correlation id in a webhook URL, which may be that of another program; null for any other URL. */
function refOf(endpointUrl: string | null): string | null {
  return OWN_URL.exec(endpointUrl ?? '')?.[1] ?? null
}

export type ErasedPayersOptions = {
  readonly erasures: Pick<ErasureStore, 'page'>
  readonly keys: KeyRing
}

/** Erasures that are read at a time. */
const ERASURES_AT_ONCE = 500

/**
 * Returns a function that tells whether the payer of a payment was erased by the e-mail address after the payment was made: then the
 * payments API still has the payer's data, and an import must not bring them back. A payment without a known time of creation counts as
 * made before. It finds erasures as long as the signing key of that time is listed.
 */
async function findErasedPayers(
  { erasures, keys }: ErasedPayersOptions,
  reports: readonly PaymentReport[],
): Promise<(report: PaymentReport) => boolean> {
  const hashes = new Map<string, readonly string[]>()
  for (const { payer } of reports)
    if (payer.email !== null) hashes.set(payer.email, erasureHashes(keys, 'EMAIL', payer.email))
  if (hashes.size === 0) return () => false
  const valueHashes = [...new Set([...hashes.values()].flat())]
  const found: PayerErasure[] = []
  let before: PageCursor | null = null
  do {
    const page: Page<PayerErasure> = await erasures.page({ limit: ERASURES_AT_ONCE, before }, { valueHashes })
    found.push(...page.rows)
    before = page.next
  } while (before !== null)
  return ({ payer, details: { createdAt } }) => {
    const own = payer.email === null ? [] : (hashes.get(payer.email) ?? [])
    return found.some(
      ({ valueHash, requestedAt }) => own.includes(valueHash) && (createdAt === null || createdAt <= requestedAt),
    )
  }
}
