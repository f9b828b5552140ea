import { array, asyncDefaultReportMessage, asyncProperty, check, constantFrom, nat, record } from 'fast-check'
import { expect, it } from 'vitest'
import { PAYMENT_STATUSES } from '../../../src/domain/payments/payment-report.ts'
import type { Store } from '../../../src/ledger/store.ts'
import { newSeed } from '../../faults/random.ts'
import { after, command, delivery, events, link, report } from './builders.ts'
import type { Fixture, OpenStore } from './store-contract.ts'

/** One action; actions with equal numbers have equal bytes. */
const fact = record({
  act: constantFrom('deliver', 'deliver', 'deliver', 'deliver', 'misread', 'begin', 'link'),
  payment: nat(3),
  /** Null, or the correlation id of one of two links. */
  ref: constantFrom(null, null, 'a', 'b'),
  status: constantFrom(...PAYMENT_STATUSES, 'quite_new'),
  bytes: nat(1),
})

type Fact = typeof fact extends { generate: (...parameters: never[]) => { value: infer Value } } ? Value : never

export function batchesContract(fixture: Fixture, open: OpenStore): void {
  it('leave what the same facts leave one after the other', async () => {
    const seed = newSeed()
    const property = asyncProperty(array(fact, { minLength: 2, maxLength: 40 }), async (facts) => {
      const [together, apart] = [await open(() => fixture.now), await open(() => fixture.now)]
      try {
        const ofBatch = await Promise.all(facts.map((one, index) => tell(together.store, one, index)))
        const oneByOne: unknown[] = []
        for (const [index, one] of facts.entries()) oneByOne.push(await tell(apart.store, one, index))
        expect(ofBatch).toEqual(oneByOne)
        expect(await everything(together.store)).toEqual(await everything(apart.store))
      } finally {
        await together.destroy()
        await apart.destroy()
      }
    })
    const result = await check(property, { seed, numRuns: fixture.histories })
    // The report contains the seed: TEST_SEED repeats the run.
    expect(result.failed ? await asyncDefaultReportMessage(result) : null).toBeNull()
  }, 240_000)
}

/** Returns the outcome of an action, or its error's name and message. */
async function tell(store: Store, { act, payment, ref, status, bytes }: Fact, index: number): Promise<unknown> {
  const address = ref ?? 'a'
  if (act === 'begin') return store.commands.begin(command(address, { id: `C-${address}` })).catch(nameOf)
  if (act === 'link') return store.commands.settleWithLink(`C-${address}`, link(address), after(index)).catch(nameOf)
  const said = act === 'misread' ? null : report(status, { paymentId: `P${payment}` })
  return store.inbox.receive(delivery(said, { ref, bytes: String(bytes), receivedAt: after(index) }))
}

function nameOf(error: unknown): unknown {
  return error instanceof Error ? `${error.name}: ${error.message}` : error
}

async function everything(store: Store) {
  const ids = [0, 1, 2, 3].map((number) => `P${number}`)
  return {
    log: await events(store),
    deliveries: (await store.inbox.page({ limit: 100, before: null }, {})).rows,
    subjects: await Promise.all([...ids, 'LINK-a', 'LINK-b'].map((id) => store.reads.subject(id))),
    commands: await Promise.all(['a', 'b'].map((ref) => store.commands.find(command(ref)))),
  }
}
