import type { ListPlace, PaymentImport } from '../../../src/domain/imports/import-plan.ts'
import type { ImportPart } from '../../../src/domain/imports/imported-lists.ts'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { FoundPayment, Lease, NewImport } from '../../../src/store/port.ts'
import { after, MINUTE, NOW, present, report } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const HALF_A_DAY = 12 * 60 * MINUTE
export const PAYINS: ImportPart = { site: 'au', list: 'PAYINS' }
export const LINKS: ImportPart = { site: 'au', list: 'LINKS' }

/** Returns a request for an import of a day. */
export function request(parts: readonly ImportPart[], over: Partial<NewImport> = {}): NewImport {
  return {
    plan: { from: NOW.getTime() - HALF_A_DAY, to: NOW.getTime() + HALF_A_DAY, parts },
    dryRun: false,
    daily: false,
    requestedBy: 'operator-1',
    requestedAt: NOW,
    ...over,
  }
}

/** Returns a payment that was found. */
export function found(said: PaymentReport, over: Partial<FoundPayment> = {}): FoundPayment {
  return { report: said, site: 'au', ref: null, isLink: false, isPayerErased: false, ...over }
}

type Recorded = { readonly totalPages?: number; readonly list?: 'PAYINS' | 'LINKS'; readonly held?: Lease }

export const received = (paymentId: string, parts: Parameters<typeof report>[1] = {}) =>
  report('received', { paymentId, ...parts })

/** Returns what the contracts of imports do with a store. */
export function importing(fixture: Fixture) {
  const lease = async (owner = 'a', ms = 0): Promise<Lease> =>
    present(await fixture.store.leases.take('reader', owner, { now: after(ms), until: after(ms + MINUTE) }))

  const begin = async (parts: readonly ImportPart[], over: Partial<NewImport> = {}): Promise<PaymentImport> => {
    const begun = await fixture.store.imports.begin(request(parts, over))
    if (begun.kind === 'too-many') throw new Error('Too many imports are running.')
    return begun.import
  }

  const current = async ({ number }: PaymentImport) => present(await fixture.store.imports.byNumber(number))

  const placeOf = async (running: PaymentImport): Promise<ListPlace> => {
    const place = (await current(running)).places.find(({ kind }) => kind !== 'DONE')
    if (place?.kind !== 'LIST') throw new Error('The import has read its lists.')
    return place
  }

  /** Records a page of payments. Returns the first report. */
  const record = async (
    running: PaymentImport,
    entries: readonly FoundPayment[],
    { totalPages = 1, list = 'PAYINS', held }: Recorded = {},
  ) => {
    const page = {
      number: running.number,
      place: await placeOf(running),
      found: { list, entries },
      totalPages,
      at: after(MINUTE),
    }
    await fixture.store.imports.record(page, held ?? (await lease()))
    return present((await current(running)).reports[0])
  }

  return { lease, begin, current, placeOf, record }
}
