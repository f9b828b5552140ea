import { onTestFinished } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payment-report.ts'
import { createLogger } from '../../../src/log.ts'
import { paymentReadsFrom } from '../../../src/reconcile/payment-reads.ts'
import { createReader, type Reader, type ReaderOptions } from '../../../src/reconcile/reader.ts'
import type { ReadStore, ReadSubject, Store } from '../../../src/store/store.ts'
import { delivery, NOW, present, report } from '../../contract/store/builders.ts'
import { openSqliteFixture } from '../../contract/store/sqlite-fixture.ts'

export const SECOND = 1_000
/** Longer than any test. */
export const NEVER_MS = 600_000

export type World = {
  readonly store: Store
  readonly reader: Reader<ReadSubject>
  /** Ids of the subjects that the service was asked about. */
  readonly asked: string[]
  now: Date
  /** What the service says. */
  answer: (subject: ReadSubject) => Promise<PaymentReport>
}

/** A reader of a real store, both of which end with the test. */
type Parts = Partial<Omit<ReaderOptions<ReadSubject>, 'source'>> & { readonly reads?: ReadStore }

export async function setUp(parts: (store: Store) => Parts = () => ({})): Promise<World> {
  const { store, destroy } = await openSqliteFixture()
  const asked: string[] = []
  const world: Omit<World, 'reader'> = { store, asked, now: NOW, answer: async () => report('failed') }
  const { reads = store.reads, ...options } = parts(store)
  const answer = async (subject: ReadSubject) => {
    asked.push(subject.paymentId ?? subject.link?.id ?? '')
    return world.answer(subject)
  }
  const reader = createReader({
    source: paymentReadsFrom({ reads, ask: answer, clock: () => world.now }),
    logger: createLogger({ level: 'silent' }),
    clock: () => world.now,
    paceMs: 1,
    ...options,
  })
  onTestFinished(async () => {
    await reader.close()
    await destroy()
  })
  return Object.assign(world, { reader })
}

/** A payment whose webhook asks for a read, at an instant. */
export async function doubt({ store }: World, paymentId = 'PAY1', receivedAt = NOW): Promise<void> {
  await store.inbox.receive(delivery(report('failed', { paymentId }), { receivedAt }))
}

export async function readAll({ reader }: World): Promise<void> {
  reader.wake()
  await reader.idle()
}

export async function subjectOf({ store }: World, id = 'PAY1'): Promise<ReadSubject> {
  return present(await store.reads.subject(id))
}
