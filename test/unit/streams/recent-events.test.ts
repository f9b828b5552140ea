import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PaymentEvent } from '../../../src/domain/events/payment-event.ts'
import { createRecentEvents } from '../../../src/streams/tail.ts'

const STREAMS = ['link:a', 'link:b', 'payment:c']

function event(position: number, streamId: string): PaymentEvent {
  return {
    id: `${streamId}.${position}`,
    streamId,
    sequence: position,
    position,
    kind: 'PAYMENT_STATUS_CHANGED',
    source: 'WEBHOOK',
    requestedBy: null,
    fromStatus: null,
    toStatus: 'pending',
    linkRef: null,
    payment: null,
    agreement: null,
    payout: null,
    gatewayPayment: null,
    recordedAt: '2030-01-02T03:04:05.678Z',
  }
}

const batches = fc.array(
  fc.array(fc.record({ step: fc.integer({ min: 1, max: 3 }), stream: fc.constantFrom(...STREAMS) }), { maxLength: 7 }),
  { maxLength: 40 },
)

it('gives what a plain list of everything would give, as far back as it reaches', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.integer({ min: 1, max: 12 }), batches, (start, capacity, appends) => {
      const recent = createRecentEvents(start, capacity)
      const all: PaymentEvent[] = []
      let reach = start
      for (const batch of appends) {
        const events = batch.map(({ step, stream }) => event((reach += step), stream))
        all.push(...events)
        const before = recent.start
        recent.append(events)
        expect(recent.end).toBe(reach)
        expect(recent.start).toBeGreaterThanOrEqual(before)
        expectSame(recent, all, { from: start, to: reach })
        const kept = all.filter(({ position }) => position > recent.start).length
        expect(kept).toBeLessThanOrEqual(capacity)
        expect(kept).toBeGreaterThanOrEqual(Math.min(all.length, Math.ceil(capacity / 2)))
      }
    }),
    { numRuns: 300 },
  )
})

function expectSame(
  recent: ReturnType<typeof createRecentEvents>,
  all: readonly PaymentEvent[],
  range: { from: number; to: number },
): void {
  const isEven = ({ position }: PaymentEvent) => position % 2 === 0
  for (let position = Math.max(range.from - 1, recent.start); position <= range.to + 1; position++)
    for (const streamId of [null, ...STREAMS, 'link:unknown'])
      for (const matches of [undefined, isEven]) {
        const behind = all.filter((one) => one.position > position && (streamId === null || one.streamId === streamId))
        const expected = matches === undefined ? behind[0] : behind.find(matches)
        expect(recent.next(position, streamId, matches)?.id).toEqual(expected?.id)
      }
}

it('holds nothing of a list that is empty', () => {
  const recent = createRecentEvents(7, 10)
  expect([recent.start, recent.end, recent.next(7, null)]).toEqual([7, 7, null])
  recent.append([])
  expect(recent.end).toBe(7)
})
