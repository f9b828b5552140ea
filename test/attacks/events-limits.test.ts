import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../support/events.ts'
import { startNetwork, type Network } from '../support/network.ts'
import { createLink, LINK_UPDATES, type CreatedLink } from '../support/operations.ts'
import { gauge } from '../support/streams.ts'

const ROUTER_SECRET = 'the-secret-of-the-router'

let network: Network
let link: CreatedLink
beforeAll(async () => {
  network = await startNetwork({
    env: { TRUST_PROXY: '127.0.0.1', SOCKET_LIMITS: 'perAddress=2,perSubject=2', ROUTER_SECRETS: ROUTER_SECRET },
  })
  link = await createLink(network)
})
afterAll(() => network.close())

const follow = async (subject: string | null, headers: Readonly<Record<string, string>> = {}, path?: string) => {
  const authorization = `Bearer ${await network.token({ subject, scopes: ['payments:read'] })}`
  const stream = await openEvents(network.app.url, {
    operation: { query: LINK_UPDATES, variables: { id: link.id } },
    headers: { authorization, ...headers },
    ...(path === undefined ? {} : { path }),
  })
  if (stream.isStream) await stream.next()
  return stream
}
const from = (address: string) => ({ 'x-forwarded-for': address })

// promise(sockets): Server-sent events and multipart streams have the same limits per address and caller.
describe('streams of events', () => {
  it('of one subject may be so many at once, from wherever they come', async () => {
    const streams = [await follow('somebody', from('192.0.2.1')), await follow('somebody', from('192.0.2.2'))]
    for (const path of ['/graphql', '/graphql/stream']) {
      const refused = await follow('somebody', from('192.0.2.3'), path)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(JSON.parse(await refused.body())).toMatchObject({
        errors: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }],
      })
    }
    streams.push(await follow('somebody else', from('192.0.2.3')))
    streams[0]?.cut()
    await expect.poll(() => gauge(network, 'payments_event_streams_open')).toBe(2)
    streams.push(await follow('somebody', from('192.0.2.3')))
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const stream of streams) stream.cut()
    await expect.poll(() => gauge(network, 'payments_event_streams_open')).toBe(0)
  })

  it('of one address may be so many at once, without a subject too, and a router has one for each client', async () => {
    const address = from('192.0.2.7')
    const streams = [await follow(null, address), await follow('a', address)]
    expect((await follow(null, address)).status).toBe(429)
    expect((await follow('b', address)).status).toBe(429)
    streams.push(await follow('b', { ...address, 'x-router-secret': ROUTER_SECRET }))
    // A stream that the limit of the address rejects does not count for its subject.
    streams.push(await follow('b', from('192.0.2.8')))
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const stream of streams) stream.cut()
    await expect.poll(() => gauge(network, 'payments_event_streams_open')).toBe(0)
  })
})
