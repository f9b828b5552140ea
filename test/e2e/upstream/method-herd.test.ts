import { describe, expect, it } from 'vitest'
import { payinMethodCalls } from '../../../src/upstream/endpoints/payin-endpoints.ts'
import { createMethodCache } from '../../../src/upstream/methods/method-cache.ts'
import { fixtureText } from '../../fixtures/upstream/read.ts'
import { open, serve, site, sites } from './open.ts'
import { answer, type Script } from './scripted-service.ts'

const MINUTE = 60_000
const LIST = answer(200, fixtureText('payin-methods'))

/** Creates a cache of the method lists over real sockets, on a manual clock; `herd` sends 1,000 concurrent calls. */
async function stage(...scripts: Script[]) {
  const service = await serve(...scripts)
  const fixture = { now: 0 }
  const clock = () => fixture.now
  const { listPayinMethods } = payinMethodCalls(open(service.baseUrl, { breaker: { clock } }))
  const cache = createMethodCache({ load: listPayinMethods, sites, clock })
  const herd = () => Promise.all(Array.from({ length: 1_000 }, async () => cache.list(site().currencies)))
  return { service, fixture, cache, herd }
}

// promise(upstream): A thousand readers of an expired list are one request.
describe('a thousand callers of a list', () => {
  it('cost one call when there is none, and one at the tick at which it expires', async () => {
    const { service, fixture, herd } = await stage(LIST)
    const first = await herd()
    expect(service.requests).toHaveLength(1)
    fixture.now = 5 * MINUTE
    await herd()
    expect(service.requests).toHaveLength(1)
    fixture.now += 1
    const served = await herd()
    await service.arrived(2)
    await herd()
    expect(service.requests).toHaveLength(2)
    expect(new Set(served.map(({ methods }) => methods))).toEqual(new Set([first[0]?.methods]))
  })

  it('are served the old one, flagged, for an hour while the payments API fails, and then told that it is not there', async () => {
    const { service, fixture, cache, herd } = await stage(LIST, answer(500))
    const [first] = await herd()
    fixture.now = 6 * MINUTE
    await herd()
    // One renewal for all callers, with the retries of one call.
    await expect.poll(async () => (await cache.list(site().currencies)).stale).toBe(true)
    expect(service.requests.length).toBeLessThanOrEqual(4)
    fixture.now = 60 * MINUTE
    for (const list of await herd())
      expect(list).toMatchObject({ methods: first?.methods, fetchedAt: first?.fetchedAt, stale: true, unavailable: [] })
    fixture.now += 1
    for (const list of await herd()) expect(list).toMatchObject({ methods: [], stale: false, unavailable: ['AUD'] })
    expect(service.requests.length).toBeLessThanOrEqual(10)
  })
})
