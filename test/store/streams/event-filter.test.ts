import { describe, expect, it } from 'vitest'
import type { EventFilter } from '../../../src/store/port.ts'
import { eventMatcher } from '../../../src/streams/stream-item.ts'
import { events, settledLink } from '../contract/builders.ts'
import { append, openStore } from './log.ts'

const FILTERS: EventFilter[] = [
  {},
  { paymentIds: ['P0'] },
  { paymentIds: ['P0', 'P1'] },
  { paymentIds: [] },
  { paymentIds: ['unknown'] },
  { linkIds: ['LINK-a'] },
  { linkIds: [] },
  { kinds: ['LINK_CREATED'] },
  { kinds: ['PAYMENT_STATUS_CHANGED', 'LINK_CREATED'] },
  { kinds: [] },
  { paymentIds: ['P0'], kinds: ['LINK_CREATED'] },
  { paymentIds: ['P0'], kinds: ['PAYMENT_STATUS_CHANGED'] },
  { paymentIds: ['P0'], linkIds: ['LINK-a'] },
]

describe('a filter in memory', () => {
  it('lets through exactly what the store lets through', async () => {
    const store = await openStore()
    await settledLink(store, 'a')
    await settledLink(store, 'b')
    for (const paymentId of ['P0', 'P1', 'P0', 'P2']) await append(store, paymentId)
    const all = await events(store)
    for (const filter of FILTERS) {
      const refs = filter.linkIds?.map((id) => id.replace('LINK-', '')) ?? null
      const given = all.filter(eventMatcher(filter, refs))
      expect({ filter, given }).toEqual({ filter, given: (await store.log.read(0, 100, filter)).events })
    }
  })
})
