import { onTestFinished } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import { createReader, type DueReader } from '../../../src/reconciliation/due-reader.ts'
import { createReadBudget, type ReadBudget } from '../../../src/reconciliation/read-budget.ts'
import type { ReadResult } from '../../../src/reconciliation/single-flight-reader.ts'
import { createReadables } from '../../../src/reconciliation/subject-readers.ts'
import type { ReadOutcome, ReadSubject } from '../../../src/store/port.ts'
import { createSites, type Site } from '../../../src/upstream/client/sites.ts'
import type { VirtualTime } from '../../support/virtual-time.ts'
import { delivery, NOW, present, report } from '../contract/builders.ts'
import { openStoreInVirtualTime } from './virtual-store.ts'

export const SECOND = 1_000

const SITES = createSites([
  { id: 'au', appId: 'app-au', secretKey: 'key-au', currencies: ['AUD'] },
  { id: 'jp', appId: 'app-jp', secretKey: 'key-jp', currencies: ['JPY'] },
])

export type ReaderFixture = {
  readonly store: Store
  readonly reader: DueReader
  /** Reads one subject for a waiting caller. */
  readonly readPayment: (subject: ReadSubject) => Promise<ReadResult>
  readonly budget: ReadBudget
  readonly time: VirtualTime
  /** Ids of the payments or links that were read at the payments API. */
  readonly asked: string[]
  /** The reads at the payments API, each with the site of its credentials and its time in virtual milliseconds since the start. */
  readonly asks: { readonly id: string; readonly site: string; readonly at: number }[]
  readonly outcomes: (ReadOutcome | 'failed')[]
  /** Returns the report of the payments API. */
  answer: (id: string, site: Site) => Promise<PaymentReport>
  leads: boolean
}

type Parts = {
  /** Replaces the store's own reads. */
  readonly reads?: (store: Store) => Store['reads']
  /** Reads per second of one site; the default is so high that no test has to wait. */
  readonly perSecond?: number
}

/** Creates a reader of a real store, with virtual time. Both end with the test. */
export async function setUp(parts: Parts = {}): Promise<ReaderFixture> {
  const { reads = (store: Store) => store.reads, perSecond = 100_000 } = parts
  const { store, time, destroy } = await openStoreInVirtualTime()
  const logger = createLogger({ level: 'silent' })
  const lease = present(await store.leases.take('reader', 'test', { now: NOW, until: NOW }))
  const leader = { lease: () => (fixture.leads ? lease : null), lost: () => void (fixture.leads = false) }
  const budget = createReadBudget({ store, leader, timer: time.timer, logger, perSecond })
  const fixture: Omit<ReaderFixture, 'reader' | 'readPayment'> = {
    store,
    budget,
    time,
    asked: [],
    asks: [],
    outcomes: [],
    answer: async (paymentId) => report('failed', { paymentId }),
    leads: true,
  }
  const ask = async (site: Site, id: string) => {
    fixture.asked.push(id)
    fixture.asks.push({ id, site: site.id, at: time.elapsed() })
    return fixture.answer(id, site)
  }
  const upstream = { getPayin: ask, getPayinLink: ask, searchAgreements: neverAsked, getPayout: neverAsked }
  const readStore = reads(store)
  const readables = createReadables({
    store: { ...store, reads: readStore },
    upstream,
    sites: SITES,
    clock: time.clock,
  })
  const reader = createReader({
    ...readables,
    reads: readStore,
    budget,
    logger,
    clock: time.clock,
    timer: time.timer,
    leader,
    onRead: (outcome) => fixture.outcomes.push(outcome),
  })
  onTestFinished(async () => {
    budget.close()
    await reader.close()
    await destroy()
  })
  return Object.assign(fixture, {
    reader,
    readPayment: (subject: ReadSubject) => reader.read(readables.ofPayment(subject)),
  })
}

/** Never called: these tests are about payments. */
function neverAsked(): never {
  throw new Error('Something other than a payment was read.')
}

/** Stores a payment whose webhook requires a read, at an instant. */
export async function doubt(
  { store }: Pick<ReaderFixture, 'store'>,
  paymentId = 'PAY1',
  { receivedAt = NOW, currency = 'AUD' }: { receivedAt?: Date; currency?: string } = {},
): Promise<void> {
  await store.inbox.receive(delivery(report('failed', { paymentId, details: { currency } }), { receivedAt }))
}

/** Wakes the reader, and advances time until the reader is idle. */
export async function readAll({ reader, time }: ReaderFixture): Promise<void> {
  reader.wake()
  let idle = false
  void reader.idle().then(() => (idle = true))
  await time.passUntil(() => idle, 60 * SECOND)
}

/** Reads one subject for a waiting caller, and advances time until there is a result. */
export async function readNow({ readPayment, time }: ReaderFixture, subject: ReadSubject): Promise<ReadResult> {
  let result: ReadResult | null = null
  void readPayment(subject).then((answer) => (result = answer))
  await time.passUntil(() => result !== null, 60 * SECOND)
  return present<ReadResult>(result)
}

export async function subjectOf({ store }: Pick<ReaderFixture, 'store'>, id = 'PAY1'): Promise<ReadSubject> {
  return present(await store.reads.subject(id))
}
