import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LeaseLostError } from '../../../src/store/store-errors.ts'
import type { PaceStore, SlotRequest, Store } from '../../../src/store/store.ts'
import { after, MINUTE, NOW, present } from '../../store/contract/builders.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { openPostgresStore } from '../../support/store.ts'

const server = await findPostgres()
const NODES = 3
const SECOND = 1_000
const START = NOW.getTime()

describe.skipIf(server === null)('the rate of a site that several nodes share', () => {
  let database: Database
  let nodes: Store[]

  beforeAll(async () => {
    if (server !== null) database = await server.createDatabase()
  })
  beforeEach(async () => {
    nodes = await Promise.all(Array.from({ length: NODES }, () => openPostgresStore({ url: database.url })))
  })
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    await database.run('DELETE FROM read_paces; DELETE FROM leases')
  })
  afterAll(() => database?.drop())

  const pacesOf = (index: number): PaceStore => present(present(nodes[index % NODES]).paces)
  const take = (index: number, request: Partial<SlotRequest> = {}, site = 'au') =>
    pacesOf(index).take(site, {
      now: START,
      perSecond: 2,
      answers: 0,
      answeredAt: 0,
      aheadMs: Infinity,
      lease: null,
      ...request,
    })

  it('is two in any second, whichever nodes take them, and each is taken once', async () => {
    const slots = await Promise.all(Array.from({ length: 60 }, (_, n) => take(n)))
    expect(slots.every(({ taken }) => taken)).toBe(true)
    const instants = slots.map(({ at }) => at - START).toSorted((a, b) => a - b)
    expect(instants).toEqual(Array.from({ length: 60 }, (_, n) => Math.floor(n / 2) * SECOND))
  })

  it('is not that of another site, and is not used up by what was not taken', async () => {
    for (let n = 0; n < 4; n++) await take(n)
    expect(await take(0, { aheadMs: 100 })).toMatchObject({ taken: false, at: START + 2 * SECOND })
    expect(await take(1, { aheadMs: 100 }, 'jp')).toMatchObject({ taken: true, at: START })
    expect(await take(2, { now: START + 2 * SECOND, aheadMs: 0 })).toMatchObject({
      taken: true,
      at: START + 2 * SECOND,
    })
  })

  it('is halved for all by a 429 at one, once for reads that were under way together, and rises with answers', async () => {
    await take(0)
    const at = START + SECOND
    for (const index of [0, 1]) await pacesOf(index).throttle('au', { sentAt: START, now: at, retryAfterMs: null })
    expect(await take(2, { now: at })).toMatchObject({ share: 5_000 })
    expect(await take(1, { now: at + SECOND, answers: 4 })).toMatchObject({ share: 6_000 })
    expect(await take(0, { now: at + SECOND, answers: 100 })).toMatchObject({ share: 10_000 })
  })

  it('is nothing for planned reads of all while the payments API asked one of them for a pause', async () => {
    const lease = await nodes[0]?.leases.take('reader', 'a', { now: NOW, until: after(MINUTE) })
    const plan = (index: number, now = START) => take(index, { now, lease: present(lease) })
    await pacesOf(0).throttle('au', { sentAt: START, now: START, retryAfterMs: 30 * SECOND })
    const closedUntil = START + 30 * SECOND
    expect(await plan(1)).toMatchObject({ taken: false, at: closedUntil, closedUntil })
    expect(await take(1)).toMatchObject({ taken: true, at: START, closedUntil })
    expect(await plan(2, closedUntil)).toMatchObject({ taken: true, at: closedUntil })
    await pacesOf(0).throttle('au', { sentAt: closedUntil, now: closedUntil, retryAfterMs: 30 * SECOND })
    // An answer to a read that was sent before it says nothing; one to a later read ends the pause.
    expect(await take(1, { now: closedUntil, answers: 1, answeredAt: closedUntil })).toMatchObject({
      closedUntil: closedUntil + 30 * SECOND,
    })
    expect(await take(1, { now: closedUntil + 2, answers: 1, answeredAt: closedUntil + 1 })).toMatchObject({
      closedUntil: 0,
    })
  })

  it('has a slot that was given back again, unless another one follows it', async () => {
    await take(0)
    const { at: second } = await take(1)
    const { at: third } = await take(2)
    await pacesOf(1).release('au', second)
    expect(await take(0)).toMatchObject({ at: third })
    await pacesOf(0).release('au', third)
    expect(await take(1)).toMatchObject({ at: third })
  })

  it('is taken under the current lease only, if it is for a planned read', async () => {
    const [a, b] = nodes.map(({ leases }) => leases)
    const former = await a?.take('reader', 'a', { now: NOW, until: after(MINUTE) })
    const current = await b?.take('reader', 'b', { now: after(MINUTE), until: after(2 * MINUTE) })
    await expect(take(0, { lease: present(former) })).rejects.toThrow(LeaseLostError)
    expect(await take(1, { lease: present(current) })).toMatchObject({ taken: true, at: START })
    expect(await take(0)).toMatchObject({ at: START })
  })

  it('does not wait for instants that a clock which has been set back has given', async () => {
    for (let n = 0; n < 3; n++) await take(n, { now: START + 60 * MINUTE })
    const throttled = { sentAt: START, now: START + 60 * MINUTE, retryAfterMs: SECOND }
    await pacesOf(0).throttle('au', throttled)
    expect(await take(0)).toMatchObject({ taken: true, at: START, closedUntil: 0 })
    await pacesOf(0).throttle('au', { ...throttled, now: START })
    expect(await take(0)).toMatchObject({ share: 2_500 })
  })
})
