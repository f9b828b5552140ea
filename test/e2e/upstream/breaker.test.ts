import { describe, expect, it } from 'vitest'
import type { TransportOptions } from '../../../src/upstream/client/transport.ts'
import { faultOf, open, serve, SHORT, site } from './open.ts'
import { answer, refusingPort, type Script } from './scripted-service.ts'

const get = { method: 'GET', path: '/v3/payin_methods' } as const
const post = { method: 'POST', path: '/v3/payin_links', body: {} } as const
const OK = answer(200, '{}')
const reset: Script = (socket) => socket.resetAndDestroy()
const LEAST = 4
const OPEN_MS = 5_000

/** Opens a transport whose breaker opens after `LEAST` failures, on a manual clock. */
function guarded(baseUrl: string, options: Partial<TransportOptions> = {}) {
  const fixture = { now: 0, told: [] as string[] }
  const transport = open(baseUrl, {
    deadlines: SHORT,
    breaker: { least: LEAST, openMs: OPEN_MS, clock: () => fixture.now },
    onBreaker: ({ siteId, state }) => fixture.told.push(`${siteId} ${state}`),
    ...options,
  })
  const fail = async (times = LEAST) => {
    for (let call = 0; call < times; call += 1) await faultOf(transport.request(site(), post))
  }
  return { fixture, transport, fail }
}

// promise(upstream): A service that is down is not called, and one probe at a time finds out when it is back.
describe('the breaker of a site', () => {
  it.each<[string, Script]>([
    ['500', answer(500)],
    ['502 with a page', answer(502, '<html>')],
    ['503', answer(503, '', { 'retry-after': '1' })],
    ['resets', reset],
    ['silence', () => undefined],
  ])('opens after %s: nothing more is sent, and it is certain that nothing was done', async (_what, script) => {
    const service = await serve(script)
    const { fixture, transport, fail } = guarded(service.baseUrl)
    await fail()
    expect(fixture.told).toEqual(['aud open'])
    fixture.now = 1_500
    for (const request of [post, get])
      expect((await faultOf(transport.request(site(), request))).detail).toEqual({
        kind: 'not-sent',
        reason: 'breaker-open',
        retryAfterSeconds: 4,
      })
    expect(service.requests).toHaveLength(LEAST)
  })

  it('opens when nothing listens', async () => {
    const { fixture, fail } = guarded(`http://127.0.0.1:${await refusingPort()}/api`)
    await fail(2)
    expect(fixture.told).toEqual(['aud open'])
  })

  it.each([400, 401, 403, 404, 409, 422, 429])('never opens because of %i', async (status) => {
    const service = await serve(answer(status))
    const { fixture, fail } = guarded(service.baseUrl)
    await fail(3 * LEAST)
    expect(fixture.told).toEqual([])
    expect(service.requests).toHaveLength(3 * LEAST)
  })

  it.each<[string, Script]>([
    ['no JSON', answer(200, '<html>')],
    ['an empty body', answer(200)],
    ['a redirect', answer(302, '', { location: '/elsewhere' })],
  ])('never opens because of %s', async (_what, script) => {
    const { fixture, fail } = guarded((await serve(script)).baseUrl)
    await fail(3 * LEAST)
    expect(fixture.told).toEqual([])
  })

  it('is its own: another site goes on', async () => {
    const service = await serve((socket, request) =>
      (request.headers.get('app-id') === 'app-aud' ? answer(500) : OK)(socket, request),
    )
    const { fixture, transport, fail } = guarded(service.baseUrl)
    await fail()
    expect((await faultOf(transport.request(site('aud'), post))).detail).toMatchObject({ reason: 'breaker-open' })
    expect((await transport.request(site('jpy'), post)).status).toBe(200)
    expect(fixture.told).toEqual(['aud open'])
  })

  it('tells those who wait for a slot at once', async () => {
    const service = await serve(() => undefined)
    const { transport } = guarded(service.baseUrl, {
      deadlines: { ...SHORT, headers: 300, post: 30_000, getSlot: 30_000, postSlot: 30_000 },
      limits: { concurrentPerSite: LEAST },
    })
    const faults = await Promise.all(Array.from({ length: 100 }, () => faultOf(transport.request(site(), post))))
    // All but the last of the first `LEAST` requests freed their slots before the breaker opened.
    const sent = 2 * LEAST - 1
    expect(faults.filter(({ code }) => code === 'unknown.timeout')).toHaveLength(sent)
    expect(faults.filter(({ code }) => code === 'not-sent.breaker-open')).toHaveLength(100 - sent)
    expect(service.requests).toHaveLength(sent)
  })

  it('ends the retries of a question, which keeps its own fault', async () => {
    const service = await serve(answer(500))
    const { transport, fail } = guarded(service.baseUrl)
    await fail(LEAST - 2)
    expect((await faultOf(transport.request(site(), get))).detail).toMatchObject({ httpStatus: 500 })
    expect(service.requests).toHaveLength(LEAST)
  })
})
