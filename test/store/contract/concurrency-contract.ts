import { expect, it } from 'vitest'
import { command, delivery, events, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

export function concurrencyContract({ store }: Fixture): void {
  it('stores one row and one event for 50 copies that come at once', async () => {
    const same = delivery(report('received'))
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => store.inbox.receive(same)))

    expect(outcomes.filter(({ repeat }) => !repeat)).toHaveLength(1)
    expect((await store.inbox.page({ limit: 10, before: null }, {})).rows).toMatchObject([{ attempts: 50 }])
    expect(await events(store)).toHaveLength(1)
  })

  it('gives 200 webhooks that come at once one event each, in one order, without holes in any stream', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        store.inbox.receive(
          delivery(report(n % 2 === 0 ? 'pending' : 'received', { paymentId: `P${n >> 1}` }), {
            ref: `r${(n % 40) >> 1}`,
          }),
        ),
      ),
    )
    expect(outcomes.every(({ disposition }) => disposition === 'APPLIED')).toBe(true)
    const log = await events(store)
    expect(log.map(({ position }) => position)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
    for (const ofStream of Map.groupBy(log, (event) => event.streamId).values()) {
      const sequences = ofStream.map(({ sequence }) => sequence)
      expect(sequences).toEqual(sequences.map((_, index) => index + 1))
    }
    expect(await store.log.head()).toBe(200)
  })

  it('lets one of many writers have a key, and gives the others what it recorded', async () => {
    const begun = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.commands.begin(command(`ref-${n}`, { key: 'one' }))),
    )
    expect(begun.filter(({ fresh }) => fresh)).toHaveLength(1)
    expect(new Set(begun.map(({ command: held }) => held.id)).size).toBe(1)
    expect(await store.inbox.knowsRef('ref-1', ['link'])).toBe(false)
  })

  it('gives a key to the next command at the moment in which another one is forgotten', async () => {
    const { command: forgotten } = await store.commands.begin(command('first', { key: 'one' }))
    const [, begun] = await Promise.all([
      store.commands.forget(forgotten.id),
      store.commands.begin(command('second', { key: 'one' })),
    ])
    expect(begun).toMatchObject({ fresh: true, command: { ref: 'second' } })
    expect(await store.commands.find(begun.command)).toMatchObject({ id: begun.command.id })
  })

  it('shows a reader everything that was acknowledged to it, and all of one moment', async () => {
    const { id } = await settledLink(store, 'a')
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        await store.inbox.receive(delivery(report('pending', { details: { methodRaw: `method-${n}` } }), { ref: 'a' }))
        const snapshot = await store.links.snapshot(id)
        const upToHead = (await store.log.read(0, snapshot?.head ?? 1)).events
        const last = upToHead.findLast(({ payment }) => payment !== null)
        expect(snapshot?.payment?.version).toBe(last?.payment?.version)
      }),
    )
  })
}
