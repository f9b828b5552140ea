import { expect, it } from 'vitest'
import type { PaymentReport } from '../../../src/domain/payments/payment-report.ts'
import { after, delivery, events, MINUTE, present, report, settledLink } from './builders.ts'
import type { Fixture } from './store-contract.ts'

const HOW = {
  at: after(MINUTE),
  parse: {
    payment: (body: string) => (JSON.parse(body) as { said: PaymentReport | null }).said,
    agreement: () => null,
  },
}

export function bulkReplaysContract({ store }: Fixture): void {
  const begin = (dryRun: boolean) =>
    store.replays.begin({
      filter: { dispositions: ['QUARANTINED'], refKinds: ['link'], receivedFrom: after(-MINUTE) },
      dryRun,
      requestedBy: 'ops',
      requestedAt: after(0),
    })

  it('finds the deliveries of its filter, applies each once, and ends at the last one of its beginning', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive(delivery(report('pending'), { ref: 'a' }))
    await store.inbox.receive({ ...delivery(report('received'), { ref: 'a' }), report: null })
    const begun = await begin(false)
    if (begun.kind === 'too-many') throw new Error('There are too many.')
    const { replay } = begun
    expect(await begin(false)).toEqual({ kind: 'running', replay })
    const { deliveries, place } = await store.replays.next(replay)
    expect(deliveries).toHaveLength(1)
    const one = present(deliveries[0])
    const lease = present(await store.leases.take('reader', 'me', { now: after(0), until: after(MINUTE) }))
    expect(await store.replays.replayNext(replay.number, one, HOW, lease)).toMatchObject({ after: 'APPLIED' })
    // As after a restart: it is behind the place.
    expect(await store.replays.replayNext(replay.number, one, HOW, lease)).toBeNull()
    await store.replays.note(replay.number, one, null)
    const left = present(await store.replays.leave(replay.number, place, after(MINUTE)))
    expect(left).toMatchObject({ doneAt: after(MINUTE).getTime(), report: { matched: 1, changed: 1, failed: 0 } })
    expect(await store.replays.byNumber(replay.number)).toEqual(left)
    expect((await events(store)).map(({ requestedBy }) => requestedBy)).toEqual(['back-office', null, 'ops'])
    expect(await store.replays.running()).toEqual([])
  })

  it('changes nothing once it is cancelled', async () => {
    await settledLink(store, 'a')
    await store.inbox.receive({ ...delivery(report('received'), { ref: 'a' }), report: null })
    const begun = await begin(false)
    if (begun.kind === 'too-many') throw new Error('There are too many.')
    const one = present((await store.replays.next(begun.replay)).deliveries[0])
    const cancelled = await store.replays.cancel(begun.replay.number, after(MINUTE))
    expect(cancelled).toMatchObject({ cancelled: true, doneAt: after(MINUTE).getTime() })
    const lease = present(await store.leases.take('reader', 'me', { now: after(0), until: after(MINUTE) }))
    expect(await store.replays.replayNext(begun.replay.number, one, HOW, lease)).toBeNull()
    expect(await store.inbox.byIds([one.id])).toMatchObject([{ disposition: 'QUARANTINED' }])
    expect(await store.replays.cancel(begun.replay.number, after(2 * MINUTE))).toEqual(cancelled)
    expect(await store.replays.cancel(999, after(0))).toBeNull()
  })
}
