import { describe, expect, it } from 'vitest'
import type { PaymentReport } from '../../src/domain/payments/payment-report.ts'
import { delivery, events, paymentOf, report } from '../store/contract/builders.ts'
import { readAll, SECOND, setUp, subjectOf, type ReaderFixture } from '../store/reconciliation/reader-fixture.ts'
import { pollAt } from '../support/due-reads.ts'

/** The steps: a read is sent, and answered with the status at the time it was sent; two webhooks arrive. */
type Step = 'sent' | 'answered' | 'first webhook' | 'second webhook'

const READ: readonly Step[] = ['sent', 'answered']
const WEBHOOKS: readonly Step[] = ['first webhook', 'second webhook']

/** Returns every interleaving of two sequences. */
function interleavings(a: readonly Step[], b: readonly Step[]): Step[][] {
  const [[nextA, ...restA], [nextB, ...restB]] = [a, b]
  if (nextA === undefined || nextB === undefined) return [[...a, ...b]]
  return [
    ...interleavings(restA, b).map((rest) => [nextA].concat(rest)),
    ...interleavings(a, restB).map((rest) => [nextB].concat(rest)),
  ]
}

/** The status at first, from the first webhook on, and from the second on. */
const TRUTHS = [
  ['failed', 'pending', 'received'],
  ['expired', 'authorised', 'received'],
  ['received', 'return_pending', 'return_rejected'],
  ['received', 'in_dispute', 'return_received'],
] as const

const ORDERS = interleavings(READ, WEBHOOKS)

// promise(facts): An answer to a read never overwrites a webhook or newer answer that arrived meanwhile.
it('there are six orders', () => {
  expect(new Set(ORDERS.map((order) => order.join())).size).toBe(6)
})

describe.each(TRUTHS)('a payment that is %s, then %s, then %s', (...truth) => {
  describe.each(['person', 'plan'] as const)('and is read for a %s', (reason) => {
    it.each(ORDERS.map((order) => [order.join(', '), order] as const))(
      '%s: never shows the older one',
      async (_, order) => {
        const fixture = await setUp()
        await play(fixture, { truth, order, reason })
        const shown = (await events(fixture.store)).map(({ toStatus }) =>
          truth.findIndex((status) => status === toStatus),
        )
        expect(shown).toEqual(shown.toSorted((a, b) => a - b))
        expect(await paymentOf(fixture.store)).toMatchObject({ statusRaw: truth[2], provisional: false })
      },
    )
  })
})

type Play = {
  readonly truth: readonly [string, string, string]
  readonly order: readonly Step[]
  readonly reason: 'person' | 'plan'
}

/** Runs the steps in this order, and the reader until nothing is due. */
async function play(fixture: ReaderFixture, { truth, order, reason }: Play): Promise<void> {
  let now = truth[0]
  let waiting = false
  const tell = (status: string) => {
    now = status
    return fixture.store.inbox.receive(delivery(report(status), { receivedAt: fixture.time.clock() }))
  }
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>()
  fixture.answer = async (): Promise<PaymentReport> => {
    const snapshot = report(now)
    if (fixture.asked.length === 1) await mayAnswer
    return snapshot
  }
  const steps: Record<Step, () => Promise<unknown>> = {
    sent: async () => {
      if (reason === 'plan') fixture.reader.wake()
      else {
        waiting = true
        void fixture.readPayment(await subjectOf(fixture)).finally(() => (waiting = false))
      }
      await fixture.time.passUntil(() => fixture.asked.length === 1, 60 * SECOND)
    },
    answered: async () => {
      answer()
      await fixture.time.pass(1)
    },
    'first webhook': () => tell(truth[1]),
    'second webhook': () => tell(truth[2]),
  }

  await tell(truth[0])
  await pollAt(fixture.store.reads, 'PAY1', fixture.time.clock())
  for (const step of order) {
    await steps[step]()
    await fixture.time.pass(1)
  }
  await fixture.time.passUntil(() => !waiting, 60 * SECOND)
  await readAll(fixture)
}
